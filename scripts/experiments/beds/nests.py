#!/usr/bin/env python3
"""Loop nests: split every loop and bring the parts into a given order, by the rules of `tiling`, with a checked proof
each; and a transformer that learns to plan it from what searches find by themselves.

    scripts/experiments/beds/nests.py learn --out DIR [--rounds 6] [--seed 0] [--factors 32] [--config planner] [--begin models/tiling]
    scripts/experiments/beds/nests.py learn --out DIR --after DIR [--most-loops 7] [--factors levels] …
    scripts/experiments/beds/nests.py test --out DIR [--model MODEL]... [--tasks 24] [--loops 4 5 6] [--factors 32]

A task of k loops is the term (m (* n1 32) (m (* n2 32) … f)) and the goal (contains (m … f)) of the 2k loops n1 … nk and
k times 32 in a random order. With `--factors` other than 32 each loop has its own: `known` are four fifths of 2 to 128,
`never` the others, `any` all, and `levels` are known ones of which some loops have two, (* (* n1 4) 8), and `mixed` such, where in every fourth task all loops have the same. `learn` begins
with what one e-graph reaches: nests of two and three loops, and a
few moves in longer ones. A model is trained on the ways there; with it, tasks that are farther away are tried: most of the
kinds of which about half were reached. Each round goes on from the weights of the one before it, on all ways so
far. Start and goal of a test task are in no round. With `--after` the first round has the model and the ways of a run before it, which may have had other factors.

`test` tries tasks that were in no round without a model (one e-graph of 256 MiB with each scheduler, and the any-time search
in e-graphs of 4,000 e-nodes) and with each --model, all with the same work at most. What reaches no goal is not
tried on longer nests. Finished steps are kept in DIR: the
same command goes on where it was.

Makes the tables of docs/results.md, "Loop nests: the transformer plans", where the options of each stand, and the model `tiling` of models/.
Needs a release build, no data, and pyarrow; twelve rounds and their test two hours on two cores.
"""
import argparse
import collections
import csv
import functools
import pathlib
import random
import sys
import time

import pyarrow.parquet

from program import run

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
CAP = 4000
# Tasks of a later round, and the work of each.
TASKS = 1_000
ROUND_WORK = 300_000
# Of a task of the test, over all e-graphs: about what 256 MiB hold in one.
WORK = 3_000_000
TESTS = 1_000
# Kind, loops, moves and number of the tasks of a round; those of the first are for one e-graph.
FIRST = [("all", 2, 0, 40), ("some", 2, 0, 40), ("all", 3, 0, 200), ("some", 3, 0, 150), ("near", 3, 2, 300),
         ("near", 4, 2, 400), ("near", 4, 4, 300), ("near", 5, 2, 400), ("near", 6, 1, 300), ("near", 6, 2, 400)]
LATER = [("near", 4, 6), ("near", 5, 4), ("near", 5, 8), ("near", 5, 16), ("near", 6, 4), ("near", 6, 8), ("near", 6, 12),
         ("near", 6, 20), ("near", 6, 32), ("some", 4, 0), ("some", 5, 0), ("some", 6, 0), ("all", 4, 0), ("all", 5, 0),
         ("all", 6, 0), ("near", 7, 8), ("near", 7, 16), ("near", 7, 32), ("some", 7, 0), ("all", 7, 0)]


def nest(loops):
    term = "f"
    for loop in reversed(loops):
        term = f"(m {loop} {term})"
    return term


class Factors:
    """What loops are split by; drawn apart from tasks, so that these are the same for all."""

    def __init__(self, which, seed):
        self.which, self.rng = which, random.Random(seed)
        never = set(random.Random("factors").sample(range(2, 129), 25))
        self.of = {"never": sorted(never), "any": range(2, 129)}.get(which, [n for n in range(2, 129) if n not in never])

    def draw(self, loops):
        """Those of each of so many loops."""
        if self.which == "mixed" and self.rng.randrange(4) == 0:
            return [self.of_loop()] * loops
        return [self.of_loop() for _ in range(loops)]

    def of_loop(self):
        if self.which.isdigit():
            return [self.which]
        count = 2 if self.which in ("levels", "mixed") and self.rng.randrange(4) == 0 else 1
        return [str(self.rng.choice(self.of)) for _ in range(count)]


def split(loop):
    """A loop's last factor becomes a loop of its own."""
    return [loop[:-1], loop[-1:]]


def parts(loop):
    """What a loop is split into."""
    return [(part,) for part in loop]


def text(loops):
    return nest([functools.reduce(lambda a, b: f"(* {a} {b})", loop) for loop in loops])


