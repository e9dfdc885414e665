"""A map over three dimensions is tiled in all of them, in stages and at once."""

import json

from commands import table

TERM = "(m (* n1 32) (m (* n2 32) (m (* n3 32) f)))"
SPLIT = "(contains (m n1 (m 32 (m n2 (m 32 (m n3 (m 32 f)))))))"
TILED = "(contains (m n1 (m n2 (m n3 (m 32 (m 32 (m 32 f)))))))"


def section(run, arguments):
    plan = f"(phase :goal {SPLIT} (until-stable (run))) (until-stable (run))"
    shape = ["--system", "tiling", "--term", TERM]
    once = ["saturate", *shape, "--goal", TILED, "--memory", "1GiB", "--format", "json", "--quiet"]
    searches = {
        "stages": ["optimise", *shape, "--goal", TILED, "--strategy", plan, "--cap", "1GiB", "--cost", "size", "--format", "json", "--quiet"],
        "once-simple": [*once, "--scheduler", "simple"],
        "once-backoff": [*once, "--scheduler", "backoff"],
    }

    def lines():
        for name, command in searches.items():
            said = json.loads(run.said(f"{name}.json", run.cairn, *command).read_text().splitlines()[-1])
            if "best" in said:
                yield [name, said["ended"], f"{said['work']:,}", f"{said['peak_bytes'] / 2**20:.0f}", said["best"][-1]["size"]]
            else:
                yield [name, said["stop"], f"{said['e_nodes']:,}", f"{said['bytes'] / 2**20:.0f}", said["size"] or ""]

    print("\n### Tiling")
    table(["search", "ended", "e-nodes", "MiB", "size of the term"], lines())
