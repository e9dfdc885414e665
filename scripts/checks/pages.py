#!/usr/bin/env python3
"""The pages of an e-graph and of a proof in headless Chromium: a link to a class opens it, a step opens its two terms.

    scripts/checks/pages.py [--pictures docs/images]

With --pictures it draws them there. Needs `chromium` (Debian's package).
"""
import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
TERM = "(* (+ a b) (+ a b))"


def run(*command):
    return subprocess.run([str(part) for part in command], check=True, capture_output=True, text=True).stdout


def chromium(page, *options):
    return run("chromium", "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", *options, page)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cairn", type=pathlib.Path, default=ROOT / "target/release/cairn")
    parser.add_argument("--pictures", type=pathlib.Path)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        egraph, proof = (pathlib.Path(folder) / name for name in ["egraph.html", "proof.html"])
        run(args.cairn, "saturate", "--system", "ring", "--term", TERM, "--iterations", 2, "--cost", "size", "--export", egraph)
        text = run(args.cairn, "prove", "--system", "ring", "--start", TERM, "--target", "(+ (* a a) (+ (* 2 (* a b)) (* b b)))",
                   "--format", "html")
        # The second step as a click leaves it.
        steps = list(re.finditer(r'<details class="step"', text))
        proof.write_text(text[:steps[1].end()] + " open" + text[steps[1].end():])
        seen = chromium(f"file://{egraph}#c5", "--dump-dom")
        opened = re.findall(r'<details class="class" open="?"?><summary><b>(\d+)</b>', seen)
        if opened != ["5"]:
            sys.exit(f"a link to class 5 opens {opened}")
        if len(steps) < 5 or "<script" in text + seen:
            sys.exit(f"{len(steps)} steps, or a script")
        if args.pictures:
            for page, name, height in [(f"file://{egraph}#c5", "egraph", 1080), (f"file://{proof}", "proof", 640)]:
                chromium(page, f"--screenshot={args.pictures / name}.png", f"--window-size=820,{height}")
    print("a link to a class opens it; every step has its terms")


if __name__ == "__main__":
    main()
