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
LEVELS = (250, 1_000, 4_000)
WALK_STAGES = 20
# Of the test: e-nodes of the first e-graph of a stage and of the second, over all, questions about a
# stage, stages before it begins anew, and how often it does at most.
CAPS = (4_000, 20_000)
WORK = 3_000_000
QUESTIONS, MOST_STAGES, MOST_WALKS = 2, 40, 100
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


def walk(cairn, rng, never, times):
    """A walk through the stages of a product: where it was, each with the stages that the e-graph there has and at how many
    e-nodes, all with names for sizes. It goes to stages whose kind is the rarest so far, from any place where it was; `times`
    counts the kinds."""
    product = draw(rng)
    system = cairn.System.from_rules(rules(product.b, product.c))
    steps, been, open_stages = [], {product.start()}, {}
    term, at = product.term(), product.start()
    while len(steps) < WALK_STAGES:
        here = {stage: nodes for stage, nodes in grown(cairn, system, term, product, LEVELS).items()
                if stage[1] != "mul" and order(product.named(stage)) not in never}
        steps.append((product.named(at), [(product.named(stage), nodes) for stage, nodes in here.items()]))
        open_stages |= {stage: term for stage in here if stage not in been}
        while open_stages:
            kinds = collections.defaultdict(list)
            for stage in open_stages:
                kinds[kind(product.named(stage))].append(stage)
            rarest = min(times[of] for of in kinds)
            of = rng.choice(sorted(of for of in kinds if times[of] == rarest))
            at = rng.choice(sorted(kinds[of], key=str))
            times[of] += 1
            been.add(at)
            found = smallest(cairn, system, open_stages.pop(at), sketch(at), 4 * LEVELS[-1])
            if found.term is not None:
                term = str(found.term)
                break
        else:
            break
    return {"product": [product.n, product.m, product.k, product.b, product.c], "steps": steps}


def kind(stage):
    """The order of the loops, how they end, and whether something is kept."""
    return " ".join([*order(stage), stage[1], "kept" if stage[2] else ""])


def walks(args, cairn):
    """All walks; those that are done are read."""
    path, never = args.out / f"walks-{args.seed}.jsonl", held_out() if args.orders == "others" else set()
    done = path.read_text().splitlines() if path.exists() else []
    times = collections.Counter(kind(at) for line in done for at, _ in json.loads(line)["steps"])
    began = time.process_time()
    with path.open("a") as file:
        for number in range(len(done), args.walks):
            line = json.dumps(walk(cairn, random.Random(f"{args.seed} walk {number}"), never, times))
            file.write(f"{line}\n")
            file.flush()
            done.append(line)
            if number % 20 == 19:
                print(f"{number + 1} walks, {time.process_time() - began:.0f} s, {len(times)} kinds", flush=True)
    return [json.loads(line) for line in done[:args.walks]]


def frozen(of):
    return tuple(map(frozen, of)) if isinstance(of, list) else of


