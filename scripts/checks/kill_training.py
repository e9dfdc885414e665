#!/usr/bin/env python3
"""Kill trainings at random moments: what comes out in the end must be what an undisturbed run makes.

    python scripts/checks/kill_training.py DATASET [--cairn target/release/cairn] [--times 20] [--steps 600]

Trains a small network to the end; then one that is killed (SIGKILL) so many times, and one that is
asked to end (SIGINT), each time after a random part of what is left, and resumed. Compares the
weights, the optimiser's state, the configuration, the tokenizer and the log without its times. Exit
code 1: something differs. Needs nothing but Python.
"""

import argparse
import json
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

CONFIG = """
[model]
width = 32
heads = 4
relation_heads = {{ ancestor = 2, sibling = 2 }}
encoder_layers = 1
decoder_layers = 1
feed_forward = 64
clip = 4
max_tokens = 64

[training]
steps = {steps}
batch_tokens = 400
learning_rate = 2e-3
warmup_steps = 20
weight_decay = 0.05
clip_norm = 1.0
dropout = 0.1
evaluate_every = 50
validation_triples = 50
checkpoint_minutes = 0.002
"""


def content(directory: Path) -> dict[str, bytes]:
    """What must not depend on when and how often the training was begun."""
    files = {}
    names = ["config.json", "tokenizer.json", "system.rules", "model.safetensors", "loss.svg"]
    for name in names:
        files[name] = (directory / name).read_bytes()
    (state,) = (directory / "training_state").iterdir()
    for name in ["model.safetensors", "optimizer.safetensors"]:
        files[f"{state.name}/{name}"] = (state / name).read_bytes()
    lines = []
    for line in (directory / "train_log.jsonl").read_text().splitlines():
        values = json.loads(line)
        del values["tokens_per_second"], values["seconds_left"], values["time"]
        lines.append(json.dumps(values))
    files["train_log.jsonl"] = "\n".join(lines).encode()
    return files


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("dataset", type=Path)
    parser.add_argument("--cairn", type=Path, default=Path("target/release/cairn"))
    parser.add_argument("--times", type=int, default=20)
    parser.add_argument("--steps", type=int, default=600)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    rng = random.Random(arguments.seed)
    work = Path(tempfile.mkdtemp(prefix="kill-training-"))
    config = work / "config.toml"
    config.write_text(CONFIG.format(steps=arguments.steps))

    def start(out: Path) -> subprocess.Popen:
        command = [arguments.cairn, "train", "--data", arguments.dataset, "--out", out]
        command += ["--config", config, "--quiet"]
        command += ["--resume"] if (out / "config.json").exists() else []
        return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)

    start(work / "warm").wait()  # makes the file of tokens
    began = time.monotonic()
    if start(work / "whole").wait() != 0:
        sys.exit("the undisturbed run failed")
    whole = time.monotonic() - began
    expected = content(work / "whole")
    failed = False
    for kind, code in [(signal.SIGKILL, -9), (signal.SIGINT, 130)]:
        out = work / kind.name
        disturbed = 0
        while True:
            run = start(out)
            if disturbed < arguments.times:
                # A run begins with reading the dataset; some are killed while they do.
                time.sleep(rng.uniform(0.0, 2.5 * whole / arguments.times))
                run.send_signal(kind)
            status = run.wait()
            if status == 0:
                break
            # A signal that comes before the program listens ends it as it ends others.
            if status not in (code, -kind):
                sys.exit(f"{kind.name}: exit code {status}: {run.stderr.read().decode()}")
            disturbed += 1
        same = content(out)
        differing = [name for name in expected if same.get(name) != expected[name]]
        failed |= bool(differing) or same.keys() != expected.keys()
        print(f"{kind.name}: {disturbed} times; {', '.join(differing) or 'the same bytes'}")
    shutil.rmtree(work)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
