#!/usr/bin/env bash
# What cairn prints as MLIR, given to mlir-opt and xdsl-opt: optimised functions, and e-graphs there and back.
#
#     scripts/checks/mlir.sh [path of cairn]
#
# MLIR_OPT and XDSL_OPT name the tools (mlir-opt of LLVM 22, xdsl 0.75). What lacks its tool is not tested, and
# that is said.
set -euo pipefail
cd "$(dirname "$0")/../.."

cairn=${1:-target/debug/cairn}
mlir_opt=${MLIR_OPT:-$(command -v mlir-opt-19 || command -v mlir-opt || true)}
xdsl_opt=${XDSL_OPT:-$(command -v xdsl-opt || true)}
[[ -n $mlir_opt ]] || echo "NOT TESTED: mlir-opt is not there" >&2
[[ -n $xdsl_opt ]] || echo "NOT TESTED: xdsl-opt is not there" >&2
[[ -n $mlir_opt$xdsl_opt ]] || exit 0
[[ -x $cairn ]] || cargo build -p cairn-eqsat --locked

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

# Runs a tool on a file; tells how that went.
accepts() { # name of the tool, its path, file, further arguments
  [[ -n $2 ]] || return 0
  if "$2" --allow-unregistered-dialect "${@:4}" "$3" >"$work/accepted" 2>"$work/refused"; then
    echo "ok      $1 $(basename "$3") ${*:4}"
  else
    echo "REFUSED $1 $(basename "$3") ${*:4}"
    tail -n 3 "$work/refused"
    failed=1
  fi
}
# Holds two numbers, or texts, against each other.
same() { # what, one, the other
  if [[ $2 == "$3" ]]; then echo "ok      $1: $2"; else echo "DIFFERS $1: $2, $3"; failed=1; fi
}
sizes() { # of the e-graph of a file of MLIR
  "$cairn" saturate --system arith --mlir "$1" --iterations 1 --format json --quiet --export "$work/sizes.json" \
    --cost cost >/dev/null
  python3 - "$work/sizes.json" <<'PYTHON'
import json, sys

graph = json.load(open(sys.argv[1]))
nodes = graph["nodes"].values()
best, before = {}, None
while best != before:
    before = dict(best)
    for node in nodes:
        parts = [best.get(graph["nodes"][child]["eclass"]) for child in node["children"]]
        if None not in parts:
            cost = node["cost"] + sum(parts)
            best[node["eclass"]] = min(cost, best.get(node["eclass"], cost))
print(len({node["eclass"] for node in nodes}), len(nodes), *[best[root] for root in graph["root_eclasses"]])
PYTHON
}

# Functions, and what cairn makes of them, with a table of operations and by words of several widths.
for file in interop/tests/mlir/*.mlir; do
  for system in arith words; do
    name=$(basename "$file" .mlir).$system
    "$cairn" optimise --system $system --mlir "$file" --quiet >"$work/$name.mlir"
    accepts mlir-opt "$mlir_opt" "$work/$name.mlir"
    accepts xdsl-opt "$xdsl_opt" "$work/$name.mlir"
  done
done

# What is not in the generic form: as each program writes it.
for tool in MLIR_OPT=$mlir_opt XDSL_OPT=$xdsl_opt; do
  [[ -n ${tool#*=} ]] || continue
  "${tool#*=}" --allow-unregistered-dialect interop/tests/mlir/words.mlir >"$work/pretty.mlir"
  env MLIR_OPT= XDSL_OPT= "$tool" "$cairn" optimise --system words --mlir "$work/pretty.mlir" --quiet >"$work/of_pretty.mlir"
  same "values of what ${tool%=*} reads" 3 "$(grep -c '^// @' "$work/of_pretty.mlir")"
  accepts mlir-opt "$mlir_opt" "$work/of_pretty.mlir"
  accepts xdsl-opt "$xdsl_opt" "$work/of_pretty.mlir"
done

# Expressions of Halide: those of arith as operations of it, the others of a dialect of their own.
cat configs/systems/halide.rules interop/tests/mlir/halide/table.rules >"$work/halide.rules"
"$cairn" optimise --system "$work/halide.rules" --mlir interop/tests/mlir/halide/expressions.mlir --cap 2000 --work 2000 \
  --quiet >"$work/expressions.mlir"
accepts mlir-opt "$mlir_opt" "$work/expressions.mlir"
accepts xdsl-opt "$xdsl_opt" "$work/expressions.mlir"

if [[ -n $xdsl_opt ]]; then
  # An e-graph of cairn: xDSL reads it, and extracts what cairn chose. mlir-opt knows no attribute of xDSL's, but
  # what is left when the e-graph is gone.
  for term in '(* x 2)' '(+ (* x 8) (- y y))' '(select (< x y) (+ x (* y 4)) 7)'; do
    "$cairn" saturate --system arith --term "$term" --nodes 300 --cost cost --export "$work/graph.mlir" --quiet >/dev/null
    accepts xdsl-opt "$xdsl_opt" "$work/graph.mlir"
    "$xdsl_opt" --print-op-generic "$work/graph.mlir" >"$work/again.mlir"
    same "classes, e-nodes and best cost of $term" "$(sizes "$work/graph.mlir")" "$(sizes "$work/again.mlir")"
    "$xdsl_opt" --print-op-generic -p eqsat-extract "$work/graph.mlir" >"$work/extracted.mlir"
    # Costs are xDSL's to compute, too.
    sed -E 's/, min_cost_index = #builtin.int<[0-9]+>//; s/ <\{min_cost_index = #builtin.int<[0-9]+>\}>//' \
      "$work/graph.mlir" >"$work/bare.mlir"
    "$xdsl_opt" --print-op-generic -p eqsat-add-costs,eqsat-extract "$work/bare.mlir" >"$work/of_xdsl.mlir"
    for file in extracted of_xdsl; do
      accepts mlir-opt "$mlir_opt" "$work/$file.mlir"
    done
    same "what is extracted of $term" "$(grep -c ' = ' "$work/extracted.mlir")" "$(grep -c ' = ' "$work/of_xdsl.mlir")"
  done
  # An e-graph of xDSL: cairn goes on with it.
  "$xdsl_opt" --print-op-generic -p eqsat-create-eclasses interop/tests/mlir/shift.mlir >"$work/created.mlir"
  "$cairn" saturate --system arith --mlir "$work/created.mlir" --nodes 300 --cost cost --export "$work/grown.mlir" \
    --quiet >/dev/null
  accepts xdsl-opt "$xdsl_opt" "$work/grown.mlir" -p eqsat-extract
  same "shifts in what xDSL extracts" 1 "$(grep -c 'arith.shli' "$work/accepted")"
  "$xdsl_opt" --print-op-generic -p eqsat-create-egraphs interop/tests/mlir/shift.mlir >"$work/in_graph.mlir"
  same "an e-graph in an operation of its own" "$(sizes "$work/created.mlir")" "$(sizes "$work/in_graph.mlir")"
fi
exit $failed
