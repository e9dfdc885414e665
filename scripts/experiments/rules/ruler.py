#!/usr/bin/env python3
"""Rules found by `cairn rules find` beside those that Ruler's repository publishes, for four of its domains: how many, in
which time, and which of the one follow from the other within five iterations.

    git clone https://github.com/uwplse/ruler RULER
    python3 scripts/experiments/rules/ruler.py RULER --out DIR [--cairn target/release/cairn] [--domain bool …]

Makes the tables of docs/results.md. RULER is a clone, or its git directory. Languages are the files beside this script.
A rule follows if `cairn explain` proves its two sides equal in one e-graph of both. Needs z3 on the PATH.
"""

import argparse
import json
import resource
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1]))
from check_proof import read_sexprs  # noqa: E402

# What is looked for: as large as the sides that are published.
DOMAINS = {
    "bool": ["--size", "7", "--no-solver"],
    "bv4": ["--size", "5", "--pair-size", "2", "--no-solver"],
    "bv32": ["--size", "5", "--pair-size", "2", "--query-time", "1"],
    "rational": ["--size", "5", "--pair-size", "7", "--literals", "0 1 -1 2", "--query-time", "1"],
}
# Rules and seconds in scripts/oopsla21/ablation/submitted-data/compare/parsed.json.
PUBLISHED = "scripts/oopsla21/ablation/submitted-data/compare/parsed.json"
LIMITS = ["--iterations", "5", "--scheduler", "simple", "--quiet"]
NODES = 100_000


def file_of(ruler, path):
    """A file of Ruler's repository, a clone or a bare one."""
    if (ruler / path).exists():
        return (ruler / path).read_text()
    show = ["git", "-C", ruler, "show", f"HEAD:{path}"]
    return subprocess.run(show, check=True, capture_output=True, text=True).stdout


def published(ruler, domain):
    """The rules and the median seconds of ten runs, where the repository has them."""
    runs = [
        (int(run["learned"]["rules"]), float(run["learned"]["time"]))
        for run in json.loads(file_of(ruler, PUBLISHED))
        if run["domain"] == domain and run["type"] == "default"
    ]
    return sorted(runs, key=lambda run: run[1])[len(runs) // 2] if runs else None


def said(term, domain):
    """A side of Ruler's in the language of the domain."""
    if not isinstance(term, list):
        return term
    name, *args = term[0], *(said(arg, domain) for arg in term[1:])
    if domain.startswith("bv"):
        name = "neg" if name == "-" else "-" if name == "--" else name
    if domain == "rational":
        name = "abs" if name == "fabs" else name
        if name == "~":
            return f"(- 0 {args[0]})"
    return f"({name} {' '.join(args)})"


def their_rules(ruler, domain):
    lines = file_of(ruler, f"baseline/{domain}.rules").splitlines()
    pairs = [line.split(" ==> ") for line in lines if " ==> " in line]
    return [tuple(said(read_sexprs(side)[0], domain) for side in pair) for pair in pairs]


def our_rules(path):
    """The rules of a file, each direction by itself."""
    found = []
    for line in path.read_text().splitlines():
        if line.startswith(("(rewrite ", "(birewrite ")):
            form = read_sexprs(line)[0]
            sides = tuple(said(side, "") for side in form[1:3])
            found.append(sides)
            if form[0] == "birewrite":
                found.append(sides[::-1])
    return found


def as_rules_file(language, rules, path):
    """A rules file of pairs; a direction whose left side binds too little, or is a variable, is left to the other one."""
    lines = [language.read_text()]
    for left, right in rules:
        if left.startswith("("):
            lines.append(f"(rewrite {left} {right})")
    path.write_text("\n".join(lines) + "\n")


def follows(cairn, system, sides, nodes=NODES):
    """Whether two sides become equal in one e-graph of both."""
    start, target = (side.replace("?", "") for side in sides)
    question = [cairn, "explain", "--system", system, "--start", start, "--target", target, *LIMITS, "--nodes", str(nodes)]
    code = subprocess.run(question, capture_output=True).returncode
    if code not in (0, 3):
        raise SystemExit(f"{system}: {start} = {target}: exit code {code}")
    return code == 0


def follow(cairn, system, rules):
    """Those of the rules that follow from a system."""
    return [follows(cairn, system, rule) for rule in rules]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("ruler", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--cairn", default="target/release/cairn")
    parser.add_argument("--domain", nargs="*", default=list(DOMAINS))
    args = parser.parse_args()
    args.out.mkdir(exist_ok=True)
    print("| domain | Ruler's rules | its seconds | ours | seconds of one core | on the clock | theirs from ours | ours from theirs |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for domain in args.domain:
        language, out = HERE / f"{domain}.rules", args.out / domain
        find = [args.cairn, "rules", "find", language, "--out", out, "--threads", "1", "--quiet", *DOMAINS[domain]]
        before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
        subprocess.run(find, check=True, capture_output=True)
        clock, after = time.monotonic() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
        core = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        theirs = their_rules(args.ruler, domain)
        both = sum(pair[::-1] in theirs for pair in theirs)
        as_rules_file(language, theirs, args.out / f"{domain}-ruler.rules")
        ours = our_rules(out / "found.rules")
        text = (out / "found.rules").read_text()
        number = text.count("\n(rewrite ") + text.count("\n(birewrite ")
        forth = follow(args.cairn, out / "found.rules", theirs)
        back = follow(args.cairn, args.out / f"{domain}-ruler.rules", ours)
        known = published(args.ruler, domain)
        row = [domain, len(theirs) - both // 2, f"{known[1]:.2f} ({known[0]} rules)" if known else "not in its files"]
        row += [number, f"{core:.2f}", f"{clock:.2f}", f"{sum(forth)} of {len(forth)}", f"{sum(back)} of {len(back)}"]
        print("| " + " | ".join(map(str, row)) + " |", flush=True)
        for which, rules, follows in (("theirs", theirs, forth), ("ours", ours, back)):
            lines = [f"{left} => {right}" for (left, right), yes in zip(rules, follows) if not yes]
            (args.out / f"{domain}-{which}-not-derived.txt").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
