#!/usr/bin/env python3
"""Cairn's network in PyTorch, on weights and batches that Cairn's bench wrote.

    cargo bench -p model --bench training -- DATA tiny write DIR
    python scripts/compare/torch_network.py DIR check
    python scripts/compare/torch_network.py DIR forward
    python scripts/compare/torch_network.py DIR step

`check` compares loss and gradients of the first batch with those that Cairn computed. The others
time all batches once. Features of nodes and the buckets of relations are given ready-made, outside
of the time; Cairn makes them from tokens within it. scripts/compare/networks.py runs both in turn.
"""

import argparse
import json
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import torch
import torch.nn.functional as F
from safetensors.torch import load_file
from torch import Tensor, nn

PAD = 0
RELATIONS = {"ancestor": 0, "sibling": 1}


@dataclass
class Side:
    """The nodes of a batch of trees, padded, and which of them see which."""

    features: Tensor  # all features of all nodes, one node after another
    starts: Tensor  # where those of each node begin, [b · n]
    unseen: Tensor  # added to scores: 0, or −∞ for keys that are not seen, [b, 1, n or 1, m]
    buckets: Tensor  # of δ(i, j), [b, h, n, m]
    mirrored: Tensor  # of δ(j, i), [b, h, m, n]
    shape: tuple[int, int]

    def rows(self, a: int, b: int) -> "Side":
        """Rows of the batch, padded to the longest of them."""
        n = int((self.unseen[a:b].amax(2) == 0).sum(-1).max())
        all_n = self.shape[1]
        ends = torch.cat([self.starts[1:], torch.tensor([len(self.features)])])
        lengths = (ends - self.starts).view(-1, all_n)[a:b, :n]
        nodes = torch.arange(self.shape[0] * all_n).view(-1, all_n)[a:b, :n].flatten()
        features = [self.features[self.starts[i] : ends[i]] for i in nodes]
        starts = lengths.flatten().cumsum(0) - lengths.flatten()
        return Side(
            torch.cat(features),
            starts,
            self.unseen[a:b, :, :n, :n].contiguous(),
            self.buckets[a:b, :, :n, :n].contiguous(),
            self.mirrored[a:b, :, :n, :n].contiguous(),
            (b - a, n),
        )


@dataclass
class Batch:
    """A batch of triples."""

    start: Side
    target: Side
    guide: Side
    tokens: Tensor  # what is to be predicted of the guides, [b, n]
    forbidden: Tensor  # tokens that the grammar does not allow, [b, n, v]
    counted: int  # tokens of starts, targets and guides, without padding

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


def buckets_of(places: Tensor, first_query: int, keys: int, config: dict) -> tuple[Tensor, Tensor]:
    """Buckets of δ(i, j) and δ(j, i) of all heads, from the places of nodes."""
    clip = config["clip"]
    index, depth, end, parent, rank = places.unbind(-1)

    def pairs(of: Tensor) -> tuple[Tensor, Tensor]:
        return of[:, first_query:, None], of[:, None, :keys]

    (i, j), (i_end, j_end) = pairs(index), pairs(end)
    above, below = (i <= j) & (j < i_end), (j <= i) & (i < j_end)
    (i_depth, j_depth), (i_parent, j_parent), (i_rank, j_rank) = map(pairs, (depth, parent, rank))
    related = [above | below, i_parent == j_parent]
    difference = [j_depth - i_depth, j_rank - i_rank]
    of_heads, mirrored = [], []
    for name, heads in sorted(config["relation_heads"].items(), key=lambda item: RELATIONS[item[0]]):
        d = difference[RELATIONS[name]].clamp(-clip, clip)
        none = torch.where(related[RELATIONS[name]], 0, 2 * clip + 1)
        of_heads += [torch.where(none > 0, none, clip + d)] * heads
        mirrored += [torch.where(none > 0, none, clip - d).transpose(1, 2)] * heads
    return torch.stack(of_heads, 1), torch.stack(mirrored, 1)


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


