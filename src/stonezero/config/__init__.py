"""What every parameter is, and what it is in each generation. Imports nothing else of this package."""

from stonezero.config.generations import (
    generation_name,
    generation_number,
    generation_section,
    previous_generation,
    typed_section,
)
from stonezero.config.paths import RunPaths

paths = RunPaths()  #: of the checkout that is the working directory

__all__ = [
    "RunPaths",
    "generation_name",
    "generation_number",
    "generation_section",
    "paths",
    "previous_generation",
    "typed_section",
]
