#!/usr/bin/env python3
"""The stages of matrix multiplication that an expert writes for `rise`, written by a model: it learns from walks through
small e-graphs of other products, without goals and without an expert's word, and is tested on the seven goals of rise.py.

    scripts/experiments/beds/rise_plans.py learn --out DIR [--seed 0]
    scripts/experiments/beds/rise_plans.py validate --out DIR [--seed 0]
    scripts/experiments/beds/rise_plans.py test --out DIR [--seed 0] [--tries 3] [--control walk]

`learn` draws products of other, smaller sizes, with blocks of other sizes than 32 and 4. A walk begins at such a product. A small
e-graph is grown with all rules, and all nests of loops that it has are read from it: these are stages (stages/nests_of.py
says which). The walk goes on from the smallest term of a stage, of a kind whose e-graphs had most that was new. So it is known which ways
lead to which stages, at how many e-nodes. The model learns the ways of the fewest e-nodes: given where the search is and what is wanted, it
writes the next stage. Stages with six loops in the order of one of the seven goals, or of a validation goal, are not gone to, not wanted and
not learned. The model sees sizes by name (`rows`, `column-blocks`, `chunk`), the script puts in the numbers.

`test` goes from the product of rise.py to each goal. From a term an e-graph with all rules, no strategy, is grown until it has the goal; then
one whose stages are read, and the likeliest of those that the model writes is gone to, or if it has none of them, a larger e-graph is grown
for the likeliest of all. The search goes on from the smallest term of what is reached, with a checked proof for each step, and begins anew after many
stages. Each goal is a run of its own, with one thread; its seconds of processor and most memory are those of the whole process, with Python
and the model. Where the goal was reached, the stages on the way are run once more by the program alone, as a strategy like those of the
expert. With `--control walk` the next stage is drawn from those of the e-graph. `validate` does the same for twelve goals of other products,
three orders that were not learned.

Makes the table of docs/results.md, "Matrix multiplication: a model writes the stages". Needs a release build, the package for Python
(docs/python.md) and pyarrow, no data; learning takes ten minutes on one core, the test seven. Finished steps are kept in DIR: the same
command goes on where it was.
"""
import argparse
import collections
import hashlib
import itertools
import json
import math
import pathlib
import random
import re
import sys
import time

import rise
from program import run

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "scripts/experiments/stages"))
from nests_of import Product, of_sketch, of_written, sketch, stages_of, written
from rules_text import parsed

STAGES = ROOT / "scripts/experiments/stages/stages.rules"
TEST = Product(2048, 3072, 1280, 32, 4)
# E-nodes of an e-graph of a walk, when its stages are read, and steps of a walk.
LEVELS = (1_000, 4_000)
WALK_STAGES = 40
# New stages of an e-graph of a kind that no walk was in.
FIRST_WORTH = 100
# Of a search: e-nodes of the small e-graphs and of the larger ones, over all, questions about a stage, stages of the
# first walk, how many times as many the next one has, and walks at most.
SMALL, LARGE = 4_000, 20_000
WORK = 3_000_000
QUESTIONS, STAGES_OF_WALK, LONGER, MOST_WALKS = 2, 12, 1.5, 100
# What a stage on a way costs beside its e-nodes, and ways to a stage that are learned from.
HOP, MOST_WAYS = 500, 4
VALIDATION = {
    (*of[:-1], last)
    for of in [("row-blocks", "column-blocks", "block", "chunks", "chunk", "block"),
               ("row-blocks", "block", "column-blocks", "chunks", "chunk", "block"),
               ("row-blocks", "chunks", "column-blocks", "block", "chunk", "block")]
    for last in {of[-1], "one"}}
CONFIG = """[model]
width = 64
heads = 4
positions = "tree"
relation_heads = { ancestor = 2, sibling = 2 }
encoder_layers = 2
decoder_layers = 2
feed_forward = 256
clip = 12
max_tokens = 80

[training]
steps = 4000
batch_tokens = 4000
learning_rate = 4e-3
warmup_steps = 100
weight_decay = 0.05
clip_norm = 1.0
dropout = 0.0
evaluate_every = 250
validation_triples = 512
"""


