#!/usr/bin/env python3
"""Is more data worth more than a larger network? Trains every size on every fraction of the data with every seed
(`cairn train`), and fits power laws L = a·x^(−b) + c to the validation losses.

    python3 scripts/scaling.py --data data/halide --out ladder --steps 2000
    python3 scripts/scaling.py --data data/halide --out ladder --steps 2000 --widths 32,64 --fractions 0.25,1 --seeds 0,1

A size is the configuration in another width: the feed-forward layer grows with it, and the learning rate falls as it
grows beyond the configuration's own. On a fraction f of the triples a run takes √f of --steps. It is validated twelve
times, on all of the validation split, and ends after three validations without a lower loss.

The same command goes on after an interruption: a run that has ended is not done again, and one that was stopped goes
on. With --shard I/N only every N-th run is done, the I-th first; shards work in one --out. The command without
--shard then makes what one machine makes of all runs. scripts/slurm/ladder.sh does this on a cluster. --out gets a directory for each run, `runs.csv`, `laws.json`, `scaling.md` and `scaling_*.svg`. A run's loss is its
lowest, in nats per token of a guide. N are its parameters without the table of embeddings, C = 6·N·D FLOPs with D the
tokens that it was trained on.

Laws are fitted by least squares of L/(a·x^(−b) + c) − 1, with c = 0 where an F-test at 5 % does not tell it from 0.
Intervals (95 %) come from 1,000 bootstraps: each draws the residuals anew, as normal numbers of their own size.

Needs numpy, scipy and matplotlib (scripts/requirements.txt).
"""

import argparse
import csv
import hashlib
import json
import math
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import matplotlib
import numpy
from scipy.optimize import least_squares
from scipy.stats import f as f_distribution

matplotlib.use("svg")
matplotlib.rcParams["svg.hashsalt"] = "cairn"
from matplotlib import pyplot  # noqa: E402  (after the backend is chosen)

ROOT = Path(__file__).resolve().parent.parent
VALIDATIONS = 12
PATIENCE = 3
BOOTSTRAPS = 1_000
COLUMNS = ["run", "width", "fraction", "seed", "parameters", "N", "triples", "tokens", "flops", "steps", "ended", "loss", "unigram"]


def numbers(kind):
    def read(text):
        try:
            found = [kind(part) for part in text.split(",")]
        except ValueError:
            raise argparse.ArgumentTypeError(f"'{text}': expected numbers with commas between them") from None
        if len(set(found)) < len(found):
            raise argparse.ArgumentTypeError(f"'{text}': a number is there twice")
        return found

    return read


def shard(text):
    found = re.fullmatch(r"(\d+)/(\d+)", text)
    if not found or int(found[1]) >= int(found[2]):
        raise argparse.ArgumentTypeError(f"'{text}': expected I/N with I from 0 to N-1, as 0/8")
    return int(found[1]), int(found[2])


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="directory of a dataset")
    parser.add_argument("--out", type=Path, required=True, help="directory for the runs and the results")
    parser.add_argument("--steps", type=int, required=True, help="of a run on all of the data")
    parser.add_argument("--config", type=Path, default=ROOT / "configs/model/tiny.toml", help="what sizes are made of [tiny]")
    parser.add_argument("--widths", type=numbers(int), default=[32, 64, 128, 256])
    parser.add_argument("--fractions", type=numbers(float), default=[0.125, 0.25, 0.5, 1.0])
    parser.add_argument("--seeds", type=numbers(int), default=[0])
    parser.add_argument("--threads", type=int, help="of each training [all]")
    parser.add_argument("--shard", type=shard, metavar="I/N", help="do only every N-th run, from run I on, and fit nothing")
    parser.add_argument("--cairn", type=Path, default=ROOT / "target/release/cairn", help="the program")
    given = parser.parse_args()
    if given.steps < 1:
        parser.error(f"--steps {given.steps}: expected at least 1")
    if not all(0 < fraction <= 1 for fraction in given.fractions):
        parser.error("--fractions: expected numbers above 0, at most 1")
    for path in [given.config, given.cairn, given.data / "dataset_info.json"]:
        if not path.is_file():
            parser.error(f"{path} is no file")
    return given


def replaced(text, section, **values):
    """The configuration with other values of keys of a section, which may not be there yet."""
    for key, value in values.items():
        line = f"{key} = {value}"
        text, found = re.subn(rf"(?m)^{key} *=.*$", line, text)
        if not found:
            text = text.replace(f"[{section}]\n", f"[{section}]\n{line}\n")
    return text