def task(kind, k, moves, rng, factors):
    """A start and a goal of k loops: `all` can be split, or `some`, and the goal has any order of the parts; or of loops
    in any order, some split already, so many are moved by one place or split (`near`). A loop is its sizes."""
    whole = [(f"n{i}", *of) for i, of in enumerate(factors.draw(k), 1)]
    if kind == "near":
        loops = []
        for loop in whole:
            how = rng.randrange(3)
            loops += parts(loop) if how == 2 else [loop if how == 1 else loop[:1]]
        rng.shuffle(loops)
        start = text(loops)
        for _ in range(moves):
            at = rng.randrange(len(loops))
            if len(loops[at]) > 1 and rng.randrange(2):
                loops[at:at + 1] = split(loops[at])
            elif at + 1 < len(loops):
                loops[at], loops[at + 1] = loops[at + 1], loops[at]
    else:
        loops = [loop if kind == "all" or rng.randrange(2) == 1 else loop[:1] for loop in whole]
        start = text(loops)
        loops = [part for loop in loops for part in parts(loop)]
        rng.shuffle(loops)
    return start, f"(contains {text(loops)})"


def tests(k, which, count=TESTS):
    rng, factors = random.Random(f"test {k}"), Factors(which, f"test {k}")
    return [task("all", k, 0, rng, factors) for _ in range(count)]


def write_tasks(path, tasks):
    with path.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["id", "start", "goal"])
        rows.writerows(tasks)


def optimise(args, tasks, out, *options):
    """Searches, unless they are done; the seconds, too."""
    seconds = out.with_suffix(".seconds")
    if not seconds.exists():
        began = time.time()
        said = run(args.cairn, "optimise", "--system", "tiling", "--tasks", tasks, "--first", "--cost", "size",
                   "--out", out, "--threads", args.threads, "--quiet", *options, codes=(0, 3))  # not all goals are reached
        seconds.write_text(f"{time.time() - began:.1f}\n{said}")
    return seconds.read_text().splitlines()


def rates(found):
    """Share of the tasks that were reached by kind, with one that was and one that was not added to each."""
    counts = collections.defaultdict(lambda: [1, 2])
    table = pyarrow.parquet.read_table(found / "optimised.parquet", columns=["id", "ended"])
    for id, ended in zip(*(column.to_pylist() for column in table)):
        count = counts[kind_of(id)]
        count[0] += ended == "reached"
        count[1] += 1
    return {kind: reached / tried for kind, (reached, tried) in counts.items()}


def kind_of(id):
    kind, k, moves, _ = id.split("-")
    return kind, int(k), int(moves)


def kinds(known, most_loops):
    """The kinds of tasks of a later round with their numbers: most is learned where half are reached."""
    later = [kind for kind in LATER if kind[1] <= most_loops]
    weights = [4 * p * (1 - p) + 0.05 for p in (known.get(kind, 0.5) for kind in later)]
    return [(*kind, round(TASKS * weight / sum(weights))) for kind, weight in zip(later, weights)]


def learned(out):
    """The ways of a run before this one, and its last model."""
    if not out:
        return [], None
    last = max((int(path.name.removeprefix("trained-")) for path in out.glob("trained-*")), default=None)
    if last is None:
        sys.exit(f"--after {out}: no round of it is finished")
    return [out / f"found-{number}" for number in range(last + 1)], out / f"model-{last}"


def beginning(args, data):
    """The weights of another model with the tokens of this one."""
    model = args.out / "model-begin"
    if not (args.out / "begun").exists():
        run(args.cairn, "train", "--data", data, "--out", model, "--config", args.config, "--steps", 1, "--threads", args.threads, "--quiet",
            *(["--resume"] if (model / "training_state").exists() else []))
        run(sys.executable, HERE / "other_tokens.py", args.begin, model)
        (args.out / "begun").touch()
    return model


def ways(args, number, found):
    """The dataset of the ways that the searches so far have found."""
    data = args.out / f"data-{number}"
    if not (data / "dataset_info.json").exists():
        run(args.cairn, "plans", *found, "--ahead", args.ahead, "--out", data, "--quiet")
    return data


def train(args, number, data, *options, begin=lambda: None):
    """The model of a round, from the weights of the one before it; the first from those of what `begin` gives, if anything."""
    model, done = args.out / f"model-{number}", args.out / f"trained-{number}"
    if not done.exists():
        resume = ["--resume"] if (model / "training_state").exists() else []
        before = args.out / f"model-{number - 1}" if number else begin()
        weights = ["--from", before] if before else []
        done.write_text(run(args.cairn, "train", "--data", data, "--out", model, "--config", args.config, "--threads", args.threads, "--quiet",
                            *resume, *weights, *options))
    print(done.read_text().strip(), flush=True)
    return model


