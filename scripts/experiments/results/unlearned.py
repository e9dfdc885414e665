"""Which search without learning is best, and with which parameters: on validation tasks, from which
everything else was chosen."""

import csv

from commands import hard_tasks, solved_cells, table

METHODS = ["all-work", "random", "descend", "smallest", "nearest", "shared", "united", "deep", "oracle"]
# Slack, length of walks, cap of expansions; a walk of 1,000 does not end.
PARAMETERS = [(2, 1000, 2000), (3, 16, 2000), (4, 1000, 2000), (4, 16, 2000), (4, 8, 2000), (4, 16, 4000),
              (4, 16, 1333), (4, 16, 1000), (5, 16, 2000), (8, 1000, 2000)]
SEEDS = [0, 1, 2, 3]
# Guides a side that are united.
GUIDES = [1, 3, 10, 30, 100]
# The rows of the file of seeds.
ROWS = slice(441, 1000)


def section(run, arguments):
    seeds = run.out / "seeds.csv"
    if not seeds.exists():
        with arguments.seeds.open(newline="") as file:
            chosen = [row["expression"] for row in csv.DictReader(file)][ROWS]
        with seeds.open("w", newline="") as file:
            csv.writer(file).writerows([["expression"], *([text] for text in chosen)])
    tasks = run("tasks.parquet", "tasks", "--system", "halide", "--seeds", seeds, "--link-nodes", 1000,
                "--count", 160, "--out", run.out / "tasks.parquet")

    def results(name, methods, *options):
        return run.evaluate(name, "halide", tasks, methods, *options)

    everything = results("methods", METHODS)
    hard = hard_tasks(everything)
    count = len({row["task"] for row in everything})

    def work(method):
        mine = [row["work"] for row in everything if row["method"] == method]
        return f"{sum(mine) / len(mine):,.0f}"

    print(f"\n### Methods: {count} tasks, {len(hard)} of them hard")
    cells = solved_cells(everything, hard, METHODS)
    table(["method", "solved (hard)", "work a task"], [[f"`{m}`", cell, work(m)] for m, cell in zip(METHODS, cells)])

    def by_parameters():
        for slack, walk, expansion in PARAMETERS:
            rows = results(f"descend-{slack}-{walk}-{expansion}", ["descend"], "--slack", slack, "--walk", walk, "--expansion", expansion)
            yield [slack, walk, f"{expansion:,}", *solved_cells(rows, hard, ["descend"])]

    print("\n### `descend` with other parameters")
    table(["slack", "walk", "expansion", "solved (hard)"], by_parameters())

    def by_guides():
        for guides in GUIDES:
            runs = [results(f"united-{scheduler}-{guides}", ["united"], "--guides", guides, "--scheduler", scheduler)
                    for scheduler in ["simple", "mixed"]]
            yield [guides, *(solved_cells(rows, hard, ["united"])[0] for rows in runs)]

    print("\n### Guides that are united")
    table(["guides a side", "simple", "best-first and simple in turn"], by_guides())

    def by_seed():
        # Without an option the seed is 0.
        runs = [everything, *(results(f"seed-{seed}", ["descend", "shared", "united", "deep"], "--seed", seed) for seed in SEEDS[1:])]
        for method in ["descend", "shared", "united", "deep"]:
            yield [f"`{method}`", *(solved_cells(rows, hard, [method])[0] for rows in runs)]

    print("\n### Seeds of the random choices")
    table(["method", *(f"seed {seed}" for seed in SEEDS)], by_seed())
