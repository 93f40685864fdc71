"""Stage buffer: the window of positions to learn from."""

from stonezero.replay.run import run
from stonezero.stage import stage_main

if __name__ == "__main__":
    stage_main("buffer", run)