def learn(args):
    used = {task for k in range(4, 8) for which in ["32", "known", "never", "any", "levels", "mixed"] for task in tests(k, which)}
    found, first = learned(args.after)
    model, known = first, {}
    for out in found:
        known.update(rates(out))
    for number in range(args.rounds + 1):
        rng = random.Random(f"{args.seed} round {number}")
        factors, tasks = Factors(args.factors, f"{args.seed} factors {number}"), []
        for kind, k, moves, count in kinds(known, args.most_loops) if model else FIRST:
            for i in range(count):
                start, goal = task(kind, k, moves, rng, factors)
                if (start, goal) not in used and goal != f"(contains {start})":
                    used.add((start, goal))
                    tasks.append((f"{kind}-{k}-{moves}-{i}", start, goal))
        file, out = args.out / f"tasks-{number}.csv", args.out / f"found-{number}"
        write_tasks(file, tasks)
        options = ["--scheduler", "backoff", "--cap", 200_000, "--work", 200_000]
        if model:
            options = ["--model", model, "--cap", CAP, "--work", args.work or ROUND_WORK]
        said = optimise(args, file, out, *options)
        found.append(out)
        print(f"round {number}: {said[2]} in {said[0]} s", flush=True)
        known.update(rates(out))
        print(" ".join(f"{'-'.join(map(str, kind))} {known[kind]:.2f}" for kind in LATER if kind in known), flush=True)
        data = ways(args, number, found)
        model = train(args, number, data, "--seed", args.seed, "--device", args.device, begin=lambda: first or args.begin and beginning(args, data))


def test(args):
    methods = {
        "one e-graph, simple": ["--scheduler", "simple", "--cap", "256MiB"],
        "one e-graph, back-off": ["--scheduler", "backoff", "--cap", "256MiB"],
        "any-time, simple and back-off": ["--scheduler", "auto", "--cap", CAP],
        "any-time, smallest first and simple": ["--scheduler", "mixed", "--cap", CAP],
    }
    for model in args.model:
        methods[f"plan ({model.name})"] = ["--model", model, "--cap", CAP, "--guides", args.guides]
    print(f"| method | {' | '.join(f'{k} loops' for k in args.loops)} |\n| --- |{' --- |' * len(args.loops)}")
    for name, options in methods.items():
        cells, none = [], False
        for k in args.loops:
            if none:
                cells.append("not tried")
                continue
            bed = f"test-{k}-{args.tasks}" + ("" if args.factors == "32" else f"-{args.factors}")
            file = args.out / f"{bed}.csv"
            write_tasks(file, [(number, *task) for number, task in enumerate(tests(k, args.factors, args.tasks))])
            slug = "".join(c if c.isalnum() else "-" for c in name)
            out = args.out / f"{bed}-{slug}"
            said = optimise(args, file, out, "--work", args.work or WORK, *options)
            reached = next(line.split(": ")[1] for line in said if line.startswith("goals reached"))
            work = next(line.split("work a term: ")[1] for line in said if "work a term" in line)
            none = reached.startswith("0 ")
            cells.append(f"{reached}; work {work}, {float(said[0]) * args.threads / args.tasks:.1f} s")
        print(f"| {name} | {' | '.join(cells)} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["learn", "test"])
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--cairn", type=pathlib.Path, default=ROOT / "target/release/cairn")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--ahead", type=int, default=4)
    parser.add_argument("--factors", default="32")
    parser.add_argument("--config", default="planner")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--model", type=pathlib.Path, action="append", default=[])
    first = parser.add_mutually_exclusive_group()
    first.add_argument("--begin", type=pathlib.Path, help="a model whose weights the first round begins with, whatever its tokens")
    first.add_argument("--after", type=pathlib.Path, help="a run whose model and ways the first round begins with")
    parser.add_argument("--most-loops", type=int, default=6, help="loops of a task of a round at most")
    parser.add_argument("--guides", type=int, default=8)
    parser.add_argument("--tasks", type=int, default=24)
    parser.add_argument("--work", type=int, help="e-nodes of a task over all e-graphs: 300,000 in a round, 3,000,000 in a test")
    parser.add_argument("--loops", type=int, nargs="+", default=[4, 5, 6])
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    {"learn": learn, "test": test}[args.what](args)


if __name__ == "__main__":
    main()
