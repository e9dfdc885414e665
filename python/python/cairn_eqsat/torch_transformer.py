"""Cairn's network in PyTorch: the same parameters and the same numbers as in Rust, to be read and changed.

Two encoders, of start and target, and a decoder that attends to both; attention knows how nodes are related in
their trees (He et al., *DeBERTa*, ICLR 2021). What it reads is made by :class:`cairn_eqsat.torch_model.TorchModel`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

#: From queries and keys to what is added to their products.
Bias = Callable[[Tensor, Tensor], Tensor]

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


def buckets_of(places: Tensor, first_query: int, keys: int, config: dict[str, Any]) -> tuple[Tensor, Tensor]:
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


class Transformer(nn.Module):
    """Double encoder, decoder with two cross-attentions, disentangled attention.

    Parameters have the names that they have in the checkpoint, with "/" for ".".
    """

    def __init__(
        self, config: dict[str, Any], weights: dict[str, Tensor], tokens: int, dropout: float = 0.0
    ) -> None:
        super().__init__()
        if config["positions"] != "tree":
            raise ValueError(f"positions {config['positions']!r}: expected 'tree'")
        self.c = config
        self.tokens = tokens
        self.dropout = dropout
        self.relations = sorted(config["relation_heads"], key=lambda name: RELATIONS[name])
        for name, tensor in weights.items():
            self.register_parameter(name.replace(".", "/"), nn.Parameter(tensor))

    def p(self, name: str) -> Tensor:
        parameter = self._parameters[name.replace(".", "/")]
        assert parameter is not None
        return parameter

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

    def attend(self, q: Tensor, kv: Tensor, unseen: Tensor, terms: int, bias: Bias | None = None) -> Tensor:
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

    def decode(self, memories: tuple[Tensor, Tensor], start: Side, target: Side, guide: Side) -> Tensor:
        """The logits of all tokens at the nodes of guides, [b, n, v], with start and target encoded. A node does
        not see itself."""
        x = self.embed(guide)
        for i in range(self.c["decoder_layers"]):
            layer = f"decoder.{i}"
            x = x + self.drop(self.self_attention("decoder", f"{layer}.attention", x, guide))
            x = x + self.drop(self.cross_attention(f"{layer}.start", x, memories[0], start))
            x = x + self.drop(self.cross_attention(f"{layer}.target", x, memories[1], target))
            x = x + self.drop(self.feed_forward(f"{layer}.feed_forward", x))
        x = self.norm("decoder", x) * self.c["width"] ** -0.5
        logits: Tensor = x @ self.p("embedding")[: self.tokens].T
        return logits

    def logits(self, start: Side, target: Side, guide: Side) -> Tensor:
        """As :meth:`decode`, of a batch of triples."""
        memories = self.encode("start", start), self.encode("target", target)
        return self.decode(memories, start, target, guide)
