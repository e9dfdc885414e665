"""Methods compared on the same tasks."""

import math
import random


def mcnemar(wins, losses):
    n, k = wins + losses, min(wins, losses)
    return min(1.0, 2 * sum(math.comb(n, i) for i in range(k + 1)) / 2**n)


def interval(differences):
    """Of the mean difference in points, by a bootstrap over seeds; differences by seed."""
    groups = list(differences.values())
    chance = random.Random(0)
    means = []
    for _ in range(2000):
        drawn = [value for _ in groups for value in groups[chance.randrange(len(groups))]]
        means.append(100 * sum(drawn) / len(drawn))
    means.sort()
    return means[50], means[1949]


def compare(solved, seeds, ours, theirs):
    """Our method against another one, paired."""
    wins = sum(solved[ours][t] and not solved[theirs][t] for t in seeds)
    losses = sum(solved[theirs][t] and not solved[ours][t] for t in seeds)
    by_seed = {}
    for task, seed in seeds.items():
        by_seed.setdefault(seed, []).append(solved[ours][task] - solved[theirs][task])
    low, high = interval(by_seed)
    points = 100 * (wins - losses) / len(seeds)
    return f"+{wins} −{losses}, p = {mcnemar(wins, losses):.1g}; {points:.1f} points [{low:.1f}, {high:.1f}]"


def by_method(results):
    solved, seeds = {}, {}
    for row in results:
        solved.setdefault(row["method"], {})[row["task"]] = row["solved"]
        seeds[row["task"]] = row["seed_id"]
    return solved, seeds
