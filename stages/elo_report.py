"""Stage elo-report: ratings, figures and the report of all games."""

from stonezero.reporting.run import run
from stonezero.stage import stage_main

if __name__ == "__main__":
    stage_main("elo-report", run)
