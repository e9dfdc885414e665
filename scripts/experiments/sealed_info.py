"""dataset_info.json of a dataset that a script makes or changes: what it says of a file, and the seal, its last key, which is the
hash of all before the comma in front of it (docs/formats.md)."""
import hashlib
import json


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def of_file(path):
    """What is said of a file."""
    data = path.read_bytes()
    return {"bytes": len(data), "sha256": sha256(data)}


def write_info(out, info):
    """Writes it sealed; a dataset counts as one from then on."""
    text = json.dumps({key: value for key, value in info.items() if key != "sha256"}, indent=2)
    head = text[:text.rindex("\n}")]
    (out / "dataset_info.json").write_text(f'{head},\n  "sha256": "{sha256(head.encode())}"\n}}\n')
