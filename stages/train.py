"""Stage train: the next candidate."""

from stonezero.training.run import run
from stonezero.stage import stage_main

if __name__ == "__main__":
    stage_main("train", run)
