#!/usr/bin/env python3
"""The stages of matrix multiplication that an expert writes for `rise`, written by a model: it learns from walks through
small e-graphs of other products, without goals and without an expert's word, and is tested on the seven goals of rise.py.

    scripts/experiments/beds/rise_plans.py learn --out DIR [--walks 65] [--steps 2000] [--seed 0] [--orders any]
    scripts/experiments/beds/rise_plans.py test --out DIR [--seed 0] [--tries 3] [--control walk] [--work 400000]

`learn` draws products of other, smaller sizes, with blocks of other sizes than 32 and 4. A walk begins at such a product. A small
e-graph is grown with all rules, and all nests of loops that it has are read from it: these are stages (stages/nests_of.py
says which). The walk goes on from the smallest term of a stage of a kind that is rare so far. So it is known which stages follow
which, at how many e-nodes. The model learns the ways of the fewest e-nodes: given where the search is and what is wanted, it
writes the next stage. Stages with six loops in the order of one of the seven goals are not gone to, not wanted and not learned,
but with `--orders any`. The model sees sizes by name (`rows`, `column-blocks`, `chunk`), the script puts in the numbers.

`test` goes from the product of rise.py to each goal. An e-graph with all rules, no strategy, is grown until it has the goal,
then until it has the stage that the model holds for likeliest, then the next one, and again larger ones; the search goes on from the
smallest term of what is reached, with a checked proof for each step, and begins anew after many stages. Each goal is a run of its
own, with one thread; its seconds of processor and most memory are those of the whole process, with Python and the model. Where the goal
was reached, the stages on the way are run once more by the program alone, as a strategy like those of the expert. With
`--control walk` the next stage is drawn from those of the e-graph.

Makes the table of docs/results.md, "Matrix multiplication: a model writes the stages". Needs a release build, the package for Python
(docs/python.md) and pyarrow, no data; learning takes ten minutes on one core, the test seven. Finished steps are kept in DIR: the same
command goes on where it was.
"""
import argparse
import collections
import hashlib
import heapq
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
# Of the test: e-nodes of the first e-graph of a stage and of the second, over all, questions about a
# stage, stages before it begins anew, and how often it does at most.
CAPS = (4_000, 20_000)
WORK = 3_000_000
QUESTIONS, MOST_STAGES, LONGER, MOST_WALKS = 2, 40, 1.5, 100
# What a stage on a way costs beside its e-nodes, and ways to a stage that are learned from.
HOP, MOST_WAYS = 500, 4
# E-nodes of a search of a round.
ROUND_WORK = 200_000
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
    there; none if there are too many."""
    egraph, there = cairn.EGraph(system), {}
    egraph.add(term)
    for nodes in levels:
        report = egraph.run(nodes=nodes, scheduler="simple", threads=1)
        for stage in stages_of(egraph.classes(), egraph.find(term), product) or ():
            there.setdefault(stage, nodes)
        if report.stop == "saturated":
            break
    return dict(sorted(there.items(), key=str))


def smallest(cairn, system, term, goal, cap):
    """The smallest term of a sketch in the first e-graph that has one, within a cap."""
    return cairn.optimise(system, term, goal=goal, first=True, cost="size", scheduler="simple", cap=cap, work=cap, threads=1)


def pick(rng, stages):
    """A stage; kinds first, so that there are as many of rare ones as of common ones."""
    kinds = collections.defaultdict(list)
    for stage in stages:
        kinds[len(stage[0]), stage[1], bool(stage[2])].append(stage)
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
        here = {stage: nodes for stage, nodes in grown(cairn, system, term, product, LEVELS).items()
                if stage[1] != "mul" and order(product.named(stage)) not in never}
        steps.append((product.named(at), [(product.named(stage), nodes) for stage, nodes in here.items()]))
        of = worth[kind(at)]
        of[0] += len(here.keys() - seen)
        of[1] += 1
        seen |= here.keys()
        open_stages |= {stage: term for stage in here if stage not in been}
        while open_stages:
            kinds = collections.defaultdict(list)
            for stage in open_stages:
                kinds[kind(stage)].append(stage)
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
    print(sorted(((n[0] // n[1], n[1], of) for of, n in worth.items() if n[1]), reverse=True)[:30])
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


def triples_of(ways, tasks, rng, count):
    """Where a search is, what comes next and what is wanted, on known ways; kinds of what is wanted are equally frequent. Of two
    triples one is of what searches went to, if there were any."""
    groups = []
    for stages in ways.to, tasks:
        kinds = collections.defaultdict(list)
        for stage in sorted(stages, key=str):
            if stage in ways.to and len(ways.best(stage)[0]) > 1:
                kinds[kind(stage)].append(stage)
        for of in kinds.values():
            rng.shuffle(of)
        if kinds:
            groups.append([kinds[name] for name in sorted(kinds)])
    print(f"stages with ways: {len(ways.to)}, of tasks {sum(map(len, groups[-1]))}", flush=True)
    rows, number = [], 0
    while len(rows) < count:
        kinds = groups[number % len(groups)]
        of = kinds[number // len(groups) % len(kinds)]
        goal = of[number // len(groups) // len(kinds) % len(of)]
        number += 1
        best = ways.best(goal)
        way = best[0] if rng.randrange(2) else rng.choice(best)
        rows += [(at, stage, goal) for at, stage in itertools.pairwise(way)]
    return rows


def draw_goal(rng):
    """A stage of six loops at most with names for sizes: any order of the loops, perhaps lowered, perhaps with an array in memory."""
    parts = [[("map", "row-blocks"), ("map", "block")] if rng.randrange(4) else [("map", "rows")],
             [("map", "column-blocks"), ("map", "block")] if rng.randrange(4) else [("map", "columns")],
             [("reduceSeq", "chunks"), ("reduceSeq", "chunk")] if rng.randrange(4) else [("reduceSeq", "inner")]]
    loops = []
    while any(parts):
        loops.append(rng.choice([part for part in parts for _ in part]).pop(0))
    end, kept = "mac", None
    if loops[-1] == ("map", "block") and rng.randrange(2):
        loops[-1], end = ("map", "one"), "vmac"
    if rng.randrange(2):
        loops = [("reduceSeqUnroll", size) if name == "reduceSeq" and rng.randrange(2) else (name, size) for name, size in loops]
    if loops[0][0] == "map" and rng.randrange(2):
        loops[0] = ("mapPar", loops[0][1])
    if rng.randrange(3):
        kept = (rng.choice([0, 1, 1, 2, 2, 3]), ((rng.choice(["map", "mapPar"]), "column-blocks"), ("map", "inner"),
                rng.choice([("map", "block"), ("vectors", "block", "block")])))
    return tuple(loops), end, kept


def searched(args, cairn, number, rates, never):
    """The searches of a round, for goals that are drawn: mostly of kinds of which about half were reached."""
    path = args.out / f"found-{number}.jsonl"
    done = path.read_text().splitlines() if path.exists() else []
    rng, model, began = random.Random(f"{args.seed} round {number}"), None, time.process_time()
    weight = lambda of: 4 * (p := (rates[of][0] + 1) / (rates[of][1] + 2)) * (1 - p) + 0.05
    with path.open("a") as file:
        for task in range(args.tasks):
            drawn = [goal for goal in (draw_goal(rng) for _ in range(20)) if order(goal) not in never]
            goal = rng.choices(drawn, [weight(kind(goal)) for goal in drawn])[0]
            product = draw(rng)
            if task < len(done):
                continue
            model = model or cairn.Model.load(str(args.out / f"model-{number - 1}"))
            limits = argparse.Namespace(**vars(args) | {"work": ROUND_WORK})
            said, ways = Search(limits, cairn, model, product, product.sized(goal), f"{args.seed} {number} {task}").run()
            line = json.dumps({"goal": goal, "reached": said["reached"], "work": said["work"], "ways": ways})
            file.write(f"{line}\n")
            file.flush()
            done.append(line)
    found = [json.loads(line) for line in done[:args.tasks]]
    table = collections.defaultdict(lambda: [0, 0])
    for one in found:
        goal = frozen(one["goal"])
        for of in (kind(goal), "all", f"{goal[1]} {goal[2] and goal[2][1][-1][0]}", f"{len(goal[0])} {goal[2] and 'kept'}"):
            table[of][0] += one["reached"]
            table[of][1] += 1
    print(f"round {number}, {time.process_time() - began:.0f} s:",
          {of: f"{n[0]}/{n[1]}" for of, n in sorted(table.items()) if "[" not in of}, flush=True)
    return found, table


def learn(args, cairn):
    never = held_out() | VALIDATION
    ways, tasks, rates = Ways(never), set(), {}
    for one in walks(args, cairn):
        for nodes, way in ways_of(one):
            ways.add(nodes, way)
    train(args, 0, ways, tasks)
    for number in range(1, args.rounds + 1):
        found, more = searched(args, cairn, number, collections.defaultdict(lambda: [0, 0], rates), never)
        rates |= more
        for one in found:
            for nodes, way in one["ways"]:
                ways.add(nodes, frozen(way))
                tasks.add(frozen(way[-1]))
        train(args, number, ways, tasks)


def train(args, number, ways, tasks):
    """The model of a round, from the weights of the one before it."""
    from triples import write_dataset  # not where memory is measured

    data, model = args.out / f"data-{number}", args.out / f"model-{number}"
    if not (data / "dataset_info.json").exists():
        rng = random.Random(f"{args.seed} ways {number}")
        rows = {"train": [], "validation": []}
        for at, stage, goal in triples_of(ways, tasks, rng, args.triples):
            # What is wanted is in one split, however its sizes are.
            split = "validation" if is_for_validation(goal) else "train"
            rows[split].append(tuple(map(written, (at, stage, goal))))
        write_dataset(data, STAGES, rows)
    config = args.out / "planner.toml"
    config.write_text(CONFIG)
    done = args.out / f"trained-{number}"
    if not done.exists():
        options = ["--resume"] if (model / "training_state").exists() else []
        if number:
            options += ["--from", args.out / f"model-{number - 1}"]
        began = time.time()
        said = run(args.cairn, "train", "--data", data, "--out", model, "--config", config, "--seed", args.seed, "--steps",
                   args.more_steps if number else args.steps, "--threads", 1, "--quiet", *options)
        done.write_text(f"{said.strip()}; {time.time() - began:.0f} s\n")
    print(done.read_text().strip(), flush=True)


def stages_had(cairn, system, term, product, stages):
    """Which of the stages a term has."""
    egraph = cairn.EGraph(system)
    egraph.add(term)
    of = stages_of(egraph.classes(), egraph.find(term), product) or ()
    return [stage for stage in stages if stage in of]


class Search:
    """Goes from a product to a goal with stages that a model writes, or drawn if there is none, on the way."""

    def __init__(self, args, cairn, model, product, wanted, seed):
        self.args, self.cairn, self.model, self.product, self.wanted = args, cairn, model, product, wanted
        self.rng = random.Random(f"{seed} follow")
        self.system, self.language = cairn.System.from_rules(rules(product.b, product.c)), cairn.System.load(str(STAGES))
        self.goal, self.target = sketch(wanted), self.language.term(written(product.named(wanted)))
        self.known = {}
        self.said = {"reached": False, "work": 0, "e_graphs": 0, "asked": 0, "model": 0.0, "largest": 0, "steps": 0, "walks": 1}

    def next_stages(self, at, term, first):
        """What may come next, the likeliest first, in the first walk; in others the order is drawn, so that other ways are gone."""
        if self.model is None:
            here = list(grown(self.cairn, self.system, term, self.product, CAPS[:1]))
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

    def reach(self, term, stage, cap):
        """The smallest term of a stage, or of the goal, and which of both it has, with the e-nodes; what was tried is known."""
        key = term, stage, cap
        if key not in self.known:
            found = smallest(self.cairn, self.system, term,
                             self.goal if stage == self.wanted else f"(or {self.goal} {sketch(stage)})", cap)
            self.said["work"] += found.work
            self.said["e_graphs"] += found.e_graphs
            self.said["largest"] = max(self.said["largest"], found.work)
            there = None
            if found.term is not None:
                self.said["steps"] += len(found.proof.steps)
                has = stages_had(self.cairn, self.system, str(found.term), self.product, [self.wanted, stage])
                there = has and (str(found.term), has[0], min(found.work, cap))
            self.known[key] = there or None
        return self.known[key]

    def run(self):
        """What was found: the stages on the way, and all ways that were gone, each with its e-nodes."""
        begin = lambda: [[self.product.term(), self.product.start(), 0, set(), 0]]
        stops, seen, visits, longest, ways = begin(), {self.product.start()}, 0, self.args.stages, {}
        while self.said["work"] < self.args.work and self.said["walks"] < MOST_WALKS:
            visits += 1
            if visits > longest:
                # A wrong turn early on is not made good by trying everything behind it.
                stops, seen, visits, longest = begin(), {self.product.start()}, 1, longest * LONGER
                self.said["walks"] += 1
            stop = stops[-1]
            term, at, questions, tried, nodes = stop
            stop[2] += 1
            if questions >= QUESTIONS and len(stops) > 1:
                stops.pop()
                continue
            stages = [stage for stage in self.next_stages(at, term, self.said["walks"] == 1) if stage not in seen | tried]
            if not stages and questions:
                continue  # what is known to lead nowhere
            tried.update(stages)
            # The goal first, then the likeliest: what is reached first of several need not lead anywhere.
            near = [(CAPS[0], self.wanted)] if not questions else []
            for cap, stage in near + list(itertools.product(CAPS, stages)):
                there = self.reach(term, stage, cap)
                if there:
                    break
            else:
                continue
            seen.add(there[1])
            tried.discard(there[1])
            stops.append([there[0], there[1], 0, set(), nodes + there[2] + HOP])
            ways[tuple(self.product.named(stop[1]) for stop in stops)] = stops[-1][-1]
            if there[1] == self.wanted:
                self.said["reached"] = True
                break
        return self.said | {"way": [sketch(at) for _, at, *_ in stops[1:]]}, [(nodes, way) for way, nodes in ways.items()]


def model_of(args, cairn):
    return cairn.Model.load(str(args.out / f"model-{args.model}")) if args.control is None else None


def is_for_validation(goal):
    """Whether a stage, with names for sizes, is not to be learned as what is wanted."""
    return hashlib.sha256(str(goal).encode()).digest()[0] < 13


def one(args, cairn):
    """A goal, by a process of its own."""
    wanted = of_sketch(parsed(goals()[args.goal])[0])
    print(json.dumps(Search(args, cairn, model_of(args, cairn), TEST, wanted, args.attempt).run()[0]))


def validation_goals():
    """Products and goals, with names, none of which is of the test or learned from: an array in memory, vectors, and what is near them."""
    rng = random.Random("validation")
    nest = (("mapPar", "column-blocks"), ("map", "inner"), ("vectors", "block", "block"))
    for of in sorted(of for of in VALIDATION if of[-1] == "one"):
        for last, outer, kept in [("reduceSeq", "map", None), ("reduceSeq", "map", nest), ("reduceSeqUnroll", "map", nest), ("reduceSeqUnroll", "mapPar", nest)]:
            loops = [(last if size == "chunk" else "reduceSeq" if size == "chunks" else "map", size) for size in of]
            loops[0] = (outer, of[0])
            at = rng.randrange(2)
            yield draw(rng), (tuple(loops), "vmac", kept and (at, kept))


def validate(args, cairn):
    model, began = model_of(args, cairn), time.process_time()
    reached = 0
    for number, (product, stage) in enumerate(validation_goals()):
        said, _ = Search(args, cairn, model, product, product.sized(stage), args.attempt).run()
        reached += said["reached"]
        print(number, written(stage), said["reached"], said["work"], said["walks"], said["asked"], f"{time.process_time() - began:.1f} s",
              [written(product.named(of_sketch(parsed(way)[0]))) for way in said["way"]], flush=True)
    print(f"validation: {reached} reached")


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
    parser.add_argument("--walks", type=int, default=120)
    parser.add_argument("--triples", type=int, default=60_000)
    parser.add_argument("--steps", type=int, default=4000)
    parser.add_argument("--tries", type=int, default=3, help="of each goal, with other random numbers")
    parser.add_argument("--guides", type=int, default=4, help="stages that are written at a time")
    parser.add_argument("--work", type=int, default=WORK)
    parser.add_argument("--rounds", type=int, default=0)
    parser.add_argument("--tasks", type=int, default=150)
    parser.add_argument("--more-steps", type=int, default=1000)
    parser.add_argument("--model", type=int, default=0, help="the round whose model is tested")
    parser.add_argument("--stages", type=int, default=12, help="visits of the first walk")
    parser.add_argument("--orders", choices=["others", "any"], default="others", help="of loops that are learned from")
    parser.add_argument("--control", choices=["walk"])
    parser.add_argument("--goal", choices=rise.GOALS)
    parser.add_argument("--attempt", type=int, default=0)
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    import cairn_eqsat
    {"learn": learn, "test": test, "one": one, "validate": validate}[args.what](args, cairn_eqsat)


if __name__ == "__main__":
    main()
