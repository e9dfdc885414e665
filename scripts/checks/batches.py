"""Batches of random functions, each in a folder of its own: what the checks of C, LLVM IR and MLIR have in common."""
import pathlib
import shutil
import subprocess
import sys
import tempfile


def add_arguments(parser, batch):
    parser.add_argument("binary", type=pathlib.Path)
    parser.add_argument("--functions", type=int, default=200)
    parser.add_argument("--batch", type=int, default=batch)
    parser.add_argument("--seed", default="0")
    parser.add_argument("--work", default="2000")
    parser.add_argument("--keep", type=pathlib.Path, help="where the files of a batch with something wrong stay")


def run(command, **options):
    done = subprocess.run(command, capture_output=True, text=True, **options)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout[-2000:]}{done.stderr[-4000:]}")
    return done.stdout


def each(args, work):
    """What `work` gives of each batch, by its folder and the number of its first function: what is wrong, and more. Files of a batch
    stay if something is wrong, or if it failed."""
    for number in range(0, args.functions, args.batch):
        with tempfile.TemporaryDirectory() as folder:
            folder, wrong = pathlib.Path(folder), "failed"
            try:
                wrong, *more = work(folder, number)
            finally:
                if wrong and args.keep:
                    shutil.copytree(folder, args.keep / str(number), dirs_exist_ok=True)
            if wrong:
                print(f"batch at {number}: {wrong}", flush=True)
            yield wrong, *more
