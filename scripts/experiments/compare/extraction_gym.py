#!/usr/bin/env python3
"""The cheapest DAGs of extraction-gym's e-graphs: Cairn's search and proof, extraction-gym's greedy extractor, HiGHS.

    git clone https://github.com/egraphs-good/extraction-gym && cargo build --release --manifest-path extraction-gym/Cargo.toml
    cargo build --release --manifest-path scripts/experiments/compare/Cargo.toml -p extraction-gym
    pip install -r scripts/experiments/compare/requirements.txt
    python scripts/experiments/compare/extraction_gym.py extraction-gym [--sets egg rover ...] [--seconds 5] [--highs-seconds 60]

Prints a line of CSV for each e-graph, the smallest first, and a summary. HiGHS solves an integer program of its own:
it shares no code with what it is compared to. `best` is the least cost that any of them found, `bound` what no DAG costs
less than, by Cairn's proof or HiGHS's bound, `gap` how much of the best that leaves open; `seconds` are Cairn's, search and proof.

Makes the table of docs/benchmarks.md, "Extraction", and docs/extraction.csv (the lines with twelve fields: HiGHS prints some of its own), with --highs-seconds 15. Needs extraction-gym's e-graphs and packages as above; at most 25 seconds
and the gym's own extractor for each of 117 e-graphs, so under an hour.
"""

import argparse
import collections
import csv
import io
import json
import pathlib
import statistics
import subprocess
import tempfile
import time

import highspy
import numpy as np

CAIRN = pathlib.Path(__file__).resolve().parent / "target/release/extraction-gym"
SETS = ["constructed", "diospyros", "dummy_examples", "egg", "eggcc-bril", "flexc", "herbie", "impress", "rover", "set_covering", "tensat"]
# Costs that stand for what can't be chosen.
ENDLESS = 1e17


def classes_of(file):
    """By class the ways to make it, each a cost and the classes that it needs; those that the roots may need."""
    data = json.loads(file.read_text())
    nodes = data["nodes"]
    all_ways = collections.defaultdict(list)
    for node in nodes.values():
        needs = frozenset(nodes[child]["eclass"] for child in node["children"])
        if node["cost"] < ENDLESS and node["eclass"] not in needs:
            all_ways[node["eclass"]].append((node["cost"], needs))
    made = set()
    while new := {c for c, ways in all_ways.items() if c not in made and any(needs <= made for _, needs in ways)}:
        made |= new
    roots = sorted(set(data["root_eclasses"]))
    kept, todo = {}, list(roots)
    while todo:
        place = todo.pop()
        if place not in kept:
            best = {}
            for cost, needs in all_ways[place]:
                if needs <= made:
                    best[needs] = min(cost, best.get(needs, ENDLESS))
            kept[place] = [(cost, sorted(needs)) for needs, cost in best.items()]
            todo += {need for _, needs in kept[place] for need in needs}
    return kept, roots


def circles(ways, chosen):
    """Circles in which chosen ways need each other."""
    found, state = [], {}
    for start in chosen:
        path = [(start, iter(ways[start][chosen[start]][1]))] if start not in state else []
        state.setdefault(start, "open")
        while path:
            place, needs = path[-1]
            need = next(needs, None)
            if need is None:
                state[place] = "done"
                path.pop()
            elif need not in state:
                state[need] = "open"
                path.append((need, iter(ways[need][chosen[need]][1])))
            elif state[need] == "open":
                places = [place for place, _ in path]
                found.append(places[places.index(need):])
    return found