def goals():
    """The seven goals as the rules file says them."""
    strategies = {line[1]: line[2:] for line in parsed(rise.RULES.read_text(encoding="utf-8")) if line[0] == "strategy"}
    return {goal: list(rise.phases(strategies, goal))[-1][0] for goal in rise.GOALS}


def order(stage):
    """Sizes of the loops, outermost first."""
    return tuple(size for _, size in stage[0])


def held_out():
    """Orders of the loops of the seven goals that have six, with names for sizes."""
    stages = [TEST.named(of_sketch(parsed(goal)[0])) for goal in goals().values()]
    orders = {order(stage) for stage in stages if len(stage[0]) == 6}
    return orders | {of[:-1] + ("block",) for of in orders if of[-1] == "one"}


def rules(b, c):
    """The rules of `rise` for blocks of b and of c, without the expert's strategies."""
    text = rise.RULES.read_text(encoding="utf-8").split("(strategy")[0]
    return re.sub(r"\b(32|4)\b", lambda size: str(b if size[0] == "32" else c), re.sub(";.*", "", text))


def draw(rng):
    """A product with smaller sizes than those of the test, none of which is one of them; all differ, and half of them can be
    split again, as those of the test can."""
    while True:
        b, c = rng.choice([6, 8, 10, 12, 14, 16]), rng.choice([2, 3, 5, 6, 7])
        blocks = [rng.randrange(2, 6) * b if rng.randrange(2) else rng.randrange(3, 40) for _ in range(2)]
        chunks = rng.randrange(2, 20) * c if rng.randrange(2) else rng.randrange(3, 60)
        product = Product(blocks[0] * b, blocks[1] * b, chunks * c, b, c)
        if len(product.names) == 9 and not set(product.names) & set(TEST.names) - {1}:
            return product


def grown(cairn, system, term, product, levels):
    """The stages of an e-graph that is grown from a term with all rules, in a fixed order, with the e-nodes at which each was
    there, or None if there are too many; and how many e-nodes were built."""
    egraph, there = cairn.EGraph(system), {}
    egraph.add(term)
    for nodes in levels:
        report = egraph.run(nodes=nodes, scheduler="simple", threads=1)
        stages = stages_of(egraph.classes(), egraph.find(term), product)
        if stages is None:
            there = None
            break
        for stage in stages:
            there.setdefault(stage, nodes)
        if report.stop == "saturated":
            break
    return there and dict(sorted(there.items(), key=str)), report.history[-1]["built"]


def smallest(cairn, system, term, goal, cap):
    """The smallest term of a sketch in the first e-graph that has one, within a cap."""
    return cairn.optimise(system, term, goal=goal, first=True, cost="size", scheduler="simple", cap=cap, work=cap, threads=1)


def by_kind(stages, kind):
    """The stages of each kind."""
    kinds = collections.defaultdict(list)
    for stage in stages:
        kinds[kind(stage)].append(stage)
    return kinds


def pick(rng, stages):
    """A stage; kinds first, so that there are as many of rare ones as of common ones."""
    kinds = by_kind(stages, lambda stage: (len(stage[0]), stage[1], bool(stage[2])))
    return rng.choice(kinds[rng.choice(sorted(kinds))])


