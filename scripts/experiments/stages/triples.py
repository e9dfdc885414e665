"""A dataset for `cairn train` of triples that are no pieces of proofs: what stands where a search is, what may come next, and
what is wanted. The files are those of docs/formats.md, without proofs."""
import pyarrow
import pyarrow.parquet

from sealed_info import of_file, sha256, write_info

TYPES = {"id": "uint64", "seed": "uint32", "seed_id": "string", "proof": "uint64", "start": "string", "guide": "string",
         "target": "string", "steps_start_guide": "uint32", "steps_guide_target": "uint32", "start_size": "uint32",
         "guide_size": "uint32", "target_size": "uint32", "depth": "uint32"}
SPLITS = ["train", "validation", "test"]
NONE = {"proofs": 0, "too_long": 0, "too_large": 0, "too_short": 0, "kept": 0, "steps": 0, "unshortened": 0, "triples": 0}


def size(term):
    """Nodes of a term, as text."""
    return len(term.replace("(", " ").replace(")", " ").split())


def write_dataset(out, rules, rows):
    """Writes triples (start, guide, target) by split; the directory counts as a dataset when all is there."""
    (out / "data").mkdir(parents=True, exist_ok=True)
    (out / "system.rules").write_bytes(rules.read_bytes())
    files, splits, number = {}, {}, 0
    for at, split in enumerate(SPLITS):
        table = []
        for start, guide, target in rows.get(split, []):
            table.append({"id": number, "seed": at, "seed_id": split, "proof": at, "start": start, "guide": guide,
                          "target": target, "steps_start_guide": 1, "steps_guide_target": int(guide != target),
                          "start_size": size(start), "guide_size": size(guide), "target_size": size(target), "depth": 0})
            number += 1
        schema = pyarrow.schema([pyarrow.field(name, pyarrow.type_for_alias(of), nullable=False) for name, of in TYPES.items()])
        path = out / "data" / f"{split}-00000-of-00001.parquet"
        pyarrow.parquet.write_table(pyarrow.Table.from_pylist(table, schema), path, compression="zstd")
        files[f"data/{path.name}"] = of_file(path)
        splits[split] = {"name": split, "num_examples": len(table), "num_bytes": path.stat().st_size}
    info = {
        "description": "(start, guide, target) triples of stages that small e-graphs reached",
        "features": {name: {"dtype": of, "_type": "Value"} for name, of in sorted(TYPES.items())},
        "splits": splits,
        "download_size": sum(of["num_bytes"] for of in splits.values()),
        "cairn": {
            "version": "0.1.0", "system_hash": sha256(rules.read_bytes()), "seeds_hash": sha256(repr(rows).encode()), "seed": 0,
            "config": {"splitting": {"scheme": "ahead", "length": 4}}, "found": True, "files": files,
            "totals": {"seeds": 0, "conflicts": 0, "classes": 0, "drawn": 0, "padded": 0, "repeated": 0, "terms": 0,
                       "constant_seeds": 0, "constant_without_frontier": 0, "frontier": 0, "proofs": NONE, "chains_begun": 0,
                       "chains": 0, "duplicates": 0, "shared": 0},
            "seeds": [],
        },
    }
    write_info(out, info)
