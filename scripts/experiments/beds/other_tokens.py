#!/usr/bin/env python3
"""Puts the weights of a trained model into one of the same system and shape that has other tokens, to be trained further.

    scripts/experiments/beds/other_tokens.py FROM INTO

Rows of the embedding go by the text of their tokens. A name of a literal (`#3`) that FROM does not have begins as the name of the variable of
the same number, moved by what sets the literals of FROM apart from its variables; all else that is new stays as it is in INTO, a model that
was trained for one step. Only `model.safetensors` of INTO is written anew.

nests.py learn --begin does this once. Needs numpy.
"""
import argparse
import hashlib
import json
import pathlib
import struct

import numpy

#: Tokens around a node whose rows the embedding has, one block after another (NEIGHBOURS in model/src/network/batch.rs).
BLOCKS = 6
#: Names of variables whose mean stands for variables; more are hardly trained.
USED = 7


def read(path):
    """The tensors of a file, by name."""
    data = path.read_bytes()
    length, = struct.unpack("<Q", data[:8])
    header = json.loads(data[8:8 + length])
    header.pop("__metadata__")
    slices = {name: data[8 + length:][slice(*told["data_offsets"])] for name, told in header.items()}
    return {name: numpy.frombuffer(slices[name], "<f4").reshape(told["shape"]).copy() for name, told in header.items()}


def write(path, tensors, step=1):
    """Writes them with the stamp that the program checks: SHA-256 of the step, and of name, shape and bytes of each."""
    stamp, header, data = hashlib.sha256(f"{step}\n".encode()), {}, b""
    for name in sorted(tensors):
        tensor = tensors[name].astype("<f4")
        stamp.update(f"{name} {list(tensor.shape)}\n".encode())
        stamp.update(tensor.tobytes())
        header[name] = {"dtype": "F32", "shape": list(tensor.shape), "data_offsets": [len(data), len(data) + tensor.nbytes]}
        data += tensor.tobytes()
    text = json.dumps({"__metadata__": {"cairn": f"{step} {stamp.hexdigest()}"}, **header}, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def tokens(model):
    """Its tokens that are no pieces of words, and the pieces."""
    pieces = json.loads((model / "tokenizer.json").read_text())["model"]["vocab"]
    return json.loads((model / "config.json").read_text())["tokens"] - len(pieces), sorted(pieces, key=pieces.get)


def embedding(old, old_tokens, new, new_tokens):
    """The rows of `new`, those of `old` where both have the token."""
    (others, old_pieces), (_, new_pieces) = old_tokens, new_tokens
    place = {piece: others + i for i, piece in enumerate(old_pieces)}
    literals = [i for piece, i in place.items() if piece[:-4].isdigit() and len(piece) > len("0</w>")]
    variables = [place[f"v{i}</w>"] for i in range(USED)]
    sizes = [others + len(pieces) for pieces in (old_pieces, new_pieces)]
    for block in range(BLOCKS):
        source, target = (rows[block * size:(block + 1) * size] for rows, size in zip((old, new), sizes))
        target[:others] = source[:others]
        apart = source[literals].mean(0) - source[variables].mean(0)
        for i, piece in enumerate(new_pieces):
            name = f"v{piece[1:]}"
            if piece in place:
                target[others + i] = source[place[piece]]
            elif piece[0] == "#" and place.get(name) in variables:
                target[others + i] = source[place[name]] + apart
    new[BLOCKS * sizes[1]:] = old[BLOCKS * sizes[0]:]
    return new


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=pathlib.Path, metavar="FROM")
    parser.add_argument("into", type=pathlib.Path, metavar="INTO")
    args = parser.parse_args()
    old, new = (read(model / "model.safetensors") for model in (args.source, args.into))
    rows = embedding(old["embedding"], tokens(args.source), new["embedding"], tokens(args.into))
    write(args.into / "model.safetensors", old | {"embedding": rows})


if __name__ == "__main__":
    main()
