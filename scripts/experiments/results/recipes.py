"""Well-known recipes of equality saturation as strategies of one line each, on the same terms with the same work."""

import math
import re
import statistics
import sys

import pyarrow.parquet as pq

from commands import EXPERIMENTS, ROOT, table

sys.path.insert(0, str(EXPERIMENTS))
from rules_text import parsed

# Shipped seeds, and random polynomials whose e-graphs explode.
SYSTEMS = ["halide", "bitvectors", "prop", "math", "ring"]
WORK = 20_000


def size(pattern):
    """Its nodes."""
    return sum(map(size, pattern)) if isinstance(pattern, list) else 1


def rulesets(system):
    """Names of the rules that make terms larger, and of those that make them smaller; what does neither is in both."""
    grow, shrink = [], []
    for form in parsed((ROOT / f"configs/systems/{system}.rules").read_text()):
        if form[0] in ("rewrite", "birewrite") and ":name" in form:
            name, more = form[form.index(":name") + 1], size(form[2]) - size(form[1])
            if more >= 0 or form[0] == "birewrite":
                grow.append(name)
            if more <= 0 and (form[0] == "rewrite" or more == 0):
                shrink.append(name)
    return " ".join(grow), " ".join(shrink)


def recipes(system):
    """By name: the strategy. An e-graph ends at the cap, which is the work, or where the strategy says so."""
    grow, shrink = (f"(until-stable (run {names}))" for names in rulesets(system))
    return {
        "all rules": "(until-stable (run :all))",
        "back-off": "(backoff (until-stable (run :all)))",
        "rebasing": "(until-stable (phase (limit :nodes 4000 (until-stable (run :all)))))",
        "rebasing, back-off": "(until-stable (phase (limit :nodes 4000 (backoff (until-stable (run :all))))))",
        "phases": f"(limit :nodes {WORK // 2} {grow}) {shrink}",
        "pruning": f"(until-stable (phase (limit :nodes 2000 {grow})) (phase (limit :nodes 4000 {shrink})))",
    }


def section(run, arguments):
    polynomials = run("polynomials.txt", "seeds", "--system", "ring", "--sizes", "20..50", "--variables", 5, "--least-nodes", 2000,
                      "--count", 200, "--out", run.out / "polynomials.txt")

    def lines():
        for system in SYSTEMS:
            terms = polynomials if system == "ring" else system
            for name, strategy in recipes(system).items():
                out = run.out / f"{system}-{re.sub('[^a-z]+', '-', name)}"
                file = run(f"{out.name}/optimised.parquet", "optimise", "--system", system, "--cost", "size", "--terms", terms,
                           "--strategy", strategy, "--cap", WORK, "--work", WORK, "--out", out)
                rows = pq.read_table(file, columns=["cost_before", "cost_after", "work", "e_graphs", "peak_bytes"]).to_pylist()
                left = math.exp(statistics.mean(math.log(row["cost_after"] / row["cost_before"]) for row in rows))
                yield [f"{system}, {len(rows)}", name, f"{100 * left:.1f} %", f"{statistics.median(row['work'] for row in rows):,.0f}",
                       f"{statistics.mean(row['e_graphs'] for row in rows):.1f}", f"{max(row['peak_bytes'] for row in rows) / 2**20:.1f}"]

    table(["system, terms", "recipe", "size left", "work a term, median", "e-graphs", "MiB at most"], lines())
