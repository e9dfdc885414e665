#!/usr/bin/env python3
"""Cairn's network in PyTorch, on weights and batches that Cairn's bench wrote.

    cargo bench -p cairn-model --bench training -- DATA tiny expect DIR
    python scripts/experiments/compare/torch_network.py DIR check
    python scripts/experiments/compare/torch_network.py DIR forward
    python scripts/experiments/compare/torch_network.py DIR step
    python scripts/experiments/compare/torch_network.py DIR step --gpu bf16 --compile

`check` compares loss and gradients of the first batch with those that Cairn computed. The others
time all batches once. Features of nodes and the buckets of relations are given ready-made, outside
of the time; Cairn makes them from tokens within it. scripts/experiments/compare/networks.py runs both in
turn, which makes the table of docs/benchmarks.md, "Beside PyTorch". Needs torch and safetensors (requirements.txt beside this file).
"""

import argparse
import importlib.util
import json
import sys
import time
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Self

import torch
import torch.nn.functional as F
from safetensors.torch import load_file
from torch import Tensor, nn

# The network itself is part of the Python package, which need not be installed for it.
SOURCE = Path(__file__).resolve().parents[3] / "python/python/cairn_eqsat/torch_transformer.py"
SPEC = importlib.util.spec_from_file_location("torch_transformer", SOURCE)
assert SPEC and SPEC.loader
torch_transformer = importlib.util.module_from_spec(SPEC)
sys.modules[SPEC.name] = torch_transformer  # as dataclasses want it
SPEC.loader.exec_module(torch_transformer)
Side, Transformer, buckets_of = (
    torch_transformer.Side, torch_transformer.Transformer, torch_transformer.buckets_of)

PAD = 0
@dataclass
class Batch:
    """A batch of triples."""

    start: Side
    target: Side
    guide: Side
    tokens: Tensor  # what is to be predicted of the guides, [b, n]
    forbidden: Tensor  # tokens that the grammar does not allow, [b, n, v]
    counted: int  # tokens of starts, targets and guides, without padding

    def cuda(self) -> Self:
        """The same on the first GPU."""
        sides = [
            Side(*(getattr(side, f.name).cuda() for f in fields(Side) if f.name != "shape"), side.shape)
            for side in [self.start, self.target, self.guide]
        ]
        return Batch(*sides, self.tokens.cuda(), self.forbidden.cuda(), self.counted)

    def parts(self, tokens: int) -> list[Self]:
        """The batch in parts of at most so many tokens, padding included."""
        sides, parts, a = [self.start, self.target, self.guide], [], 0
        lengths = torch.stack([(side.unseen.amax((1, 2)) == 0).sum(-1) for side in sides], 1)
        for b in range(1, len(lengths) + 1):
            if b < len(lengths) and int(lengths[a : b + 1].amax(0).sum()) * (b + 1 - a) <= tokens:
                continue
            rows = [side.rows(a, b) for side in sides]
            n = rows[2].shape[1]
            part = Batch(*rows, self.tokens[a:b, :n], self.forbidden[a:b, :n], int(lengths[a:b].sum()))
            parts.append(part)
            a = b
        return parts


def read_side(tensors: dict, name: str, config: dict) -> Side:
    """A side of a batch of the file."""
    starts, lengths = tensors[f"{name}.starts"].long(), tensors[f"{name}.lengths"].long()
    b, n = starts.shape
    causal = name.endswith("guide")
    seen = (torch.arange(n) < lengths[:, None])[:, None, None, :]
    if causal:
        seen = seen & torch.ones(n, n, dtype=torch.bool).tril()
    unseen = torch.zeros(seen.shape).masked_fill(~seen, float("-inf"))
    buckets, mirrored = buckets_of(tensors[f"{name}.places"], int(causal), n, config)
    features = tensors[f"{name}.features"].long()
    return Side(features, starts.flatten(), unseen, buckets, mirrored, (b, n))


def read_batches(directory: Path, config: dict) -> list[Batch]:
    """All batches of the file."""
    tensors = load_file(directory / "batches.safetensors")
    batches = []
    while (number := f"{len(batches)}.tokens") in tensors:
        i = len(batches)
        sides = [read_side(tensors, f"{i}.{side}", config) for side in ["start", "target", "guide"]]
        counted = sum(int(tensors[f"{i}.{side}.lengths"].sum()) for side in ["start", "target", "guide"])
        batches.append(Batch(*sides, tensors[number].long(), tensors[f"{i}.allowed"] == 0, counted))
    return batches