def walk(cairn, rng, never, worth, been_in):
    """A walk through the stages of a product: where it was, each with the stages that the e-graph there has and at how many
    e-nodes, all with names for sizes. It goes to stages of kinds whose e-graphs had most that was new to their walks, from any place
    where it was, there in the order of loops that it was in the least; `worth` and `been_in` count both."""
    product = draw(rng)
    system = cairn.System.from_rules(rules(product.b, product.c))
    steps, been, open_stages = [], {product.start()}, {}
    term, at, seen = product.term(), product.start(), set()
    while len(steps) < WALK_STAGES:
        there, _ = grown(cairn, system, term, product, LEVELS)
        here = {stage: nodes for stage, nodes in (there or {}).items()
                if stage[1] != "mul" and order(product.named(stage)) not in never}
        steps.append((product.named(at), [(product.named(stage), nodes) for stage, nodes in here.items()]))
        of = worth[kind(at)]
        of[0] += len(here.keys() - seen)
        of[1] += 1
        seen |= here.keys()
        open_stages |= {stage: term for stage in here if stage not in been}
        while open_stages:
            kinds = by_kind(open_stages, kind)
            names = sorted(kinds)
            of = rng.choices(names, [((worth[name][0] + FIRST_WORTH) / (worth[name][1] + 1)) ** 2 for name in names])[0]
            at = min(sorted(kinds[of], key=lambda stage: rng.random()), key=lambda stage: been_in[of, order(product.named(stage))])
            been_in[of, order(product.named(at))] += 1
            been.add(at)
            found = smallest(cairn, system, open_stages.pop(at), sketch(at), 4 * LEVELS[-1])
            if found.term is not None:
                term = str(found.term)
                break
        else:
            break
    return {"product": [product.n, product.m, product.k, product.b, product.c], "steps": steps}


def kind(stage):
    """How many loops, how they end, what is kept, and how much is lowered."""
    loops, end, kept = stage
    lowered = [sum(operator == name for operator, _ in loops) for name in ("reduceSeqUnroll", "mapPar")]
    return f"{len(loops)} {end} {kept and kept[1][-1][0]} {lowered}"


def walks(args, cairn):
    """All walks; those that are done are read."""
    path, never = args.out / f"walks-{args.seed}.jsonl", held_out() | VALIDATION
    done = path.read_text().splitlines() if path.exists() else []
    worth, been_in = collections.defaultdict(lambda: [0, 0]), collections.Counter()
    for line in done:
        seen = set()
        for number, (at, here) in enumerate(json.loads(line)["steps"]):
            at, here = frozen(at), {frozen(stage) for stage, _ in here}
            worth[kind(at)][0] += len(here - seen)
            worth[kind(at)][1] += 1
            seen |= here
            if number:
                been_in[kind(at), order(at)] += 1
    began = time.process_time()
    with path.open("a") as file:
        for number in range(len(done), args.walks):
            line = json.dumps(walk(cairn, random.Random(f"{args.seed} walk {number}"), never, worth, been_in))
            file.write(f"{line}\n")
            file.flush()
            done.append(line)
            print(f"{number + 1} walks, {time.process_time() - began:.0f} s, {len(been_in)} kinds", flush=True)
    return [json.loads(line) for line in done[:args.walks]]


def frozen(of):
    return tuple(map(frozen, of)) if isinstance(of, list) else of


def ways_of(walk):
    """The ways that a walk has gone from the product to each stage that one of its e-graphs has, with their e-nodes: what was
    reached from the very terms on the way."""
    steps = [(frozen(at), {frozen(stage): nodes for stage, nodes in here}) for at, here in walk["steps"]]
    ways = []
    for number, (at, here) in enumerate(steps):
        # The walk keeps the last e-graph that had a stage before it went there.
        before = next((i for i in reversed(range(number)) if at in steps[i][1]), None)
        nodes, way = ways[before] if before is not None else (0, ())
        ways.append((nodes + (steps[before][1][at] + HOP if before is not None else 0), (*way, at)))
        for stage, more in here.items():
            yield ways[-1][0] + more + HOP, (*ways[-1][1], stage)


