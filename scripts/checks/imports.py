#!/usr/bin/env python3
"""Which file uses which: circles of files and of folders, arrows that docs/design.md forbids, rooms it does not name.

    python3 scripts/checks/imports.py           # exits 1 if something is wrong
    python3 scripts/checks/imports.py --list    # all arrows between files

A file is a module; an arrow is a path to what another file has, in code that is not a test. Names that are
handed on (`pub use`) are followed to the file that has them, so that declaring children and handing on their
names is no arrow. What a file does by methods alone, without naming a type, is not seen.

An arrow between files of two folders that lie side by side in a crate is one between these folders, too.
"""

import re
import sys
from pathlib import Path

# What a crate may use beside itself.
ALLOWED = {
    "egraph": "",
    "support": "",
    "jobs": "support",
    "interop": "egraph",
    "terms": "egraph support",
    "synthesis": "egraph support jobs interop",
    "dataset-gen": "egraph support jobs terms",
    "matrices": "",
    "ranking": "egraph support matrices terms",
    "guided-search": "egraph support jobs terms dataset-gen ranking",
    "model": "egraph support matrices terms dataset-gen guided-search",
    "cairn": "egraph support jobs interop synthesis terms dataset-gen ranking guided-search model",
    "python": "egraph support interop dataset-gen ranking guided-search model cairn",
}
MOST_FILES = 13

TOKENS = re.compile(
    r"//[^\n]*|/\*.*?\*/|b?r(#*)\".*?\"\1|b?\"(?:\\.|[^\"\\])*\"|'(?:\\[^']+|[^'\\])'", re.S
)
TESTS = re.compile(r"#\[cfg\((?:test|all\(test[^\]]*)\)\]")
TEST_FILE = re.compile(r"#\[cfg\(test\)\]\s*(?:pub(?:\([^)]*\))?\s+)?mod (\w+);")
USE = re.compile(r"(?:\bpub(?:\([^)]*\))?\s+)?\buse\s+([^;]+);")
PATH = re.compile(r"(?<![\w:.$])(\w+(?:\s*::\s*\w+)+)")


def code(text):
    """A file's text without comments, strings and tests."""
    text = TOKENS.sub(lambda m: " " if m.group().startswith("/") else '""', text)
    while match := TESTS.search(text):
        end, depth = match.end(), 0
        # The item that follows: to its semicolon or its closing brace.
        while end < len(text):
            depth += {"{": 1, "(": 1, "[": 1, "}": -1, ")": -1, "]": -1}.get(text[end], 0)
            end += 1
            if depth == 0 and (text[end - 1] == ";" or text[end - 1] == "}"):
                break
        text = text[: match.start()] + text[end:]
    return text


def use_tree(tree, before=()):
    """The paths of a `use`, each with the name that it gives."""
    tree = tree.strip()
    if "{" in tree:
        head, _, rest = tree.partition("{")
        before = (*before, *filter(None, (part.strip() for part in head.split("::"))))
        depth, start, inner = 0, 0, rest.rpartition("}")[0] + ","
        for i, char in enumerate(inner):
            depth += {"{": 1, "}": -1}.get(char, 0)
            if char == "," and depth == 0:
                yield from use_tree(inner[start:i], before)
                start = i + 1
    elif tree:
        path, _, name = tree.partition(" as ")
        parts = [*before, *(part.strip() for part in path.split("::") if part.strip())]
        if parts[-1] == "self":
            parts.pop()
        yield parts, name.strip() or parts[-1]


