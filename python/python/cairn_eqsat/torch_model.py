"""A trained checkpoint as a PyTorch model that writes guides: ``pip install 'cairn-eqsat[torch]'``.

    from cairn_eqsat.torch_model import TorchModel

    model = TorchModel.load("quickstart/model")
    answer = cairn.prove(system, start, target, model=model.model)

The network is :class:`cairn_eqsat.torch_transformer.Transformer`, an ordinary ``nn.Module``: ``model.network`` can be
fitted further, or another module with the same ``encode`` and ``decode`` can take its place. It says how likely tokens
are; which of them may come next, and which are drawn, is for Cairn to say. So what it writes is a term, and the same as
Cairn's own network writes with the same weights and seed.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file
from torch import Tensor

from ._native import Draft, Model, Term, Tokens
from .torch_transformer import Side, Transformer, buckets_of

__all__ = ["Draft", "Tokens", "TorchModel"]

#: What :class:`Draft` gives of a tree.
Nodes = tuple[list[int], list[int], list[list[int]]]


class TorchModel:
    """A network with the tokens that it reads and writes."""

    def __init__(self, directory: str | PathLike[str], network: Transformer, config: dict[str, Any]) -> None:
        self.tokens = Tokens.load(directory)
        self.network = network
        self.config = config
        #: What ``prove``, ``optimise`` and ``guides`` take.
        self.model = Model.load(directory, network=self)

    @staticmethod
    def load(directory: str | PathLike[str]) -> TorchModel:
        """The model in a directory that ``cairn train`` wrote."""
        config = json.loads((Path(directory) / "config.json").read_text())["config"]["model"]
        weights = load_file(Path(directory) / "model.safetensors")
        return TorchModel(directory, Transformer(config, weights, len(Tokens.load(directory))).eval(), config)

    def side(self, trees: Sequence[Nodes], causal: bool) -> Side:
        """A batch of trees, padded to the longest."""
        lengths = torch.tensor([len(starts) for _, starts, _ in trees])
        n, rows = int(lengths.max()), len(trees[0][2]) - len(trees[0][1])
        features: list[int] = []
        all_starts: list[int] = []
        nowhere = [-1, 0, -1, -2, 0]
        places: list[list[list[int]]] = []
        for of_tree, starts, where in trees:
            all_starts += [len(features) + start for start in starts]
            features += of_tree
            all_starts += [len(features)] * (n - len(starts))
            places.append([*where, *[nowhere] * (n + rows - len(where))])
        seen = (torch.arange(n) < lengths[:, None])[:, None, None, :]
        if causal:
            seen = seen & torch.ones(n, n, dtype=torch.bool).tril()
        unseen = torch.zeros(seen.shape).masked_fill(~seen, float("-inf"))
        buckets, mirrored = buckets_of(torch.tensor(places), rows, n, self.config)
        return Side(
            torch.tensor(features), torch.tensor(all_starts), unseen, buckets, mirrored, (len(trees), n))

    def next_logits(self, drafts: Sequence[Draft]) -> Tensor:
        """The logits of the tokens that come next in drafts, [drafts, tokens]."""
        starts = self.side([draft.start() for draft in drafts], causal=False)
        targets = self.side([draft.target() for draft in drafts], causal=False)
        guides = [draft.guide() for draft in drafts]
        memories = self.network.encode("start", starts), self.network.encode("target", targets)
        logits = self.network.decode(memories, starts, targets, self.side(guides, causal=True))
        return logits[torch.arange(len(drafts)), torch.tensor([len(at) - 1 for _, at, _ in guides])]

    @torch.inference_mode()
    def __call__(self, drafts: Sequence[Draft]) -> list[list[float]]:
        """The same as lists, as ``Model.load(directory, network=…)`` asks for them."""
        return self.next_logits(drafts).tolist()

    def log_probability(self, start: Term, target: Term, guide: Term, *, max_size: int = 100) -> Tensor:
        """The logarithm of the probability that the network gives a guide among all of at most ``max_size`` nodes:
        what a fit makes larger."""
        draft, total = self.tokens.draft(start, target, max_size=max_size), torch.zeros(())
        if draft is None:
            return total - float("inf")
        for token in draft.tokens_of(guide):
            logits = self.next_logits([draft])[0]
            total = total + logits[token] - logits[draft.allowed()].logsumexp(0)
            draft.push(token)
        return total