def least_by_highs(file, seconds):
    """The least cost, if HiGHS proves it in time, the least that it found, and what it shows that none is below."""
    ways, roots = classes_of(file)
    variables = {(place, i): None for place in ways for i in range(len(ways[place]))}
    variables = {key: number for number, key in enumerate(variables)}
    used = {place: len(variables) + number for number, place in enumerate(ways)}
    count = len(variables) + len(used)
    costs = np.zeros(count)
    for (place, i), number in variables.items():
        costs[number] = ways[place][i][0]
    solver = highspy.Highs()
    for option, value in [("output_flag", False), ("threads", 1), ("mip_rel_gap", 0.0)]:
        solver.setOptionValue(option, value)
    numbers = np.arange(count, dtype=np.int32)
    solver.addVars(count, np.zeros(count), np.ones(count))
    solver.changeColsCost(count, numbers, costs)
    solver.changeColsIntegrality(count, numbers, np.array([highspy.HighsVarType.kInteger] * count))

    def row(low, high, terms):
        solver.addRow(low, high, len(terms), np.array([t[0] for t in terms], dtype=np.int32), np.array([t[1] for t in terms], dtype=float))

    for root in roots:
        solver.changeColBounds(used[root], 1, 1)
    for place, choices in ways.items():
        row(0, 0, [(used[place], -1)] + [(variables[place, i], 1) for i in range(len(choices))])
        users = collections.defaultdict(list)
        for i, (_, needs) in enumerate(choices):
            for need in needs:
                users[need].append((variables[place, i], -1))
        for need, terms in users.items():
            row(0, highspy.kHighsInf, [(used[need], 1), *terms])
    end = time.monotonic() + seconds
    bound = 0.0
    while (left := end - time.monotonic()) > 0:
        solver.setOptionValue("time_limit", solver.getRunTime() + left)
        solver.run()
        information, is_least = solver.getInfo(), solver.getModelStatus() == highspy.HighsModelStatus.kOptimal
        # With more circles forbidden it only grows.
        bound = max(bound, information.mip_dual_bound) if np.isfinite(information.mip_dual_bound) else bound
        found = solver.getSolution().value_valid
        value = solver.getSolution().col_value
        chosen = {place: i for (place, i), number in variables.items() if found and value[number] > 0.5}
        met = circles(ways, chosen)
        if not is_least:
            return None, information.objective_function_value if found and not met else None, bound
        if not met:
            least = information.objective_function_value
            return least, least, bound
        for circle in met:
            pairs = zip(circle, circle[1:] + circle[:1])
            row(-highspy.kHighsInf, len(circle) - 1,
                [(variables[place, i], 1) for place, need in pairs for i, (_, needs) in enumerate(ways[place]) if need in needs])
    return None, None, bound


def theirs(gym, file):
    """Cost and seconds of faster-greedy-dag."""
    with tempfile.TemporaryDirectory() as directory:
        out = pathlib.Path(directory) / "out.json"
        command = [gym / "target/release/extraction-gym", file, "--extractor=faster-greedy-dag", f"--out={out}"]
        subprocess.run(command, check=True, capture_output=True)
        found = json.loads(out.read_text())
        return found["dag"], found["micros"] / 1e6


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("gym", type=pathlib.Path, help="a clone of extraction-gym, built")
    parser.add_argument("--sets", nargs="+", default=SETS)
    parser.add_argument("--seconds", type=float, default=5, help="for Cairn's search, and for its proof")
    parser.add_argument("--highs-seconds", type=float, default=60)
    arguments = parser.parse_args()
    files = sorted((f for name in arguments.sets for f in (arguments.gym / "data" / name).glob("*.json")), key=lambda f: f.stat().st_size)
    totals = collections.Counter()
    seconds = {"ours": [], "theirs": []}
    print("file,nodes,first,last,least,proved,greedy,highs,best,bound,gap,seconds")
    for file in files:
        said = subprocess.run([CAIRN, str(arguments.seconds), file], check=True, capture_output=True, text=True).stdout
        ours = next(csv.DictReader(io.StringIO(said)))
        if not ours["last"]:
            continue
        last, least, proved = float(ours["last"]), float(ours["least"]), ours["proved"] == "true"
        greedy, took = theirs(arguments.gym, file)
        highs, found, bound = least_by_highs(file, arguments.highs_seconds)
        best = min(cost for cost in (last, least, greedy, found) if cost is not None)
        bound = least if proved else min(bound, best)
        gap = (best - bound) / best if best > 0 else 0.0
        took_ours = float(ours["seconds"]) + float(ours["least_seconds"])
        print(f"{file.parent.name}/{file.name},{ours['nodes']},{ours['first']},{last},{least},{proved},{greedy},{highs},"
              f"{best:.10g},{bound:.10g},{gap:.4f},{took_ours:.3f}", flush=True)
        totals["of the best within 1 %"] += least <= 1.01 * best + 1e-6
        seconds["ours"].append(float(ours["first_seconds"]))
        seconds["theirs"].append(took)
        same = lambda a, b: abs(a - b) <= 1e-5 * max(1, abs(b))
        totals["e-graphs"] += 1
        totals["proved"] += proved
        totals["cheaper than greedy"] += last < greedy and not same(last, greedy)
        totals["dearer than greedy"] += last > greedy and not same(last, greedy)
        if highs is not None:
            totals["closed by HiGHS"] += 1
            totals["of them within 1 % by the search"] += last <= 1.01 * highs + 1e-6
            totals["of them proved, too"] += proved
            totals["of them the same least cost"] += proved and same(least, highs)
    print("\n".join(f"{what}: {count}" for what, count in totals.items()))
    print("median seconds: " + ", ".join(f"{who} {statistics.median(values):.4f}" for who, values in seconds.items()))


if __name__ == "__main__":
    main()
