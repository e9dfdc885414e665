#!/usr/bin/env bash
# The tests of the Python package, in a virtual environment in target/, on the library as the tests of the
# workspace are built: no second build. `pip install ./python` builds another one, with optimisation.
#
#     scripts/checks/python_tests.sh [arguments of pytest]
set -euo pipefail
cd "$(dirname "$0")/../.."

# Without the package index nothing can be tested. In CI that is a failure, elsewhere it is said.
without() {
  echo "NOT TESTED: the Python package: $1" >&2
  [[ "${CI:-}" != true ]] || exit 1
  exit 0
}

python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' || without "it needs Python 3.11 or newer"
venv=target/python-tests
needed=$(python3 -c 'import tomllib
with open("python/pyproject.toml", "rb") as file:
    print(*tomllib.load(file)["project"]["optional-dependencies"]["test"], sep="\n")')
if [[ ! -f $venv/installed || "$(<"$venv/installed")" != "$needed" ]]; then
  rm -rf "$venv"
  python3 -m venv "$venv" || without "python3 -m venv failed"
  # shellcheck disable=SC2086  # a requirement a line, none with a space
  "$venv/bin/pip" install --quiet $needed || without "what it is tested with can't be installed"
  echo "$needed" >"$venv/installed"
fi

cargo build --workspace --lib --tests --locked
ln -sf "$PWD/target/debug/libcairn_eqsat.so" python/python/cairn_eqsat/_native.abi3.so
PYTHONPATH="$PWD/python/python" "$venv/bin/python" -m pytest python "$@"
