#!/usr/bin/env python3
"""Whether docs/dependencies.md names the crates of Cargo.toml, whether none needs a newer Rust than we promise, and, where
cargo-deny is installed, whether licences and sources are those of deny.toml. Exit code 1: something is wrong.

    python3 scripts/checks/dependencies.py
"""

import json
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HOST = "x86_64-unknown-linux-gnu"


def version(text):
    return tuple(int(part) for part in text.split("."))[:2]


def main():
    manifest = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]
    named = {
        name for name, how in manifest["dependencies"].items() if isinstance(how, str) or "path" not in how
    }
    rows = re.findall(r"^\| ([a-z0-9_, -]+) \|", (ROOT / "docs/dependencies.md").read_text(), re.M)
    told = [name for row in rows[2:] for name in row.split(", ")]
    wrong = [f"docs/dependencies.md does not name {name}" for name in sorted(named - set(told))]
    wrong += [f"docs/dependencies.md names {name}, which Cargo.toml does not" for name in sorted(set(told) - named)]

    least = manifest["package"]["rust-version"]
    command = ["cargo", "metadata", "--format-version", "1", "--locked", "--filter-platform", HOST]
    metadata = json.loads(subprocess.run(command, cwd=ROOT, check=True, capture_output=True).stdout)
    used = {node["id"] for node in metadata["resolve"]["nodes"]}
    for package in metadata["packages"]:
        asks = package["rust_version"]
        if package["id"] in used and asks and version(asks) > version(least):
            wrong.append(f"{package['name']} {package['version']} needs Rust {asks}, we promise {least}")

    if shutil.which("cargo-deny"):
        deny = subprocess.run(["cargo", "deny", "check", "licenses", "bans", "sources"], cwd=ROOT, check=False)
        wrong += ["cargo deny refuses something"] * bool(deny.returncode)
    else:
        print("licences and sources not checked: cargo-deny is not installed")
    for line in wrong:
        print(line, file=sys.stderr)
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
