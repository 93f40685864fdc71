"""Commands that read, write and show recorded games; `stonezero.cli` has the others.

They import what they need when they run, so that --help is quick.
"""

import sys
from pathlib import Path
from typing import Annotated

import typer


def register(app: typer.Typer) -> None:
    """Add the commands to the command line."""
    for command in (convert, endings, heatmap, replay, tree, occurrences):
        app.command()(command)


Record = Annotated[
    str, typer.Argument(help="A record's file, moves like f5d6, or a generation's folder like runs/g002.")
]
GameId = Annotated[
    int | None, typer.Option("--game-id", help="Of a self-play game, in a generation's folder.")
]
Number = Annotated[int, typer.Option(help="Of the game in a record's file, from 1.")]
CheckpointPath = Annotated[
    Path | None,
    typer.Option("--checkpoint", help="By default the one that played the game, or the run's last champion."),
]
Simulations = Annotated[int, typer.Option(min=1, max=1_000_000, help="Of the search at each position.")]
Layers = Annotated[str, typer.Option(help="What is shown: prior, visits, q, or some of them.")]


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


def heatmap(
    record: Record,
    picture: Annotated[Path, typer.Argument(help="The file to write, .png or .svg.")],
    game_id: GameId = None,
    number: Number = 1,
    ply: Annotated[int | None, typer.Option(help="Moves played before; by default all.")] = None,
    checkpoint: CheckpointPath = None,
    simulations: Simulations = 200,
    layers: Layers = "prior,visits,q",
) -> None:
    """A position as a picture: what a net's search thinks of every point."""
    from stonezero.errors import UserError
    from stonezero.files import write_bytes
    from stonezero.pictures.boards import picture_file
    from stonezero.pictures.subjects import Subject, pictures_of, title_of

    kind = picture.suffix.lower().removeprefix(".")
    if kind not in ("png", "svg"):
        raise UserError(f"{picture}: a heatmap is written as .png or .svg")
    subject = Subject(record, game_id, number, checkpoint)
    (only,) = pictures_of(subject, simulations, [ply])
    write_bytes(picture, picture_file(only, layers.split(","), kind))
    print(f"{picture}: {title_of(subject)}, ply {only.board.ply}")


def replay(
    record: Record,
    film: Annotated[Path, typer.Argument(help="The file to write, .gif or .html.")],
    game_id: GameId = None,
    number: Number = 1,
    checkpoint: CheckpointPath = None,
    simulations: Simulations = 100,
    layers: Layers = "prior,visits",
) -> None:
    """A game as a film with heatmaps: an animated GIF, or an HTML page that needs nothing else."""
    from stonezero.errors import UserError
    from stonezero.files import write_bytes
    from stonezero.pictures.films import gif, page
    from stonezero.pictures.subjects import Subject, pictures_of, title_of

    kind = film.suffix.lower()
    if kind not in (".gif", ".html"):
        raise UserError(f"{film}: a replay is written as .gif or .html")
    subject = Subject(record, game_id, number, checkpoint)
    pictures = pictures_of(subject, simulations)
    shown, title = layers.split(","), title_of(subject)
    write_bytes(film, gif(pictures, shown) if kind == ".gif" else page(pictures, shown, title))
    print(f"{film}: {title}, {len(pictures)} positions")


def tree(
    run: Annotated[Path, typer.Argument(help="A generation's folder, like runs/g002.")],
    game: Annotated[int, typer.Argument(help="Id of one of its self-play games, from 0.")],
    ply: Annotated[int, typer.Argument(help="Moves played before the position, from 0.")],
    checkpoint: CheckpointPath = None,
    simulations: Simulations = 200,
    depth: Annotated[int, typer.Option(min=0, help="Plies below the position.")] = 3,
    min_visits: Annotated[int, typer.Option(min=1, help="Nodes with fewer visits are left out.")] = 1,
) -> None:
    """The search tree of a recorded position as JSON, searched anew, without noise."""
    import json

    from stonezero.pictures.subjects import Subject, tree_of
    from stonezero.players.tree_json import TreeLimits

    data = tree_of(Subject(str(run), game, 1, checkpoint), ply, simulations, TreeLimits(depth, min_visits))
    print(json.dumps(data))


def occurrences(
    run: Annotated[Path, typer.Argument(help="A run's folder, runs, or one generation's, like runs/g002.")],
    record: Annotated[str, typer.Argument(help="The position: a record's file, or moves like f5d6.")],
    number: Number = 1,
    ply: Annotated[int | None, typer.Option(help="Moves played before; by default all.")] = None,
) -> None:
    """How often self-play met a position, or one that a symmetry maps onto it, as JSON."""
    import json
    from dataclasses import asdict

    from stonezero.pictures.subjects import read_record
    from stonezero.records import read_shard
    from stonezero.replay.recorded import board_at, generations, shards_of
    from stonezero.replay.recorded import occurrences as find

    spec = read_shard(shards_of(generations(run)[0])[0]).game
    game = read_record(record, number, spec)
    found = find(run, board_at(game, len(game.moves) if ply is None else ply))
    print(json.dumps(asdict(found)))


def fit(
    records: Annotated[Path, typer.Argument(help="A parquet file of records, or a folder of them.")],
    target: Annotated[Path, typer.Argument(help="The checkpoint to write.")],
    overrides: Annotated[
        list[str] | None, typer.Argument(metavar="KEY=VALUE", help="As for plan, e.g. experiment=othello8.")
    ] = None,
) -> None:
    """Train a net on records alone, without self-play, and print how it does on the games held out.

    A run then begins with it: `stonezero plan train.start_file=TARGET`. Killed, it goes on where it was.
    """
    import json

    from stonezero.config.composition import stage_params
    from stonezero.plan import make_plan
    from stonezero.training.fit import fit_in_scratch

    files = sorted(records.rglob("[!.]*.parquet")) if records.is_dir() else [records]
    fitted = fit_in_scratch(stage_params(make_plan(Path(), list(overrides or [])), "g001"), files)
    fitted.checkpoint.save(target)
    print(json.dumps({name: round(value, 6) for name, value in fitted.held_out.items()}))