def configuration(base, width, steps):
    """The base in another width, for so many steps."""
    value = {key: float(re.search(rf"(?m)^{key} *= *([^ #\n]+)", base)[1]) for key in ["width", "feed_forward", "learning_rate", "warmup_steps"]}
    wider = width / value["width"]
    text = replaced(base, "model", width=width, feed_forward=max(1, round(value["feed_forward"] * wider)))
    return replaced(
        text,
        "training",
        steps=steps,
        learning_rate=value["learning_rate"] / max(1.0, wider),
        warmup_steps=min(round(value["warmup_steps"]), steps // 10),
        evaluate_every=math.ceil(steps / VALIDATIONS),
        validation_triples=10**9,
        patience=PATIENCE,
    )


def keep_or_refuse(path, content):
    """Writes what was asked for; another ladder does not take the place of the one that is there."""
    if path.exists() and json.loads(path.read_text()) != content:
        sys.exit(f"{path} is of another ladder: choose another directory")
    write_whole(path, json.dumps(content, indent=2) + "\n")


def write_whole(path, text):
    """The file has its name when all of it is there; other shards may write the same one."""
    partial = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    partial.write_text(text)
    partial.rename(path)


def train(given, name, width, fraction, seed, base):
    """Trains a run, or goes on with it, and says what it came to."""
    out = given.out / name
    record = given.out / f"{name}.json"
    if record.exists():
        return json.loads(record.read_text())
    steps = max(1, round(given.steps * math.sqrt(fraction)))
    config = given.out / f"{name}.toml"
    config.write_text(configuration(base, width, steps))
    command = [given.cairn, "train", "--data", given.data, "--out", out, "--seed", str(seed), "--quiet"]
    command += ["--fraction", str(fraction)] if fraction < 1 else []
    command += ["--threads", str(given.threads)] if given.threads else []
    command += ["--resume"] if (out / "config.json").exists() else ["--config", config]
    done = subprocess.run(command, stdout=subprocess.DEVNULL).returncode
    if done:
        sys.exit(f"{name}: cairn train ended with exit code {done}; the same command goes on")
    inspected = json.loads(subprocess.run([given.cairn, "inspect", out, "--format", "json"], check=True, stdout=subprocess.PIPE).stdout)
    log = inspected["log"]
    best, last = min(log, key=lambda line: line["validation_loss"]), log[-1]
    network = inspected["parameters"] - inspected["embedding_parameters"]
    row = {
        "run": name,
        "width": width,
        "fraction": fraction,
        "seed": seed,
        "parameters": inspected["parameters"],
        "N": network,
        "triples": round(fraction * inspected["dataset"]["splits"]["train"]["num_examples"]),
        "tokens": last["tokens"],
        "flops": 6 * network * last["tokens"],
        "steps": last["step"],
        "ended": "patience" if last["step"] < steps else "steps",
        "loss": best["validation_loss"],
        "unigram": best["unigram_loss"],
    }
    write_whole(record, json.dumps(row, indent=2) + "\n")
    return row


def law(x, loss, parameters):
    """a·x^(−b) + c, with x over its geometric mean so that the three are of like size."""
    a, b, c = parameters
    return numpy.exp(a) * x ** -b + c


def fitted(x, loss, with_c, begin=(0.0, 0.3, 0.0)):
    def residuals(p):
        return law(x, loss, (p[0], p[1], p[2] if with_c else 0.0)) / loss - 1

    begin = list(begin[: 3 if with_c else 2])
    bounds = ([-20, -1, 0][: len(begin)], [20, 3, loss.min()][: len(begin)])
    begin[0] = begin[0] or math.log(loss.mean())
    found = least_squares(residuals, begin, bounds=bounds)
    return (*found.x, *([] if with_c else [0.0])), 2 * found.cost


def fit(points):
    """The law of points (x, loss) with its intervals; None for fewer than three different x."""
    x, loss = (numpy.array(part, dtype=float) for part in zip(*points))
    if len(set(x)) < 3:
        return None
    scale = numpy.exp(numpy.log(x).mean())
    x = x / scale
    (best, squares), with_c = fitted(x, loss, False), False
    left = len(x) - 3
    if len(set(x)) > 3:
        full, less = fitted(x, loss, True)
        with_c = (squares - less) * left > f_distribution.ppf(0.95, 1, left) * less
        best, squares = (full, less) if with_c else (best, squares)
    random = numpy.random.default_rng(0)
    spread = math.sqrt(squares / max(1, len(x) - (3 if with_c else 2)))
    said = law(x, loss, best)
    draws = []
    for _ in range(BOOTSTRAPS):
        drawn = numpy.maximum(said * (1 + spread * random.standard_normal(len(x))), 1e-9)
        draws.append(fitted(x, drawn, with_c, best)[0])
    low, high = numpy.percentile(numpy.array(draws), [2.5, 97.5], axis=0)
    a, b, c = best
    return {
        "a": math.exp(a) * scale**b, "b": b, "c": c, "points": len(x),
        "b_interval": [low[1], high[1]], "c_interval": [low[2], high[2]] if with_c else None,
    }  # fmt: skip


def frontier(rows):
    """The runs that no other beats with as little compute."""
    best = math.inf
    for row in sorted(rows, key=lambda row: (row["flops"], row["loss"])):
        if row["loss"] < best:
            best = row["loss"]
            yield row


def laws(rows):
    """What is fitted: (against, group, law, points)."""
    found = []
    for against, x, group in [("parameters", "N", "fraction"), ("data", "triples", "width")]:
        for value in sorted({row[group] for row in rows}):
            points = [(row[x], row["loss"]) for row in rows if row[group] == value]
            found.append((against, f"{group} {value:g}", fit(points), points))
    points = [(row["flops"], row["loss"]) for row in frontier(rows)]
    return [*found, ("compute", "best for their compute", fit(points), points)]


def draw(out, against, name, found, rows):
    figure, axes = pyplot.subplots(figsize=(7, 4.5))
    if against == "compute":
        axes.plot([row["flops"] for row in rows], [row["loss"] for row in rows], ".", color="0.7")
    for i, (_, group, law_, points) in enumerate(entry for entry in found if entry[0] == against):
        x, loss = zip(*points)
        axes.plot(x, loss, "o", color=f"C{i}", label=group)
        if law_:
            line = numpy.geomspace(min(x), max(x), 100)
            axes.plot(line, law_["a"] * line ** -law_["b"] + law_["c"], color=f"C{i}")
    axes.axhline(rows[0]["unigram"], color="0.5", linestyle=":", label="unigram model")
    axes.set(xscale="log", yscale="log", xlabel=name, ylabel="validation loss (nats per token)")
    axes.legend(fontsize="small")
    figure.savefig(out / f"scaling_{against}.svg", metadata={"Date": None}, bbox_inches="tight")
    pyplot.close(figure)


def write(out, rows):
    with (out / "runs.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    found = laws(rows)
    content = [{"against": against, "of": group, "law": law_} for against, group, law_, _ in found]
    (out / "laws.json").write_text(json.dumps(content, indent=2) + "\n")
    lines = ["| loss against | of | a | b | b, 95 % | c | points |", "| --- | --- | ---: | ---: | --- | ---: | ---: |"]
    for against, group, law_, points in found:
        if law_:
            low, high = law_["b_interval"]
            numbers_ = [f"{law_['a']:.3g}", f"{law_['b']:.3f}", f"{low:.3f} to {high:.3f}", f"{law_['c']:.3f}", law_["points"]]
        else:
            numbers_ = ["", "too few sizes or fractions", "", "", len(points)]
        lines.append("| " + " | ".join(map(str, [against, group, *numbers_])) + " |")
    shown = ["run", "N", "triples", "tokens", "flops", "steps", "ended", "loss"]
    lines += ["", f"| {' | '.join(shown)} |", "| --- " * len(shown) + "|"]
    for row in rows:
        cells = {**row, "flops": f"{row['flops']:.2e}", "loss": f"{row['loss']:.3f}"}
        lines.append("| " + " | ".join(str(cells[column]) for column in shown) + " |")
    (out / "scaling.md").write_text("\n".join(lines) + "\n")
    for against, name in [("parameters", "parameters without embeddings"), ("data", "triples"), ("compute", "FLOPs")]:
        draw(out, against, name, found, rows)


def main():
    given = arguments()
    base = given.config.read_text()
    given.out.mkdir(parents=True, exist_ok=True)
    dataset = hashlib.sha256((given.data / "dataset_info.json").read_bytes()).hexdigest()
    keep_or_refuse(given.out / "ladder.json", {"steps": given.steps, "config": base, "dataset": dataset})
    asked = [(w, f, s) for s in given.seeds for w in sorted(given.widths) for f in sorted(given.fractions)]
    # The shortest first.
    asked.sort(key=lambda run: run[0] ** 2 * math.sqrt(run[1]))
    rows = []
    for number, (width, fraction, seed) in enumerate(asked, 1):
        if given.shard and (number - 1) % given.shard[1] != given.shard[0]:
            continue
        name = f"width-{width}-fraction-{fraction:g}-seed-{seed}"
        print(f"run {number} of {len(asked)}: {name}", flush=True)
        rows.append(train(given, name, width, fraction, seed, base))
        print(f"    loss {rows[-1]['loss']:.3f} (unigram {rows[-1]['unigram']:.3f})", flush=True)
    if given.shard:
        return
    write(given.out, rows)
    print((given.out / "scaling.md").read_text(), end="")


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    main()
