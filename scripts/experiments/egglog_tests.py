#!/usr/bin/env python3
"""How much of egglog's own programs is imported, and whether what they check is proved.

    git clone https://github.com/egraphs-good/egglog
    python3 scripts/experiments/egglog_tests.py egglog
    git clone https://github.com/egraphs-good/egglog-tutorial
    python3 scripts/experiments/egglog_tests.py egglog-tutorial --lesson 04-scheduling.egg

A program counts as whole where nothing is refused, as partial where some declarations are taken over with
--partial. Each equality of terms that a program checks is then asked of `cairn prove`, with work 200,000.

With --lesson the last term of the program is grown instead, its analyses and its optimisations in turn, one to six times:
e-classes of its sort, and products.

Makes the table of docs/systems.md about egglog's programs, and with --lesson the figures of its lesson on schedules below. Needs a release
build, the two checkouts, and no packages; how long it takes was not kept.
"""
import argparse
import collections
import json
import pathlib
import re
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]


def terms(line):
    """The two terms of a line."""
    depth = 0
    for at, char in enumerate(line):
        depth += (char == "(") - (char == ")")
        if depth == 0 and char == " ":
            return line[:at], line[at + 1:]


def lesson(cairn, program, folder):
    """A line for each number of times."""
    rules, said, graph = (folder / name for name in ["lesson.rules", "terms.txt", "lesson.json"])
    subprocess.run([cairn, "system", "import", program, "--partial", "--out", rules, "--terms", said], check=True, capture_output=True)
    last = [line for line in said.read_text().splitlines() if line.startswith("(")][-1]
    lines = [line for line in rules.read_text().splitlines() if not line.startswith("(schedule")]
    print("| k | e-classes | `Mul` |\n| --- | --- | --- |")
    for times in range(1, 7):
        schedule = f"(schedule (repeat {times} (saturate (run analysis)) (run optimizations)))"
        rules.write_text("\n".join([*lines, schedule]) + "\n")
        command = [cairn, "saturate", "--system", rules, "--term", last, "--cost", "size", "--export", graph, "--quiet"]
        graph.unlink(missing_ok=True)
        subprocess.run(command, check=True, capture_output=True)
        nodes = json.loads(graph.read_text())["nodes"].values()
        classes = {node["eclass"] for node in nodes if node["op"] in {"Num", "Var", "Add", "Mul", "Div"}}
        print(f"| {times} | {len(classes):,} | {sum(node['op'] == 'Mul' for node in nodes):,} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("egglog", type=pathlib.Path)
    parser.add_argument("--cairn", type=pathlib.Path, default=ROOT / "target/release/cairn")
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("--lesson", type=pathlib.Path, help="a program in the folder")
    args = parser.parse_args()
    args.cairn = args.cairn.resolve()
    if args.lesson:
        with tempfile.TemporaryDirectory() as folder:
            return lesson(args.cairn, args.egglog / args.lesson, pathlib.Path(folder))
    programs = sorted(path for path in args.egglog.rglob("*.egg") if "fail-typecheck" not in path.parts)
    counts, proved, checked = collections.Counter(), collections.Counter(), collections.Counter()
    declarations = collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        rules, checks = pathlib.Path(folder) / "all.rules", pathlib.Path(folder) / "checks.txt"

        def run(*command):
            return subprocess.run([str(part) for part in command], cwd=args.egglog, text=True, capture_output=True)

        for program in programs:
            rules.unlink(missing_ok=True)
            command = [args.cairn, "system", "import", program.relative_to(args.egglog), "--out", rules, "--checks", checks]
            done, kind = run(*command), "whole"
            if done.returncode:
                done, kind = run(*command, "--partial"), "partial"
            if done.returncode:
                counts["none"] += 1
                continue
            counts[kind] += 1
            lines = [line for line in rules.read_text().splitlines() if re.match(r"\((bi)?rewrite|\(transfer", line)]
            declarations[kind] += len(lines)
            for line in checks.read_text().splitlines():
                if not line.startswith("("):
                    continue
                start, target = terms(line)
                done = run(args.cairn, "prove", "--system", rules, "--start", start, "--target", target, "--work", 200_000)
                checked[kind] += 1
                proved[kind] += done.returncode == 0
                if done.returncode and (args.verbose or kind == "whole"):
                    why = done.stderr.strip().rpartition("\n")[2][-100:]
                    print(f"{program.relative_to(args.egglog)}: not proved: {line[:90]}: {why}")
    print("| | programs | rules and transfers | checks proved |\n| --- | --- | --- | --- |")
    for kind in ["whole", "partial"]:
        print(f"| {kind} | {counts[kind]} | {declarations[kind]} | {proved[kind]} of {checked[kind]} |")
    print(f"| nothing to take over | {counts['none']} | | |")


if __name__ == "__main__":
    main()
