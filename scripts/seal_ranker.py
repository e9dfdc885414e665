#!/usr/bin/env python3
"""Seal a ranker of the format `cairn ranker 2`: only its format and its last key change, no weight.

    python scripts/seal_ranker.py configs/rankers/halide.json

The file becomes one of the format `cairn ranker 3`, whose last key, `sha256`, is the hash of all that stands
before the comma in front of it. A ranker that is sealed already is left as it is.
"""

import argparse
import hashlib
import os
from pathlib import Path

OLD, NEW = '{"format":"cairn ranker 2",', '{"format":"cairn ranker 3",'


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("rankers", type=Path, nargs="+", metavar="FILE")
    for path in parser.parse_args().rankers:
        text = path.read_text(encoding="utf-8")
        if text.startswith(NEW):
            continue
        if not text.startswith(OLD) or not text.endswith("}\n"):
            parser.error(f"{path}: expected a ranker of the format 'cairn ranker 2'")
        head = NEW + text[len(OLD) : -len("}\n")]
        digest = hashlib.sha256(head.encode()).hexdigest()
        whole = path.with_name(f".{path.name}.tmp")
        whole.write_text(f'{head},"sha256":"{digest}"}}\n', encoding="utf-8")
        os.replace(whole, path)


if __name__ == "__main__":
    main()