class Module:
    """A file: its code, the names that `use` gives it, and those of them that it hands on."""

    def __init__(self, path, file):
        self.path = path
        text = file.read_text()
        self.tests = TEST_FILE.findall(text)
        text = code(text)
        self.uses, self.handed_on, self.globs = {}, set(), []
        for match in USE.finditer(text):
            for parts, name in use_tree(match.group(1)):
                if name == "*":
                    self.globs.append(parts[:-1])
                    continue
                self.uses[name] = parts
                if match.group().startswith("pub"):
                    self.handed_on.add(name)
        self.body = re.sub(r"\bpub\s*\([^)]*\)", "", USE.sub("", text))

    def has(self, name):
        """Whether an item of this name is defined here."""
        kinds = "fn|struct|enum|union|trait|type|const|static|macro_rules!"
        return re.search(rf"\b(?:{kinds})\s+(?:mut\s+)?{name}\b", self.body) is not None


class Tree:
    """All modules of a workspace, by path: a crate's name and the names of modules in it."""

    def __init__(self, root):
        self.modules = {}
        self.crates = [crate for crate in ALLOWED if (root / crate / "src").is_dir()]
        for crate in self.crates:
            source = root / crate / "src"
            for file in sorted(source.rglob("*.rs")):
                parts = list(file.relative_to(source).with_suffix("").parts)
                is_door = parts == ["main"] and not (source / "lib.rs").exists()
                if parts[-1] in ("mod", "lib") or is_door:
                    parts.pop()
                path = (crate.replace("-", "_"), *parts)
                self.modules[path] = Module(path, file)
        for path in [(*m.path, name) for m in self.modules.values() for name in m.tests]:
            self.modules.pop(path, None)

    def absolute(self, module, parts, seen=()):
        """The path that `parts` mean in a module, from a crate on; none if it leads elsewhere."""
        head, rest = parts[0], parts[1:]
        if head == "crate":
            return [module.path[0], *rest]
        if head in ("self", "super"):
            rest = [part for part in parts if part not in ("self", "super")]
            return [*module.path[: len(module.path) - parts.count("super")], *rest]
        if (*module.path, head) in self.modules:
            return [*module.path, *parts]
        if head in module.uses and (module.path, head) not in seen:
            seen = (*seen, (module.path, head))
            found = self.absolute(module, module.uses[head], seen)
            return found and [*found, *rest]
        if (head,) in self.modules:
            return list(parts)
        return None

    def owner(self, path, seen=()):
        """The module that has what an absolute path names."""
        at, rest = (path[0],), list(path[1:])
        while rest and (*at, rest[0]) in self.modules:
            at = (*at, rest.pop(0))
        module = self.modules.get(at)
        if module is None or not rest or (at, rest[0]) in seen:
            return at
        seen = (*seen, (at, rest[0]))
        if rest[0] in module.uses:
            onward = self.absolute(module, module.uses[rest[0]])
            return self.owner([*onward, *rest[1:]], seen) if onward else at
        if not module.has(rest[0]):
            for glob in module.globs:
                onward = self.absolute(module, glob)
                if onward:
                    found = self.owner([*onward, *rest], seen)
                    if self.modules[found].has(rest[0]):
                        return found
        return at

    def arrows(self, module):
        """The modules that a module uses; of other crates the module, too."""
        body = module.body
        named = [parts for name, parts in module.uses.items()
                 if name not in module.handed_on or re.search(rf"(?<!::)\b{name}\b", body)]
        named += module.globs + [re.split(r"\s*::\s*", match.group(1)) for match in PATH.finditer(body)]
        absolute = [self.absolute(module, parts) for parts in named]
        return {self.owner(path) for path in absolute if path} & self.modules.keys() - {module.path}


def circles(uses):
    """Strongly connected components of more than one node (Tarjan)."""
    index, low, stack, result = {}, {}, [], []

    def visit(node):
        index[node] = low[node] = len(index)
        stack.append(node)
        for other in sorted(uses.get(node, ())):
            if other not in index:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in stack:
                low[node] = min(low[node], index[other])
        if low[node] == index[node]:
            part = stack[stack.index(node) :]
            del stack[len(stack) - len(part) :]
            if len(part) > 1:
                result.append(sorted(part))

    sys.setrecursionlimit(10_000)
    for node in sorted(uses):
        if node not in index:
            visit(node)
    return result