def following(all_walks):
    """Which stages follow where a walk was, in half of the walks that were there at least, and the e-nodes that they take."""
    times, seen = collections.Counter(), collections.defaultdict(lambda: collections.defaultdict(list))
    for one in all_walks:
        for at, here in one["steps"]:
            at = frozen(at)
            times[at] += 1
            for stage, nodes in here:
                seen[at][frozen(stage)].append(nodes)
    return {at: {stage: sorted(nodes)[len(nodes) // 2] for stage, nodes in of.items() if 2 * len(nodes) >= times[at]}
            for at, of in seen.items()}


def nearest(ways, goal):
    """What is the least of e-nodes from each stage to one, if `ways` has what leads to a stage with its e-nodes."""
    left, line = {}, [(0, 0, goal)]
    tie = itertools.count(1)
    while line:
        nodes, _, stage = heapq.heappop(line)
        if stage not in left:
            left[stage] = nodes
            for at, more in ways.get(stage, {}).items():
                if at not in left:
                    heapq.heappush(line, (nodes + more, next(tie), at))
    return left


def triples_of(after, rng, count):
    """Where a search is, what may come next and what is wanted, on the ways of the fewest e-nodes, of these over the smallest
    stages; goals that are farther from the product are as frequent as near ones."""
    before = collections.defaultdict(dict)
    for at, stages in after.items():
        for stage, nodes in stages.items():
            before[stage][at] = nodes
    start = TEST.named(TEST.start())
    far = nearest(after, start)
    by_far = collections.defaultdict(list)
    for stage in sorted(far, key=str):
        if stage != start:
            by_far[far[stage] // 1000].append(stage)
    print("stages by thousands of e-nodes to them:", {n: len(of) for n, of in sorted(by_far.items())}, flush=True)
    wanted = {n: rng.sample(of, len(of)) for n, of in by_far.items()}
    rows, number = [], 0
    while len(rows) < count:
        n = sorted(by_far)[number % len(by_far)]
        goal = wanted[n][number // len(by_far) % len(wanted[n])]
        number += 1
        left = nearest(before, goal)
        others = sorted((at for at in left if at != goal), key=str)
        for at in [start] + rng.sample(others, min(7, len(others))):
            while at != goal:
                best = [stage for stage, nodes in after[at].items() if stage in left and left[stage] + nodes == left[at]]
                least = min(len(stage[0]) + len(stage[2] or ()) for stage in best)
                stage = rng.choice(sorted((stage for stage in best if len(stage[0]) + len(stage[2] or ()) == least), key=str))
                rows.append((at, stage, goal))
                at = stage
    return rows


def learn(args, cairn):
    from triples import write_dataset  # not where memory is measured

    data, model = args.out / f"data-{args.seed}", args.out / f"model-{args.seed}"
    if not (data / "dataset_info.json").exists():
        after = following(walks(args, cairn))
        rng = random.Random(f"{args.seed} ways")
        rows = {"train": [], "validation": []}
        for at, stage, goal in triples_of(after, rng, args.triples):
            # What is wanted is in one split, however its sizes are.
            split = "validation" if is_for_validation(goal) else "train"
            rows[split].append(tuple(map(written, (at, stage, goal))))
        write_dataset(data, STAGES, rows)
    config = args.out / "planner.toml"
    config.write_text(CONFIG)
    done = args.out / f"trained-{args.seed}"
    if not done.exists():
        options = ["--resume"] if (model / "training_state").exists() else []
        began = time.time()
        said = run(args.cairn, "train", "--data", data, "--out", model, "--config", config, "--seed", args.seed, "--steps",
                   args.steps, "--threads", 1, "--quiet", *options)
        done.write_text(f"{said.strip()}; {time.time() - began:.0f} s\n")
    print(done.read_text().strip())


def has(cairn, system, term, product, stages):
    """Which of the stages a term has."""
    egraph = cairn.EGraph(system)
    egraph.add(term)
    of = stages_of(egraph.classes(), egraph.find(term), product) or ()
    return [stage for stage in stages if stage in of]


def follow(args, cairn, model, product, goal, seed):
    """Goes from a product to a goal with stages that are written, or drawn if there is no model, on the way."""
    rng = random.Random(f"{seed} follow")
    system, language = cairn.System.from_rules(rules(product.b, product.c)), cairn.System.load(str(STAGES))
    wanted = of_sketch(parsed(goal)[0])
    target = language.term(written(product.named(wanted)))
    said = {"reached": False, "work": 0, "e_graphs": 0, "asked": 0, "model": 0.0, "largest": 0, "steps": 0, "way": []}

    visits = begun = 0

    def next_stages(at, term):
        if model is None:
            here = list(grown(cairn, system, term, product, CAPS[:1]))
            return [pick(rng, here)] if here else []
        began = time.process_time()
        said["asked"] += 1
        guides = model.guides(language.term(written(product.named(at))), target, count=args.guides, max_size=60, nucleus=0.999,
                              seed=rng.randrange(2**32))
        said["model"] += time.process_time() - began
        if begun:  # other ways than the likeliest one, as likely as they are
            guides = sorted(guides, key=lambda guide: math.log(rng.expovariate(1)) - guide[1])
        stages = [product.sized(stage) for term, _ in guides if (stage := of_written(parsed(f"{term}")[0])) and stage[0]]
        return [stage for stage in stages if product.is_whole(stage)]

    stops, seen = [[product.term(), product.start(), 0, set()]], {product.start()}
    while said["work"] < args.work and begun < MOST_WALKS:
        visits += 1
        if visits > MOST_STAGES:
            # A wrong turn early on is not made good by trying everything behind it.
            stops, seen = [[product.term(), product.start(), 0, set()]], {product.start()}
            visits, begun = 0, begun + 1
        stop = stops[-1]
        term, at, questions, tried = stop
        stop[2] += 1
        if questions >= QUESTIONS and len(stops) > 1:
            stops.pop()
            continue
        stages = [stage for stage in next_stages(at, term) if stage not in seen and stage not in tried]
        if not stages and questions:
            continue  # what is known to lead nowhere
        tried.update(stages)
        # The goal first, then the likeliest: what is reached first of several need not lead anywhere.
        near = [(CAPS[0], wanted)] if not questions else []
        for cap, stage in near + list(itertools.product(CAPS, stages)):
            found = smallest(cairn, system, term, goal if stage == wanted else f"(or {goal} {sketch(stage)})", cap)
            said["work"] += found.work
            said["e_graphs"] += found.e_graphs
            said["largest"] = max(said["largest"], found.work)
            if found.term is not None:
                break
        if found.term is None:
            continue
        said["steps"] += len(found.proof.steps)
        there = has(cairn, system, str(found.term), product, [wanted, stage])
        if wanted in there:
            stops.append([str(found.term), wanted, 0, set()])
            said["reached"] = True
            break
        if there:
            seen.add(there[0])
            tried.discard(there[0])
            stops.append([str(found.term), there[0], 0, set()])
    said["way"] = [sketch(at) for _, at, *_ in stops[1:]]
    return said


def model_of(args, cairn):
    return cairn.Model.load(str(args.out / f"model-{args.seed}")) if args.control is None else None


def is_for_validation(goal):
    """Whether a stage, with names for sizes, is not to be learned as what is wanted."""
    return hashlib.sha256(str(goal).encode()).digest()[0] < 13


def one(args, cairn):
    """A goal, by a process of its own."""
    print(json.dumps(follow(args, cairn, model_of(args, cairn), TEST, goals()[args.goal], args.attempt)))


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
    parser.add_argument("what", choices=["learn", "test", "one"])
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--cairn", type=pathlib.Path, default=ROOT / "target/release/cairn")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--walks", type=int, default=120)
    parser.add_argument("--triples", type=int, default=60_000)
    parser.add_argument("--steps", type=int, default=4000)
    parser.add_argument("--tries", type=int, default=3, help="of each goal, with other random numbers")
    parser.add_argument("--guides", type=int, default=4, help="stages that are written at a time")
    parser.add_argument("--work", type=int, default=WORK)
    parser.add_argument("--orders", choices=["others", "any"], default="others", help="of loops that are learned from")
    parser.add_argument("--control", choices=["walk"])
    parser.add_argument("--goal", choices=rise.GOALS)
    parser.add_argument("--attempt", type=int, default=0)
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    import cairn_eqsat
    {"learn": learn, "test": test, "one": one}[args.what](args, cairn_eqsat)


if __name__ == "__main__":
    main()
