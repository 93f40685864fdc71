"""Commands that read, write and show recorded games; `stonezero.cli` has the others.

They import what they need when they run, so that --help is quick.
"""

import sys
from pathlib import Path
from typing import Annotated

import typer


def register(app: typer.Typer) -> None:
    """Add the commands to the command line."""
    for command in (
        convert,
        endings,
    ):
        app.command()(command)


def convert(
    source: Annotated[Path, typer.Argument(help="A file, or a folder with all below it.")],
    target: Annotated[Path, typer.Argument(help="A file for all games, or a folder for a file each.")],
    from_: Annotated[
        str, typer.Option("--from", help="The format of SOURCE; by default its extension.")
    ] = "",
    to: Annotated[str, typer.Option("--to", help="The format of TARGET; by default its extension.")] = "",
    game: Annotated[str, typer.Option(help="gomoku or othello, where files do not say it.")] = "",
    size: Annotated[int, typer.Option(help="Of the board, where files do not say it.")] = 0,
    k: Annotated[int, typer.Option(help="Stones in a row that win, where files do not say it.")] = 0,
    rules: Annotated[str, typer.Option(help="freestyle or standard, where files do not say it.")] = "",
) -> None:
    """Convert records: sgf, psq, rec, ggf, wthor (.wtb), text (.txt .obf .pos), parquet (training data).

    Says what was refused, and why. Exit status 0 when all was converted, 1 when anything was refused; the
    rest is converted all the same.
    """
    from stonezero.records.formats.catalogue import format_named
    from stonezero.records.formats.convert import Conversion
    from stonezero.records.formats.convert import convert as convert_files
    from stonezero.records.formats.transcript import Hints

    hints = Hints(game, size, k, rules)
    source_kind, target_kind = (format_named(name) if name else None for name in (from_, to))
    summary = convert_files(Conversion(source, target, source_kind, target_kind, hints))
    for refusal in summary.refusals:
        print(f"refused: {refusal}", file=sys.stderr)
    print(summary.text())
    sys.exit(1 if summary.refusals else 0)


def endings(
    source: Annotated[Path, typer.Argument(help="A file of training data, or a folder of them.")],
    empties: Annotated[
        int, typer.Option(min=1, max=20, help="Judge from so many empty points on; a second a game at 20.")
    ] = 12,
) -> None:
    """Judge Othello games: how often a mistake in the last empty points changed the result."""
    from stonezero.errors import UserError
    from stonezero.records.schema import concatenate
    from stonezero.records.shard import read_shard
    from stonezero.replay.judge import judge_endings

    paths = sorted(source.glob("*.parquet")) if source.is_dir() else [source]
    if not paths:
        raise UserError(f"there is no .parquet file in {source}")
    first = read_shard(paths[0])
    table = concatenate([first, *(read_shard(path, first.game) for path in paths[1:])])
    figures = judge_endings(table, empties)
    print(
        f"{figures.changed_games} of {figures.judged_games} games ({figures.changed_share:.1%}) "
        f"changed their result by a mistake in the last {empties} empty points"
    )
