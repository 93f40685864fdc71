"""Gives `dvc exp run`, which composes conf/ by itself, the schema and the resolvers of this checkout."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "src"))

import stonezero.config.composition

stonezero.config.composition.register()