class Network(nn.Module):
    """Double encoder, decoder with two cross-attentions, disentangled attention.

    Parameters have the names that they have in the checkpoint, with "/" for ".".
    """

    def __init__(self, config: dict, weights: dict, dropout: float):
        super().__init__()
        self.c = config
        self.dropout = dropout
        self.relations = sorted(config["relation_heads"], key=RELATIONS.get)
        for name, tensor in weights.items():
            self.register_parameter(name.replace(".", "/"), nn.Parameter(tensor))

    def p(self, name: str) -> Tensor:
        return self._parameters[name.replace(".", "/")]

    def norm(self, name: str, x: Tensor) -> Tensor:
        return F.rms_norm(x, (self.c["width"],), self.p(f"{name}.norm"), 1e-6)

    def drop(self, x: Tensor) -> Tensor:
        return F.dropout(x, self.dropout, self.training)

    def split(self, x: Tensor) -> Tensor:
        """[b, n, d] to [b, h, n, e]"""
        b, n, _ = x.shape
        return x.view(b, n, self.c["heads"], -1).transpose(1, 2)

    def table(self, stack: str, layer: str, what: str) -> Tensor:
        """K_R or Q_R of all heads, [h, e, r]"""
        parts = [
            self.p(f"{stack}.relation.{name}") @ self.p(f"{layer}.relation_{what}.{name}")
            for name in self.relations
        ]
        r = parts[0].shape[0]
        return torch.cat(parts, 1).view(r, self.c["heads"], -1).permute(1, 2, 0)

    def attend(self, q: Tensor, kv: Tensor, unseen: Tensor, terms: int, bias=None) -> Tensor:
        """q [b, h, n, e], kv [b, m, 2d]; [b, n, d]"""
        d = self.c["width"]
        k, v = self.split(kv[..., :d]), self.split(kv[..., d:])
        scale = (terms * q.shape[-1]) ** -0.5
        if bias is None:
            out = F.scaled_dot_product_attention(q, k, v, attn_mask=unseen, scale=scale)
        else:
            scores = (q @ k.transpose(2, 3) + bias(q, k)) * scale + unseen  # [b, h, n, m]
            out = scores.softmax(-1) @ v
        b, _, n, _ = q.shape
        return out.transpose(1, 2).reshape(b, n, d)

    def self_attention(self, stack: str, layer: str, x: Tensor, side: Side) -> Tensor:
        x = self.norm(layer, x)
        q, kv = self.split(x @ self.p(f"{layer}.query")), x @ self.p(f"{layer}.key_value")

        def bias(q: Tensor, k: Tensor) -> Tensor:
            by_query = (q @ self.table(stack, layer, "key")).gather(3, side.buckets)
            by_key = (k @ self.table(stack, layer, "query")).gather(3, side.mirrored)
            return by_query + by_key.transpose(2, 3)

        return self.attend(q, kv, side.unseen, 3, bias) @ self.p(f"{layer}.output")

    def cross_attention(self, layer: str, x: Tensor, memory: Tensor, side: Side) -> Tensor:
        q = self.split(self.norm(layer, x) @ self.p(f"{layer}.query"))
        kv = memory @ self.p(f"{layer}.key_value")
        return self.attend(q, kv, side.unseen, 1) @ self.p(f"{layer}.output")

    def feed_forward(self, layer: str, x: Tensor) -> Tensor:
        hidden = F.relu(self.norm(layer, x) @ self.p(f"{layer}.up")).square()
        return hidden @ self.p(f"{layer}.down")

    def embed(self, side: Side) -> Tensor:
        table = self.p("embedding")
        x = F.embedding_bag(side.features, table, side.starts, mode="sum")
        return self.drop(x.view(*side.shape, -1))

    def encode(self, stack: str, side: Side) -> Tensor:
        x = self.embed(side)
        for i in range(self.c["encoder_layers"]):
            x = x + self.drop(self.self_attention(stack, f"{stack}.{i}.attention", x, side))
            x = x + self.drop(self.feed_forward(f"{stack}.{i}.feed_forward", x))
        return self.norm(stack, x)

    def forward(self, batch: Batch) -> Tensor:
        """The sum of the losses of the tokens of the guides."""
        start, target = self.encode("start", batch.start), self.encode("target", batch.target)
        x = self.embed(batch.guide)
        for i in range(self.c["decoder_layers"]):
            layer = f"decoder.{i}"
            mixed = self.self_attention("decoder", f"{layer}.attention", x, batch.guide)
            x = x + self.drop(mixed)
            x = x + self.drop(self.cross_attention(f"{layer}.start", x, start, batch.start))
            x = x + self.drop(self.cross_attention(f"{layer}.target", x, target, batch.target))
            x = x + self.drop(self.feed_forward(f"{layer}.feed_forward", x))
        x = self.norm("decoder", x) * self.c["width"] ** -0.5
        logits = x @ self.p("embedding")[: batch.forbidden.shape[-1]].T
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
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    torch.manual_seed(1)
    config = json.loads((options.directory / "config.json").read_text())
    weights = load_file(options.directory / "model.safetensors")
    network = Network(config["model"], weights, config["training"]["dropout"])
    batches = read_batches(options.directory, config["model"])
    if options.mode == "check":
        check(network, batches[0], options.directory)
        return
    optimizer = optimizer_of(network, config["training"])
    parameters = list(network.parameters())
    parts = [batch.parts(options.part) for batch in batches]

    def step(parts: list[Batch]) -> None:
        counted = sum(int((part.tokens != PAD).sum()) for part in parts)
        for part in parts:
            (network(part) / counted).backward()
        nn.utils.clip_grad_norm_(parameters, 1.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)

    def forward(parts: list[Batch]) -> None:
        with torch.inference_mode():
            for part in parts:
                network(part).item()

    network.train(options.mode == "step")
    run = step if options.mode == "step" else forward
    run(parts[0])
    began, processor = time.perf_counter(), time.process_time()
    for batch in parts:
        run(batch)
    seconds, processor = time.perf_counter() - began, time.process_time() - processor
    tokens = sum(batch.counted for batch in batches)
    print(
        f"{options.mode}: {tokens / seconds:.0f} tokens/s, {tokens / processor:.0f} per processor "
        f"second, {resident_mib():.0f} MiB, {options.threads} threads"
    )


if __name__ == "__main__":
    main()