def arrow(path, other):
    """How an arrow is written."""
    return f"{'::'.join(path)} -> {'::'.join(other)}"


def folder_circles(uses):
    """Circles of folders that lie side by side."""
    folders = {path[:depth] for path in uses for depth in range(1, len(path))}
    between = {}  # by two folders: the arrows of their files
    for path, others in uses.items():
        for other in others:
            depth = next((i for i, (a, b) in enumerate(zip(path, other)) if a != b), 0)
            ends = path[: depth + 1], other[: depth + 1]
            if depth and folders.issuperset(ends):
                between.setdefault(ends, []).append(arrow(path, other))
    uses = {}
    for folder, other in between:
        uses.setdefault(folder, set()).add(other)
    for part in circles(uses):
        yield f"circle of {len(part)} folders in {'::'.join(part[0][:-1])}:"
        for folder, other in [(folder, other) for folder in part for other in sorted(uses[folder] & set(part))]:
            first, *more = sorted(set(between[folder, other]))
            yield f"    {folder[-1]} -> {other[-1]}: {first}" + (f" and {len(more)} more" if more else "")


def rooms(root, crates):
    """What docs/design.md, where there is one, says of folders that is not so."""
    page = root / "docs/design.md"
    if not page.exists():
        return
    named, crate = {crate: set() for crate in crates}, None
    for line in page.read_text().splitlines():
        if start := re.match(r"(?:\*\*|#+ +`?)([a-z-]+)", line):
            crate = start.group(1)
        elif line.startswith("#"):
            crate = None
        if crate in named:
            named[crate].update(re.findall(r"(?:^ {2,}|`)((?:[a-z_]+/)+)(?=[`\s])", line))
    for crate in crates:
        source = root / crate / "src"
        folders = {str(path.relative_to(source)) + "/" for path in source.rglob("*") if path.is_dir()}
        for folder in sorted(folders):
            if folder.count("/") == 1 and folder not in named[crate]:
                yield f"docs/design.md does not name the folder {crate}/src/{folder}"
        for name in sorted(named[crate]):
            if not any(("/" + folder).endswith("/" + name) for folder in folders):
                yield f"docs/design.md names a folder {name} of {crate} that is not there"


def faults(root):
    """What is wrong with a tree, a line each, and the arrows of its modules."""
    tree = Tree(root)
    uses = {path: tree.arrows(module) for path, module in tree.modules.items()}
    lines = []
    for path, others in sorted(uses.items()):
        allowed = {path[0], *ALLOWED[path[0].replace("_", "-")].replace("-", "_").split()}
        for other in sorted(others):
            if other[0] not in allowed:
                lines.append(f"forbidden: {arrow(path, other)}")
    for part in circles(uses):
        lines.append(f"circle of {len(part)} files:")
        for path in part:
            inside = ", ".join("::".join(other) for other in sorted(uses[path] & set(part)))
            lines.append(f"    {'::'.join(path)} -> {inside}")
    lines += folder_circles(uses)
    for crate in tree.crates:
        for path in [root / crate / "src", *(root / crate / "src").rglob("*")]:
            count = len(list(path.glob("*.rs"))) if path.is_dir() else 0
            if count > MOST_FILES:
                lines.append(f"{count} files in {path.relative_to(root)}: expected {MOST_FILES} at most")
    return lines + list(rooms(root, tree.crates)), uses


def main():
    lines, uses = faults(Path(__file__).resolve().parents[2])
    if "--list" in sys.argv:
        for path, others in sorted(uses.items()):
            for other in sorted(others):
                print(arrow(path, other))
    fine = "no circle of files, none of folders, no forbidden arrow, every room is named"
    print("\n".join(lines) if lines else fine)
    sys.exit(1 if lines else 0)


if __name__ == "__main__":
    main()
