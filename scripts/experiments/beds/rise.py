#!/usr/bin/env python3
"""The seven goals of matrix multiplication of Koehler et al., Guided Equality Saturation (POPL 2024), by the rules of
`rise`: in phases, as the strategies of the rules file say, and in one e-graph with the rules of all phases.

    scripts/experiments/beds/rise.py --out DIR [--memory 2GiB] [--seconds 600] [--goals baseline blocking …] [--schedulers simple]

One run at a time, each with one thread. The table says whether the goal was found, the seconds of processor of the whole run, the
most memory of the process in MiB, and the e-nodes that were built, of all phases.
Finished runs are kept in DIR: the same command goes on where it was.

Makes the table of docs/results.md, "Matrix multiplication in stages", with --memory 256MiB; below the table stands which e-graphs had
more. Needs a release build, no data and no packages; half an hour on one core.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "scripts/experiments"))
from rules_text import parsed

RULES = ROOT / "configs/systems/rise.rules"
GOALS = ["baseline", "blocking", "vectorisation", "loop-permutation", "array-packing", "cache-blocks", "parallel"]
START = """(app (map 2048 (lam x (app (map 3072 (lam y (app (reduce 1280 (each z (lam u (+ u z))) 0)
    (app (map 1280 (lam z (* (fst z) (snd z)))) (zip x y))))) (app (transpose 1280 3072) B)))) A)"""


def text(tree):
    return tree if isinstance(tree, str) else f"({' '.join(map(text, tree))})"


def phases(strategies, name):
    """The goal of each phase of a strategy, and the rules that run in it."""
    for part in strategies[name]:
        if isinstance(part, str):
            yield from phases(strategies, part)
        else:
            _, _, goal, (_, (_, *rules)) = part
            yield text(goal), rules


def measured(path, command):
    """What a command said last, with the seconds of processor and the most MiB that it took, unless it is known."""
    if not path.exists():
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
            said = child.stdout.read()
            wrong = child.stderr.read()
            _, status, used = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode not in (0, 3):
            sys.exit(f"{' '.join(map(str, command))}\n{wrong.strip()}")
        last = json.loads(said.splitlines()[-1])
        last |= {"code": child.returncode, "seconds": used.ru_utime + used.ru_stime, "resident": used.ru_maxrss / 1024}
        path.write_text(json.dumps(last))
    return json.loads(path.read_text())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path, required=True, help="the directory for results")
    parser.add_argument("--cairn", default=ROOT / "target/release/cairn", help="the program")
    parser.add_argument("--goals", nargs="+", default=GOALS, choices=GOALS)
    parser.add_argument("--memory", default="2GiB", help="of one e-graph")
    parser.add_argument("--seconds", type=int, default=600, help="of a run without phases")
    parser.add_argument("--schedulers", nargs="*", default=["simple", "backoff"], help="of runs without phases")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    strategies = {line[1]: line[2:] for line in parsed(RULES.read_text(encoding="utf-8")) if line[0] == "strategy"}
    shape = ["--system", RULES, "--term", START, "--format", "json", "--quiet"]
    print("| goal | search | found | seconds | MiB | e-nodes |\n| --- | --- | --- | --- | --- | --- |")

    def row(goal, search, said, built):
        found = "yes" if said["code"] == 0 else f"no ({said.get('stop', said.get('ended'))})"
        print(f"| {goal} | {search} | {found} | {said['seconds']:.2f} | {said['resident']:,.1f} | {built} |", flush=True)

    plans = {goal: list(phases(strategies, goal)) for goal in arguments.goals}

    def guided(goal):
        command = [arguments.cairn, "optimise", *shape, "--scheduler", "simple", "--cost", "size", "--cap", arguments.memory,
                   "--strategy", goal, "--goal", plans[goal][-1][0]]
        return measured(arguments.out / f"{goal}-guided.json", command)

    # All of them before the reports of the others make this program larger, for the memory of a program that it starts is
    # never said to be less than its own was then.
    for goal in plans:
        guided(goal)
    for goal, plan in plans.items():
        said = guided(goal)
        row(goal, f"{len(plan)} phases" if len(plan) > 1 else "1 phase", said, f"{said['work']:,}")
        rules = " ".join(dict.fromkeys(rule for _, phase in plan for rule in phase))
        for scheduler in arguments.schedulers:
            command = [arguments.cairn, "saturate", *shape, "--scheduler", scheduler, "--memory", arguments.memory,
                       "--time", str(arguments.seconds), "--strategy", f"(until-stable (run {rules}))", "--goal", plan[-1][0]]
            said = measured(arguments.out / f"{goal}-{scheduler}.json", command)
            row(goal, f"`{scheduler}`", said, f"{said['built']:,}")


if __name__ == "__main__":
    main()
