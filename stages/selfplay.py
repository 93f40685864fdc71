"""Stage selfplay: games of the champion against itself."""

from stonezero.selfplay.run import run
from stonezero.stage import stage_main

if __name__ == "__main__":
    stage_main("selfplay", run)
