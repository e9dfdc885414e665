"""What the beds share: runs of the program, and files of lines."""
import subprocess
import sys


def run(*command, codes=(0,), messages=False):
    """What a command writes to the standard output, and its messages if they are asked for; ends with these if the exit code is none of
    the codes."""
    command = [str(part) for part in command]
    done = subprocess.run(command, text=True, capture_output=True)
    if done.returncode not in codes:
        sys.exit(f"{' '.join(command)}\n{done.stderr.strip()}")
    return done.stdout + done.stderr if messages else done.stdout


def lines(path, texts):
    """The path of a file that holds these."""
    path.write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
    return path
