"""What guides that a small transformer writes buy: the quickstart, and networks that lack something of it."""

import json
import math
import re
import struct

from commands import SCRIPTS, hard_tasks, rows, solved_cells, table

METHODS = ["model"]
TINY = (SCRIPTS.parent / "configs/model/tiny.toml").read_text()
QUICKSTART = (SCRIPTS.parent / "configs/dataset/quickstart.toml").read_text()
WITH_CHAINS = QUICKSTART + '\n[chains]\ncount = 4\nlinks = 6\nfar = true\n'


def network(**changes):
    """The preset `tiny` with other values."""
    text = TINY
    for key, value in changes.items():
        text, found = re.subn(rf"(?m)^{key} = .*$", f"{key} = {value}", text)
        assert found == 1, key
    return text


NETWORKS = {
    "as in the quickstart": (False, network()),
    "chains in training": (True, network()),
    "positions `rope`": (False, network(positions='"rope"', relation_heads="{}")),
    "no positions": (False, network(positions='"none"', relation_heads="{}")),
    "half as wide": (False, network(width=32, feed_forward=128)),
    "twice as wide": (False, network(width=128, feed_forward=512, learning_rate="2e-3")),
}


def trained(run, name, config, data):
    """The directory of a trained network, its numbers in millions, and its loss on validation triples."""
    out = run.out / name
    # A training that was stopped goes on; one that is finished ends at once.
    on = ["--resume"] if (out / "config.json").exists() else ["--config", config]
    run(f"{name}/finished", "train", "--data", data, "--out", out, *on)
    with (out / "model.safetensors").open("rb") as file:
        header = json.loads(file.read(*struct.unpack("<Q", file.read(8))))
    shapes = [tensor["shape"] for key, tensor in header.items() if key != "__metadata__"]
    last = json.loads((out / "train_log.jsonl").read_text().splitlines()[-1])
    return out, sum(math.prod(shape) for shape in shapes) / 1e6, last["validation_loss"]


def section(run, arguments):
    quickstart = run.out / "quickstart"
    run("quickstart/report.html", "quickstart", "--out", quickstart)
    methods = ["all-work", "descend", "shared", "deep", *METHODS, "oracle"]

    def again(name, tasks, model, methods, *options, system="halide"):
        return run.evaluate(name, system, tasks, methods, "--config", "quickstart", "--model", model, *options)

    runs = [again(f"seed-{seed}", quickstart / "tasks.parquet", quickstart / "model", methods, "--seed", seed, system="ring") for seed in [0, 1, 2]]
    hard = hard_tasks(runs[0])
    print(f"\n### The quickstart's {len({row['task'] for row in runs[0]})} tasks, {len(hard)} hard")
    cells = [solved_cells(results, hard, methods) for results in runs]
    table(["method", "solved (hard)", "seed 1", "seed 2"], [[f"`{method}`", *line] for method, line in zip(methods, zip(*cells))])

    # More tasks, so that something can be told.
    data = {}
    for chains, text in [(False, QUICKSTART), (True, WITH_CHAINS)]:
        name = "data-with-chains" if chains else "data"
        config = run.out / f"{name}.toml"
        config.write_text(text)
        data[chains] = run(f"{name}/dataset_info.json", "generate", "--config", config, "--out", run.out / name).parent
    tasks = run("tasks.parquet", "tasks", "--config", "quickstart", "--system", "halide", "--seeds", "halide", "--data", data[False],
                "--count", 160, "--rounds", 32, "--seed", 5, "--out", run.out / "tasks.parquet")
    baselines = run.evaluate("baselines", "halide", tasks, ["all-work", "shared", "deep"], "--config", "quickstart")
    hard = hard_tasks(baselines)
    shared, deep = solved_cells(baselines, hard, ["shared", "deep"])
    print(f"\n### Networks: {len({row['task'] for row in baselines})} tasks, {len(hard)} hard; `shared` {shared}, `deep` {deep}")

    def lines():
        for number, (name, (chains, text)) in enumerate(NETWORKS.items()):
            config = run.out / f"network-{number}.toml"
            config.write_text(text)
            out, size, loss = trained(run, f"network-{number}", config, data[chains])
            results = again(f"network-{number}-results", tasks, out, METHODS)
            yield [name, f"{size:.2f}", f"{loss:.3f}", *solved_cells(results, hard, METHODS)]

    table(["network", "million numbers", "validation loss", *(f"`{method}`" for method in METHODS)], lines())
