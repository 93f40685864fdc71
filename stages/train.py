"""Stage train: the next candidate."""

from stonezero.stage import stage_main
from stonezero.training.run import run

if __name__ == "__main__":
    stage_main("train", run)
