"""A trained checkpoint as a PyTorch model that writes guides: ``pip install 'cairn-eqsat[torch]'``.

    from cairn_eqsat.torch_model import TorchModel

    model = TorchModel.load("quickstart/model")
    answer = cairn.prove(system, start, target, guides=model)

The network is :class:`cairn_eqsat.torch_transformer.Transformer`, an ordinary ``nn.Module``: ``model.network`` can be
fitted further, or another module with the same ``encode`` and ``decode`` can take its place. Which tokens may come
next is said by :class:`Draft`, so that all that is written is a term.
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

from ._native import Draft, GuideRequest, Term, Tokens
from .torch_transformer import Side, Transformer, buckets_of

__all__ = ["Draft", "Tokens", "TorchModel"]

#: What :class:`Draft` gives of a tree.
Nodes = tuple[list[int], list[int], list[list[int]]]


class TorchModel:
    """A network with the tokens that it reads and writes."""

    def __init__(self, tokens: Tokens, network: Transformer, config: dict[str, Any]) -> None:
        self.tokens = tokens
        self.network = network
        self.config = config

    @staticmethod
    def load(directory: str | PathLike[str]) -> TorchModel:
        """The model in a directory that ``cairn train`` wrote."""
        tokens = Tokens.load(directory)
        config = json.loads((Path(directory) / "config.json").read_text())["config"]["model"]
        network = Transformer(config, load_file(Path(directory) / "model.safetensors"), len(tokens))
        return TorchModel(tokens, network.eval(), config)

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

    def next_logits(self, task: Any, drafts: Sequence[Draft]) -> Tensor:
        """The logits of the tokens that come next in guides for one task, [drafts, tokens]."""
        memories, start, target = task
        guide = self.side([draft.guide() for draft in drafts], causal=True)
        wide = memories[0].expand(len(drafts), -1, -1), memories[1].expand(len(drafts), -1, -1)
        logits = self.network.decode(wide, start, target, guide)
        last = [len(draft.guide()[1]) - 1 for draft in drafts]
        return logits[torch.arange(len(drafts)), torch.tensor(last)]

    def encoded(self, draft: Draft) -> Any:
        """The task of a draft, encoded."""
        start, target = self.side([draft.start()], causal=False), self.side([draft.target()], causal=False)
        return (self.network.encode("start", start), self.network.encode("target", target)), start, target

    @torch.inference_mode()
    def log_probability(self, start: Term, target: Term, guide: Term, *, max_size: int = 100) -> float:
        """The logarithm of the probability that the network gives a guide among all of at most ``max_size`` nodes."""
        draft = self.tokens.draft(start, target, max_size=max_size)
        if draft is None:
            return float("-inf")
        task, total = self.encoded(draft), 0.0
        for token in draft.tokens_of(guide):
            logits = self.next_logits(task, [draft])[0]
            total += float(logits[token] - logits[draft.allowed()].logsumexp(0))
            draft.push(token)
        return total

    @torch.inference_mode()
    def guides(
        self,
        start: Term,
        target: Term,
        *,
        count: int = 10,
        max_size: int = 100,
        nucleus: float = 0.95,
        temperature: float = 1.0,
        seed: int = 0,
    ) -> list[tuple[Term, float]]:
        """At most ``count`` terms that may lie between two others, the likeliest first, each with the logarithm of
        its probability: so many samples of the nucleus, those that came twice left out."""
        begun = self.tokens.draft(start, target, max_size=max_size)
        if begun is None:
            return []
        random = torch.Generator().manual_seed(seed)
        task = self.encoded(begun)
        drafts = [begun.copy() for _ in range(count)]
        totals = [0.0] * count
        while open_ones := [i for i in range(count) if not drafts[i].complete]:
            rows = self.next_logits(task, [drafts[i] for i in open_ones])
            for i, logits in zip(open_ones, rows, strict=True):
                allowed = torch.tensor(drafts[i].allowed())
                chances = logits[allowed].log_softmax(0)
                order = (chances / temperature).softmax(0).sort(descending=True)
                # The smallest set of tokens that have the probability together.
                kept = order.values.cumsum(0) - order.values < nucleus
                chosen = order.indices[kept][torch.multinomial(order.values[kept], 1, generator=random)[0]]
                totals[i] += float(chances[chosen])
                drafts[i].push(int(allowed[chosen]))
        likeliest = sorted(zip(totals, drafts, strict=True), key=lambda written: -written[0])
        written: dict[Term, float] = {}
        for total, draft in likeliest:
            # A word can be spelled in several ways.
            written.setdefault(draft.term(), total)
        return list(written.items())

    def __call__(self, request: GuideRequest) -> list[str]:
        """Guides for a search, as ``prove(guides=model)`` asks for them: looked up in every e-graph."""
        written = self.guides(
            request.start, request.target, count=request.wanted, max_size=request.max_size, seed=request.number)
        return [str(guide) for guide, _ in written]
