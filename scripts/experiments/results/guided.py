"""What a learned order of matches buys: tasks of disjoint seeds in three families, a ranker for each system,
and the best searches without learning beside it."""

import json

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from commands import hard_tasks, solved_cells, table
from paired import by_method, compare

# Rounds of learning.
ROUNDS = {"halide": 6, "ring": 3}
REFERENCE = 80_000
WORKS = [10_000, 20_000, 40_000, 80_000, 160_000, 320_000]
# Guides a side at a time; the searches take 10 unless another number is asked for.
GUIDES = [3, 30]
GUIDES_AT = [20_000, 80_000]
BASELINES = ["shared", "deep"]
METHODS = [*BASELINES, "ranked"]
LINK = ["--link-nodes", 1000]


def halide_tasks(run, seeds):
    """Training and validation tasks, and test tasks by family, of disjoint seeds."""
    parts = run.out / "seeds"
    run.script("seeds/test.txt", "split_seeds.py", seeds, parts)

    def tasks(name, part, *options):
        path = run.out / f"{name}.parquet"
        return run(path.name, "tasks", "--system", "halide", "--seeds", parts / f"{part}.txt", *LINK, "--out", path, *options)

    learn = tasks("halide-learn", "learn", "--count", 1200, "--rounds", 2, "--seed", 3)
    valid = tasks("halide-valid", "valid", "--count", 100)
    test = {
        "theorem": tasks("theorem", "test", "--count", 800, "--rounds", 4, "--seed", 41, "--family", "theorem"),
        "identity": tasks("identity", "test", "--count", 700, "--rounds", 16, "--seed", 42, "--family", "identity"),
    }
    return learn, valid, test


def ring_tasks(run):
    """The same of random polynomials."""
    files = {}
    without = []
    for part, number, seeds, count in [("learn", 1, 1500, 1500), ("valid", 2, 300, 300), ("test", 3, 900, 700)]:
        text = run.out / f"ring-{part}.txt"
        run(text.name, "seeds", "--system", "ring", "--sizes", "30..80", "--variables", 6, "--least-nodes", 4000,
            "--count", seeds, "--seed", number, "--out", text)
        path = run.out / f"ring-{part}.parquet"
        run(path.name, "tasks", "--system", "ring", "--seeds", text, *LINK, "--count", count, "--rounds", 2,
            "--seed", number, "--out", path, *without)
        without += ["--without", path]
        files[part] = path
    return files["learn"], files["valid"], {"ring": files["test"]}


def subset(tasks, ids, path):
    """Some tasks of a file, in a file of their own."""
    if not path.exists():
        file = pq.ParquetFile(tasks)
        kept = file.read()
        notes = {key: value for key, value in file.metadata.metadata.items() if key != b"ARROW:schema"}
        kept = kept.filter(pc.is_in(kept["id"], value_set=pa.array(sorted(ids))))
        pq.write_table(kept.replace_schema_metadata(notes), path, compression="zstd")
    return path


def family(run, system, name, tasks, ranker, works):
    """The tables of one family."""

    def results(kind, file, methods, work, *options):
        return run.evaluate(f"{name}-{kind}-{work}", system, file, methods, "--work", work, *options)

    rank = ["--ranker", ranker]
    everything = results("unguided", tasks, ["all-work", *BASELINES], REFERENCE)
    everything += results("ranked", tasks, ["ranked"], REFERENCE, *rank)
    hard = hard_tasks(everything)

    def line(work, label, rows):
        solved, seeds = by_method(rows)
        counts = [sum(solved[method].values()) for method in METHODS]
        cells = [f"{count} ({100 * count / len(seeds):.1f} %)" for count in counts]
        return [f"{work:,}", f"{label} {len(seeds)}", *cells, compare(solved, seeds, "ranked", "deep")]

    def lines():
        yield line(REFERENCE, "all", everything)
        for work in works:
            if work == REFERENCE:
                yield line(work, "hard", [row for row in everything if row["task"] in hard])
            else:
                yield line(work, "hard", results("hard", file, BASELINES, work) + results("hard-ranked", file, ["ranked"], work, *rank))

    print(f"\n### {name}")
    file = subset(tasks, hard, run.out / f"{name}-hard.parquet")
    table(["work", "tasks", *(f"`{method}`" for method in METHODS), "`ranked` against `deep`"], lines())

    def means(method):
        mine = [row for row in everything if row["method"] == method]
        mean = lambda key: sum(row[key] for row in mine) / len(mine)
        return [f"`{method}`", sum(row["solved"] for row in mine), f"{mean('work'):,.0f}", f"{mean('seconds'):.2f}", f"{max(row['peak_bytes'] for row in mine) / 2**20:.1f}"]

    table(["method", f"solved of {len(everything) // 4}", "work a task", "s a task", "MiB at most"], map(means, ["all-work", *METHODS]))
    return file, hard


def guides_at_a_time(run, name, file, hard, ranker):
    """Work and guides a side, each pair a run of its own."""
    def lines():
        for work in GUIDES_AT:
            for guides in GUIDES:
                options = ["--work", work, "--guides", guides]
                rows = run.evaluate(f"{name}-hard-{work}-{guides}", "halide", file, BASELINES, *options)
                rows += run.evaluate(f"{name}-hard-ranked-{work}-{guides}", "halide", file, ["ranked"], "--ranker", ranker, *options)
                yield [f"{work:,}", guides, *(cell.split()[0] for cell in solved_cells(rows, hard, METHODS))]

    table(["work", "guides", *(f"`{method}`" for method in METHODS)], lines())


def rounds(run, system, learned):
    """What one e-graph proves by round of learning."""
    print(f"\n### Rounds of `cairn learn`: {system}")
    files = [learned / f"round-{number}.json" for number in range(ROUNDS[system] + 1)]
    said = [json.loads(file.read_text()) for file in files]
    table(["round", "training, of " + str(said[0].get("training", "all")), "validation", "work"],
          [[one["round"], one["trained"] or "", one["proved"], f"{one['work']:,}"] for one in said])


def section(run, arguments):
    """All of it."""
    for system, names in [("halide", {"theorem", "identity"}), ("ring", {"ring"})]:
        names = [name for name in arguments.families if name in names]
        if not names:
            continue
        learn, valid, test = halide_tasks(run, arguments.seeds) if system == "halide" else ring_tasks(run)
        out = run.out / f"{system}-ranker"
        ranker = run(f"{out.name}/ranker.json", "learn", "--system", system, "--tasks", learn,
                     "--validation", valid, "--rounds", ROUNDS[system], "--from-nothing", "--out", out)
        rounds(run, system, out)
        for name in names:
            file, hard = family(run, system, name, test[name], ranker, arguments.works)
            if name == "theorem":
                guides_at_a_time(run, name, file, hard, ranker)
