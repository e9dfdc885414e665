#!/usr/bin/env python3
"""Which file uses which: circles between folders of a crate, and arrows that docs/design.md forbids.

    python3 scripts/imports.py            # exits 1 if there is a circle across folders or a forbidden arrow
    python3 scripts/imports.py --list     # all arrows between folders, with the files that make them

A file is a module; an arrow is a path to another module in its code, tests left out. Items that a
crate's lib.rs re-exports are followed to the file that has them.
"""

import re
import sys
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CRATES = {
    "egraph": "egraph",
    "interop": "interop",
    "support": "support",
    "dataset_gen": "dataset-gen",
    "model": "model",
    "guided_search": "guided-search",
    "cairn": "cairn",
}
# A crate may use those before it, and egraph uses none (docs/design.md).
ALLOWED = {
    "egraph": set(),
    "interop": {"egraph"},
    "support": set(),
    "dataset_gen": {"egraph", "support"},
    "model": {"egraph", "support", "dataset_gen"},
    "guided_search": {"egraph", "support", "dataset_gen", "model"},
    "cairn": {"egraph", "interop", "support", "dataset_gen", "model", "guided_search"},
}
# A system holds its rules compiled: the one arrow that may close a circle.
EXCEPT = {("egraph::rules::system", "egraph::matching::compiled_rule")}

PATH = re.compile(r"(?<![\w:])(crate|super|%s)((?:::\w+)+)(::\{)?" % "|".join(CRATES))


def modules():
    """Module path to file, of all crates."""
    found = {}
    for crate, folder in CRATES.items():
        source = ROOT / folder / "src"
        for file in sorted(source.rglob("*.rs")):
            parts = list(file.relative_to(source).with_suffix("").parts)
            if parts[-1] in ("mod", "lib", "main"):
                parts.pop()
            found["::".join([crate, *parts])] = file
    return found


def code(file):
    """The text of a file without comments and without its tests."""
    text = file.read_text()
    text = re.split(r"^#\[cfg\(test\)\]\s*\nmod ", text, maxsplit=1, flags=re.M)[0]
    return re.sub(r"//.*", "", text)


def paths(text):
    """The paths in a text, groups in braces taken apart (one level, as rustfmt leaves them)."""
    for match in PATH.finditer(text):
        head, rest = match.group(1), match.group(2)
        if match.group(3):
            depth, end = 1, match.end()
            while depth and end < len(text):
                depth += {"{": 1, "}": -1}.get(text[end], 0)
                end += 1
            for item in re.split(r",", re.sub(r"\{[^{}]*\}", "", text[match.end() : end - 1])):
                name = item.strip().split(" as ")[0]
                if name:
                    yield head, rest + "::" + name
        else:
            yield head, rest


def reexports(found):
    """Item of a crate's root to the module that has it."""
    items = {}
    for crate, folder in CRATES.items():
        lib = found.get(crate)
        if lib is None or lib.name != "lib.rs":
            continue
        for match in re.finditer(r"^pub use ([\w:]+)(?:::\{([^}]*)\})?;", lib.read_text(), re.M):
            path = match.group(1)
            if match.group(2) is None:
                path, _, names = path.rpartition("::")
            else:
                names = match.group(2)
            for name in filter(None, (n.strip() for n in names.split(","))):
                items[f"{crate}::{name}"] = f"{crate}::{path}"
    return items


def arrows():
    """Module to the set of modules that it uses."""
    found = modules()
    items = reexports(found)
    uses = defaultdict(set)
    for module, file in found.items():
        crate = module.split("::")[0]
        for head, rest in paths(code(file)):
            if head == "super":
                full = module.rpartition("::")[0] + rest
            else:
                full = (crate if head == "crate" else head) + rest
            parts = full.split("::")
            root_item = "::".join(parts[:2])
            if root_item in items:
                full = items[root_item]
                parts = full.split("::")
            while len(parts) > 1 and "::".join(parts) not in found:
                parts.pop()
            target = "::".join(parts)
            if target in found and target != module and len(parts) > 1:
                uses[module].add(target)
            elif len(parts) == 1 and parts[0] != crate:
                uses[module].add(parts[0])
    return uses


def folder(module):
    """The folder of a crate that a module belongs to; its root files are folders of their own."""
    return "::".join(module.split("::")[:2])


def components(uses):
    """Strongly connected components with more than one module (Tarjan)."""
    index, low, stack, on, result = {}, {}, [], set(), []

    def visit(node):
        index[node] = low[node] = len(index)
        stack.append(node)
        on.add(node)
        for other in sorted(uses.get(node, ())):
            if other not in index:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in on:
                low[node] = min(low[node], index[other])
        if low[node] == index[node]:
            part = []
            while True:
                other = stack.pop()
                on.discard(other)
                part.append(other)
                if other == node:
                    break
            if len(part) > 1:
                result.append(sorted(part))

    sys.setrecursionlimit(10_000)
    for node in sorted(uses):
        if node not in index:
            visit(node)
    return result


def main():
    uses = arrows()
    if "--list" in sys.argv:
        between = defaultdict(list)
        for module, others in uses.items():
            for other in others:
                if folder(module) != folder(other):
                    between[folder(module), folder(other)].append(f"{module} -> {other}")
        for (a, b), files in sorted(between.items()):
            print(f"{a} -> {b}")
            for line in sorted(files):
                print(f"    {line}")
    bad = False
    for module, others in sorted(uses.items()):
        crate = module.split("::")[0]
        for other in sorted(others):
            target = other.split("::")[0]
            if target != crate and target not in ALLOWED[crate]:
                print(f"forbidden: {module} -> {other}")
                bad = True
    pruned = {a: {b for b in bs if (a, b) not in EXCEPT} for a, bs in uses.items()}
    for part in components(pruned):
        folders = sorted({folder(module) for module in part})
        if len(folders) > 1:
            bad = True
            print(f"circle across {', '.join(folders)}:")
            for module in part:
                inside = sorted(b for b in pruned[module] if b in part and folder(b) != folder(module))
                if inside:
                    print(f"    {module} -> {', '.join(inside)}")
    for crate, directory in CRATES.items():
        for path in [ROOT / directory / "src", *(ROOT / directory / "src").rglob("*")]:
            if path.is_dir():
                files = [f for f in path.iterdir() if f.suffix == ".rs"]
                if len(files) > 13 and crate != "cairn":
                    print(f"{len(files)} files in {path.relative_to(ROOT)}: expected a dozen at most")
                    bad = True
    if not bad:
        print("no circle spans two folders, no arrow is forbidden")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