class Network(Transformer):
    """The network with its loss."""

    def forward(self, batch: Batch) -> Tensor:
        """The sum of the losses of the tokens of the guides."""
        logits = self.logits(batch.start, batch.target, batch.guide)
        logits = logits.masked_fill(batch.forbidden, float("-inf")).flatten(0, 1)
        return F.cross_entropy(
            logits, batch.tokens.flatten(), ignore_index=PAD, reduction="sum"
        )


def optimizer_of(network: Network, training: dict) -> torch.optim.Optimizer:
    """AdamW in one kernel; matrices decay, vectors don't."""
    matrices = [p for p in network.parameters() if p.dim() > 1]
    vectors = [p for p in network.parameters() if p.dim() == 1]
    groups = [
        {"params": matrices, "weight_decay": training["weight_decay"]},
        {"params": vectors, "weight_decay": 0.0},
    ]
    return torch.optim.AdamW(groups, lr=1e-4, betas=(0.9, 0.98), eps=1e-8, fused=True)


def check(network: Network, batch: Batch, directory: Path) -> None:
    """Compares loss and gradients with Cairn's."""
    expected = load_file(directory / "expected.safetensors")
    loss = network.eval()(batch) / (batch.tokens != PAD).sum()
    loss.backward()
    worst = abs(loss.item() - expected.pop("loss").item())
    for name, gradient in expected.items():
        mine = network.p(name).grad
        worst = max(worst, ((mine - gradient).norm() / gradient.norm().clamp(min=1e-6)).item())
    print(f"loss {loss.item():.6f}, largest relative difference {worst:.1e} of {len(expected)} gradients")
    if worst > 1e-3:
        raise SystemExit("PyTorch computes something else than Cairn")


def resident_mib() -> float:
    """The most memory that the process has had resident, as Linux counts it."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("directory", type=Path)
    parser.add_argument("mode", choices=["check", "forward", "step"])
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--part", type=int, default=1 << 30, help="tokens computed on at a time")
    parser.add_argument("--gpu", choices=["f32", "bf16"], help="on the first GPU, in this precision; three times over")
    parser.add_argument("--compile", action="store_true", help="by torch.compile")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    torch.manual_seed(1)
    config = json.loads((options.directory / "config.json").read_text())
    weights = load_file(options.directory / "model.safetensors")
    batches = read_batches(options.directory, config["model"])
    network = Network(
        config["model"], weights, batches[0].forbidden.shape[-1], config["training"]["dropout"])
    if options.mode == "check":
        check(network, batches[0], options.directory)
        return
    optimizer = optimizer_of(network, config["training"])
    parts = [batch.parts(options.part) for batch in batches]
    if options.gpu:
        network.cuda()
        optimizer = optimizer_of(network, config["training"])
        parts = [[part.cuda() for part in batch] for batch in parts]
    parameters = list(network.parameters())
    loss_of = torch.compile(network, dynamic=False) if options.compile else network

    def loss(part: Batch) -> Tensor:
        with torch.autocast("cuda", torch.bfloat16, enabled=options.gpu == "bf16"):
            return loss_of(part)

    def wait() -> None:
        if options.gpu:
            torch.cuda.synchronize()

    def step(parts: list[Batch]) -> None:
        counted = sum(int((part.tokens != PAD).sum()) for part in parts)
        for part in parts:
            (loss(part) / counted).backward()
        nn.utils.clip_grad_norm_(parameters, 1.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)

    def forward(parts: list[Batch]) -> None:
        with torch.inference_mode():
            for part in parts:
                loss(part).item()

    network.train(options.mode == "step")
    run = step if options.mode == "step" else forward
    passes = 3 if options.gpu else 1
    for batch in parts if options.gpu else parts[:1]:
        run(batch)
    wait()
    began, processor = time.perf_counter(), time.process_time()
    for batch in parts * passes:
        run(batch)
    wait()
    seconds, processor = time.perf_counter() - began, time.process_time() - processor
    tokens = sum(batch.counted for batch in batches) * passes
    print(
        f"{options.mode}: {tokens / seconds:.0f} tokens/s, {tokens / processor:.0f} per processor "
        f"second, {resident_mib():.0f} MiB, {options.threads} threads"
    )
    if options.gpu:
        print(f"{torch.cuda.max_memory_allocated() / 2**20:.0f} MiB of the GPU in tensors")


if __name__ == "__main__":
    main()