class Ways:
    """The cheapest ways to each stage that are known."""

    def __init__(self, never):
        self.never, self.to = never, collections.defaultdict(dict)

    def add(self, nodes, way):
        if len(way) == len(set(way)) and not any(order(stage) in self.never for stage in way):
            of = self.to[way[-1]]
            of[way] = min(nodes, of.get(way, nodes))
            if len(of) > 2 * MOST_WAYS:
                for worse in sorted(of, key=lambda way: (of[way], str(way)))[MOST_WAYS:]:
                    del of[worse]

    def best(self, stage):
        """The cheapest, and others that cost twice as much at most."""
        of = self.to[stage]
        ways = sorted(of, key=lambda way: (of[way], str(way)))[:MOST_WAYS]
        return [way for way in ways if of[way] <= 2 * of[ways[0]]]


def triples_of(ways, rng, count):
    """Where a search is, what comes next and what is wanted, on known ways; kinds of what is wanted are equally frequent."""
    kinds = by_kind((stage for stage in sorted(ways.to, key=str) if len(ways.best(stage)[0]) > 1), kind)
    for of in kinds.values():
        rng.shuffle(of)
    names, rows, number = sorted(kinds), [], 0
    print(f"stages with ways: {len(ways.to)}", flush=True)
    while len(rows) < count:
        of = kinds[names[number % len(names)]]
        goal = of[number // len(names) % len(of)]
        number += 1
        best = ways.best(goal)
        way = best[0] if rng.randrange(2) else rng.choice(best)
        rows += [(at, stage, goal) for at, stage in itertools.pairwise(way)]
    return rows


def learn(args, cairn):
    """A model of the ways of all walks."""
    from triples import write_dataset  # not where memory is measured

    ways = Ways(held_out() | VALIDATION)
    for one in walks(args, cairn):
        for nodes, way in ways_of(one):
            ways.add(nodes, way)
    data, model = args.out / f"data-{args.seed}", args.out / f"model-{args.seed}"
    if not (data / "dataset_info.json").exists():
        rng = random.Random(f"{args.seed} ways 0")
        rows = {"train": [], "validation": []}
        for at, stage, goal in triples_of(ways, rng, args.triples):
            # What is wanted is in one split, however its sizes are.
            split = "validation" if is_for_validation(goal) else "train"
            rows[split].append(tuple(map(written, (at, stage, goal))))
        write_dataset(data, STAGES, rows)
    config = args.out / "planner.toml"
    config.write_text(CONFIG)
    done = args.out / f"trained-{args.seed}"
    if not done.exists():
        resume = ["--resume"] if (model / "training_state").exists() else []
        began = time.time()
        said = run(args.cairn, "train", "--data", data, "--out", model, "--config", config, "--seed", args.seed, "--steps",
                   args.steps, "--threads", 1, "--quiet", *resume)
        done.write_text(f"{said.strip()}; {time.time() - began:.0f} s\n")
    print(done.read_text().strip(), flush=True)


def stages_had(cairn, system, term, product):
    """The stages that a term has."""
    egraph = cairn.EGraph(system)
    egraph.add(term)
    return stages_of(egraph.classes(), egraph.find(term), product) or ()


class Search:
    """Goes from a product to a goal with stages that a model writes, or drawn if there is none, on the way."""

    def __init__(self, args, cairn, model, product, wanted, seed):
        self.args, self.cairn, self.model, self.product, self.wanted = args, cairn, model, product, wanted
        self.rng = random.Random(f"{seed} follow")
        self.system, self.language = cairn.System.from_rules(rules(product.b, product.c)), cairn.System.load(str(STAGES))
        self.goal, self.target = sketch(wanted), self.language.term(written(product.named(wanted)))
        self.known, self.here = {}, {}
        self.said = {"reached": False, "work": 0, "e_graphs": 0, "asked": 0, "model": 0.0, "largest": 0, "steps": 0, "walks": 1}

    def next_stages(self, at, term, first):
        """What may come next, the likeliest first, in the first walk; in others the order is drawn, so that other ways are gone."""
        if self.model is None:
            here = self.stages_here(term)
            return [pick(self.rng, here)] if here else []
        began = time.process_time()
        self.said["asked"] += 1
        guides = self.model.guides(self.language.term(written(self.product.named(at))), self.target, count=self.args.guides,
                                   max_size=60, nucleus=0.999, seed=self.rng.randrange(2**32))
        self.said["model"] += time.process_time() - began
        if not first:
            guides = sorted(guides, key=lambda guide: math.log(self.rng.expovariate(1)) - guide[1])
        named = [of_written(parsed(f"{term}")[0]) for term, _ in guides]
        return [stage for stage in (self.product.sized(stage) for stage in named if stage and stage[0])
                if self.product.is_whole(stage)]

    def stages_here(self, term):
        """The stages of a small e-graph that is grown from a term."""
        if term not in self.here:
            self.here[term], built = grown(self.cairn, self.system, term, self.product, [SMALL])
            self.count(built)
        return self.here[term]

    def count(self, built):
        """Books an e-graph."""
        self.said["work"] += built
        self.said["e_graphs"] += 1
        self.said["largest"] = max(self.said["largest"], built)

    def reach(self, term, stage, cap):
        """The smallest term of a stage, or of the goal, and which of both it has; what was tried is known."""
        key = term, stage, cap
        if key not in self.known:
            goal = self.goal if stage == self.wanted else f"(or {self.goal} {sketch(stage)})"
            found = smallest(self.cairn, self.system, term, goal, cap)
            self.count(found.work)
            self.known[key] = None
            if found.term is not None:
                self.said["steps"] += len(found.proof.steps)
                # More programs satisfy a sketch than are read as its stage.
                is_goal = self.wanted in stages_had(self.cairn, self.system, str(found.term), self.product)
                self.known[key] = str(found.term), self.wanted if is_goal else stage
        return self.known[key]

    def run(self):
        """What was found, with the stages on the way."""
        begin = lambda: [[self.product.term(), self.product.start(), 0, set()]]
        stops, seen, visits, longest = begin(), {self.product.start()}, 0, STAGES_OF_WALK
        while self.said["work"] < self.args.work and self.said["walks"] < MOST_WALKS:
            visits += 1
            if visits > longest:
                # A wrong turn early on is not made good by trying everything behind it.
                stops, seen, visits, longest = begin(), {self.product.start()}, 1, longest * LONGER
                self.said["walks"] += 1
            stop = stops[-1]
            term, at, questions, tried = stop
            stop[2] += 1
            if questions >= QUESTIONS and len(stops) > 1:
                stops.pop()
                continue
            stages = [stage for stage in self.next_stages(at, term, self.said["walks"] == 1) if stage not in seen | tried]
            if not stages and questions:
                continue  # what is known to lead nowhere
            tried.update(stages)
            # What is wanted first, then the likeliest of what a small e-graph has, then a larger e-graph for the likeliest alone.
            here = self.stages_here(term)
            tries = [(SMALL, self.wanted)] if not questions else []
            tries += [(SMALL, stage) for stage in stages if here is None or stage in here]
            tries += [(LARGE, stage) for stage in stages[:1] if questions and (here is None or stage not in here)]
            for cap, stage in tries:
                there = self.reach(term, stage, cap)
                if there:
                    break
            else:
                continue
            seen.add(there[1])
            tried.discard(there[1])
            stops.append([there[0], there[1], 0, set()])
            if there[1] == self.wanted:
                self.said["reached"] = True
                break
        return self.said | {"way": [sketch(at) for _, at, *_ in stops[1:]]}


def model_of(args, cairn):
    return cairn.Model.load(str(args.out / f"model-{args.seed}")) if args.control is None else None


def is_for_validation(goal):
    """Whether a stage, with names for sizes, is not to be learned as what is wanted."""
    return hashlib.sha256(str(goal).encode()).digest()[0] < 13


def one(args, cairn):
    """A goal, by a process of its own."""
    wanted = of_sketch(parsed(goals()[args.goal])[0])
    print(json.dumps(Search(args, cairn, model_of(args, cairn), TEST, wanted, args.attempt).run()))


def validation_goals():
    """Products and goals, with names, none of which is of the test or learned from: an array in memory, vectors, and what is near them."""
    rng = random.Random("validation")
    nest = (("mapPar", "column-blocks"), ("map", "inner"), ("vectors", "block", "block"))
    for of in sorted(of for of in VALIDATION if of[-1] == "one"):
        for last, outer, kept in [("reduceSeq", "map", None), ("reduceSeq", "map", nest), ("reduceSeqUnroll", "map", nest),
                                  ("reduceSeqUnroll", "mapPar", nest)]:
            loops = [(last if size == "chunk" else "reduceSeq" if size == "chunks" else "map", size) for size in of]
            loops[0] = (outer, of[0])
            at = rng.randrange(2)
            yield draw(rng), (tuple(loops), "vmac", kept and (at, kept))


def validate(args, cairn):
    model = model_of(args, cairn)
    print("| goal | found | seconds | e-nodes | e-graphs | stages |\n| --- | --- | --- | --- | --- | --- |")
    for product, stage in validation_goals():
        began = time.process_time()
        said = Search(args, cairn, model, product, product.sized(stage), args.attempt).run()
        found, seconds = "yes" if said["reached"] else "no", time.process_time() - began
        print(f"| {written(stage)} | {found} | {seconds:.2f} | {said['work']:,} | {said['e_graphs']} | {len(said['way'])} |", flush=True)


def as_strategy(args, path, goal, said):
    """The way that was found, written as the expert's are, each phase with all rules; what the program says and takes."""
    every = "(until-stable (run normal both split reorder copy lower))"
    strategy = " ".join(f"(phase :goal {stage} {every})" for stage in said["way"])
    return rise.measured(path, [args.cairn, "optimise", "--system", rise.RULES, "--term", rise.START, "--format", "json",
                                "--quiet", "--scheduler", "simple", "--cost", "size", "--cap", "256MiB",
                                "--strategy", strategy, "--goal", goal])


def test(args, _):
    print("| goal | found | seconds | MiB | e-nodes | e-graphs | largest | stages | as a strategy | seconds | MiB | e-nodes |")
    print("| --- " * 12 + "|")
    for goal, text in goals().items():
        for attempt in range(args.tries):
            name = f"{goal}-{args.seed}-{attempt}" + (f"-{args.control}" if args.control else "")
            command = [sys.executable, __file__, "one", "--out", args.out, "--seed", str(args.seed), "--goal", goal, "--attempt",
                       str(attempt), "--work", str(args.work), "--guides", str(args.guides)]
            said = rise.measured(args.out / f"{name}.json", command + (["--control", args.control] if args.control else []))
            cells = [goal, "yes" if said["reached"] else "no", f"{said['seconds']:.2f}", f"{said['resident']:.1f}",
                     f"{said['work']:,}", said["e_graphs"], f"{said['largest']:,}", len(said["way"])]
            if said["reached"]:
                alone = as_strategy(args, args.out / f"{name}-strategy.json", text, said)
                cells += ["no" if alone["code"] else "yes", f"{alone['seconds']:.2f}", f"{alone['resident']:.1f}",
                          f"{alone['work']:,}"]
            print(f"| {' | '.join(map(str, cells))} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["learn", "test", "one", "validate"])
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--cairn", type=pathlib.Path, default=ROOT / "target/release/cairn")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--walks", type=int, default=12)
    parser.add_argument("--triples", type=int, default=30_000)
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--tries", type=int, default=3, help="of each goal, with other random numbers")
    parser.add_argument("--guides", type=int, default=8, help="stages that are written at a time")
    parser.add_argument("--work", type=int, default=WORK)
    parser.add_argument("--control", choices=["walk"])
    parser.add_argument("--goal", choices=rise.GOALS)
    parser.add_argument("--attempt", type=int, default=0)
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    import cairn_eqsat
    {"learn": learn, "test": test, "one": one, "validate": validate}[args.what](args, cairn_eqsat)


if __name__ == "__main__":
    main()
