"""Stage gate: candidate against champion, anchors and earlier champions."""

from stonezero.arena.run import run
from stonezero.stage import stage_main

if __name__ == "__main__":
    stage_main("gate", run)
