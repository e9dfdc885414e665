#!/usr/bin/env bash
# Whether what is published can be: each crate builds from its package alone, and the wheel installs and works in a fresh virtual
# environment where there is no Rust. Not part of CI: it builds everything twice more, half an hour on two cores.
#
#     scripts/checks/packages.sh            # crates and wheel, from a clean tree
#     scripts/checks/packages.sh wheel      # the wheel alone
set -euo pipefail
cd "$(dirname "$0")/../.."
what=${1:-all}

[[ $what == wheel ]] || cargo publish --dry-run --workspace --locked

venv=target/packages
rm -rf "$venv" target/wheels
python3 -m venv "$venv"
"$venv/bin/pip" install --quiet "maturin>=1.16,<2"
(cd python && PATH="$OLDPWD/$venv/bin:$PATH" maturin build --release --locked --out ../target/wheels)

rm -rf "$venv"
python3 -m venv "$venv"
"$venv/bin/pip" install --quiet target/wheels/*.whl
# No toolchain, no repository: only what the wheel has.
installed() {
  (cd / && env -i PATH=/usr/bin:/bin HOME=/nonexistent "$OLDPWD/$venv/bin/$1" "${@:2}")
}
installed cairn prove --system ring --start '(* (+ x y) (+ x y))' --target '(+ (+ (* x x) (* 2 (* x y))) (* y y))'
installed cairn optimise --system polynomials --cost size --model polynomials --guides 32 --cap 4000 --work 400000 \
  --term '(+ (* x (* x x)) (+ (* (* y y) (* 3 x)) (+ (* (* y y) y) (* (* x x) (* 3 y)))))'
installed python -c 'import cairn_eqsat as cairn
system = cairn.System.load("halide")
answer = cairn.prove(system, "(<= (+ x 1) (+ y 1))", "(<= x y)")
assert answer and str(answer.proof.end) == "(<= x y)"
assert str(cairn.optimise(system, "(+ (* x 2) (- x x))", cost="size").term) == "(+ x x)"
cairn.Model.load("tiling")'
echo "the packages can be published, and the wheel works:" target/wheels/*.whl
