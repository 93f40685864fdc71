"""Commands in which players meet, and our engines for other programs; `stonezero.cli` has the others.

They import what they need when they run, so that --help is quick.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from stonezero.games import Game

Pairs = Annotated[int, typer.Option(min=1, max=100_000, help="Colour-swapped pairs of games.")]
Plies = Annotated[int, typer.Option(min=0, max=60, help="Of the balanced openings; 0: 2 to 6, by game.")]
Seed = Annotated[int, typer.Option(min=0, help="Of openings and of all randomness.")]
Slots = Annotated[int, typer.Option(min=2, max=65536, help="Games one process plays at once.")]


def register(app: typer.Typer) -> None:
    """Add the commands to the command line."""
    for command in (match, openings, ladder, tactics, engine, export):
        app.command()(command)


def match(
    first: Annotated[str, typer.Argument(help="A player, e.g. net:PATH:sims=64, minimax:depth=4, gtp:CMD")],
    second: Annotated[str, typer.Argument(help="Another: random, greedy, rollouts:sims=64, ...")],
    game: Annotated[str, typer.Option(help="gomoku or othello; by default the checkpoint's game.")] = "",
    size: Annotated[int, typer.Option(help="Of the board.")] = 0,
    k: Annotated[int, typer.Option(help="Stones in a row that win, in gomoku.")] = 0,
    rules: Annotated[str, typer.Option(help="freestyle, standard or renju, in gomoku.")] = "",
    pairs: Pairs = 20,
    opening_plies: Plies = 0,
    seed: Seed = 0,
    slots: Slots = 64,
    openings_file: Annotated[
        Path | None, typer.Option("--openings", help="A set of openings; by default balanced ones are made.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Folder for the games and the result.")] = None,
) -> None:
    """Let two players meet in colour-swapped pairs from distinct openings.

    An outside engine is gtp:CMD, gomocup:CMD or nboard:CMD; options may stand before its command, as in
    gtp:seconds=2:failure=stop:/usr/games/gtp-rhino. Games that it breaks off are lost; failure=stop stops.
    """
    from stonezero.arena.contest import (
        ContestSettings,
        default_opening_plies,
        describe_result,
        play_contest,
        result_of,
        save_contest,
    )
    from stonezero.arena.opening_sets import read_openings
    from stonezero.errors import UserError
    from stonezero.files import digest
    from stonezero.players.players import parse_player
    from stonezero.terminal import PLAY_INFERENCE, PLAY_SETTINGS

    board = _game(game, size, k, rules, [first, second])
    players = tuple(parse_player(text, board, PLAY_INFERENCE, PLAY_SETTINGS) for text in (first, second))
    plies = opening_plies or default_opening_plies(board)
    settings = ContestSettings(pairs, plies, seed, slots)
    facts: dict[str, object] = {"opening_plies": plies, "seed": seed}
    chosen = None
    if openings_file is not None:
        chosen = read_openings(openings_file, board, opening_plies)
        facts |= {"opening_plies": opening_plies or "all", "openings": digest(openings_file)}
    kept = 0
    try:
        for table in play_contest(board, players[0], players[1], settings, chosen):
            if out is not None:
                save_contest(out, board, (players[0], players[1]), table, facts)
            kept = len(table)
    except UserError as error:
        where = f"; {kept} games are kept in {out}" if out is not None and kept else ""
        raise UserError(f"{error}{where}") from error
    print(describe_result(result_of(table, players[0].name, players[1].name)))
    if out is not None:
        print(f"  games in {out}/games.sgf")


def openings(
    target: Annotated[Path, typer.Argument(help="The text file to write.")],
    source: Annotated[
        Path | None,
        typer.Argument(help="Offsets of Gomocup, a record, or a folder of them; by default made."),
    ] = None,
    game: Annotated[str, typer.Option(help="gomoku or othello.")] = "gomoku",
    size: Annotated[int, typer.Option(help="Of the board.")] = 15,
    k: Annotated[int, typer.Option(help="Stones in a row that win, in gomoku.")] = 0,
    rules: Annotated[str, typer.Option(help="freestyle, standard or renju, in gomoku.")] = "",
    plies: Annotated[int, typer.Option(min=0, max=60, help="Of each; 0: all of a source, else by game.")] = 0,
    count: Annotated[int, typer.Option(min=1, max=100_000, help="How many are made.")] = 100,
    seed: Annotated[int, typer.Option(min=0, help="Of the openings that are made.")] = 0,
    judge: Annotated[
        str,
        typer.Option(help="Who values those made: rollouts:sims=400, net:PATH:sims=64; else random games."),
    ] = "",
    max_value: Annotated[
        float, typer.Option(min=0, max=1, help="Those made and judged further from 0 are left out.")
    ] = 1.0,
) -> None:
    """Write a set of openings, distinct up to symmetry: balanced ones, made from a seed, or SOURCE's."""
    from stonezero.arena.contest import default_opening_plies
    from stonezero.arena.judges import search_judge, within
    from stonezero.arena.opening_sets import read_openings, write_openings
    from stonezero.arena.openings import JUDGE_ROLLOUTS, balanced_openings
    from stonezero.errors import UserError
    from stonezero.games import make_game
    from stonezero.players.players import parse_player
    from stonezero.terminal import PLAY_INFERENCE, PLAY_SETTINGS

    board = make_game(game, size, k or (min(5, size) if game == "gomoku" else 0), rules)
    if source is None:
        spec = parse_player(judge, board, PLAY_INFERENCE, PLAY_SETTINGS) if judge else None
        plies = plies or default_opening_plies(board)
        judged = search_judge(spec, board, seed) if spec else None
        made = within(balanced_openings(board, plies, count, seed, judged), max_value)
        who = judge or f"mean of {JUDGE_ROLLOUTS} random games"
        limit = f"; at most {max_value:g}" if max_value < 1 else ""
        note = f"seed {seed}; values: {who}, for the side to move{limit}"
    elif judge or max_value < 1:
        raise UserError("--judge and --max-value are for openings that are made, not for those of a source")
    else:
        made, note = read_openings(source, board, plies), f"from {source.name}"
    write_openings(target, board, made, note)
    print(f"{target}: {made.num_distinct} openings")


def ladder(
    checkpoint: Annotated[Path | None, typer.Argument(help="By default the run's last champion.")] = None,
    simulations: Annotated[
        str, typer.Option(help="The net's search per move; several as in 50,100,200: Elo of each.")
    ] = "64",
    pairs: Pairs = 10,
    opening_plies: Plies = 0,
    seed: Seed = 0,
    slots: Slots = 64,
    out: Annotated[
        Path | None, typer.Option(help="Folder for simulations.csv and .png, where several are asked.")
    ] = None,
) -> None:
    """Play a checkpoint against every anchor of its game and print where it stands, with intervals.

    With several numbers of simulations the net meets itself as well, and Elo over simulations is printed and
    written (by default into reports/simulations/). Matches that were finished before are read from
    .scratch/ladder/.
    """
    from stonezero.arena.contest import ContestSettings, default_opening_plies
    from stonezero.arena.ladder import anchors_of, describe_ladder, play_ladder, rate_ladder
    from stonezero.arena.scaling import describe_scaling, parse_simulations, rate_scaling, scaling_table
    from stonezero.config import paths
    from stonezero.errors import UserError
    from stonezero.pictures.scaling import write_scaling
    from stonezero.terminal import PLAY_INFERENCE, PLAY_SETTINGS, default_checkpoint, net_player

    numbers = parse_simulations(simulations)
    if out is not None and len(numbers) == 1:
        raise UserError("--out is for several numbers of simulations: say --simulations 50,100,200")
    path = checkpoint or default_checkpoint(paths)
    nets = [net_player(path, number) for number in numbers]
    board = nets[0][0]
    names = {player.name: player.simulations for _, player in nets}
    anchors = anchors_of(board, PLAY_INFERENCE, PLAY_SETTINGS)
    settings = ContestSettings(pairs, opening_plies or default_opening_plies(board), seed, slots)
    played = play_ladder(board, [player for _, player in nets], anchors, settings, Path(".scratch/ladder"))
    tables = list(played)
    print(describe_ladder(rate_ladder(tables), names, tables))
    if len(numbers) > 1:
        ratings = rate_scaling(tables, names)
        table = scaling_table(ratings, names)
        print(f"\n{describe_scaling(ratings, table)}")
        written = write_scaling(out or Path("reports/simulations"), ratings, table)
        print(f"written: {', '.join(map(str, written))}")


def tactics(
    checkpoint: Annotated[Path | None, typer.Argument(help="By default the run's last champion.")] = None,
    simulations: Annotated[
        int, typer.Option("--simulations", "--sims", min=1, max=1_000_000, help="The net's search per move.")
    ] = 64,
    out: Annotated[Path | None, typer.Option(help="File for the figures, too: .csv or .json.")] = None,
) -> None:
    """Ask a checkpoint for the right moves of proven positions, by its prior alone and by search.

    Only sets of the checkpoint's game, board and rules are asked. docs/tactics.md says what is in them.
    """
    from stonezero.config import paths
    from stonezero.errors import UserError
    from stonezero.games.notation import describe
    from stonezero.tactics.scoring import TABLE_FORMATS, describe_hits, score_net, write_table
    from stonezero.terminal import default_checkpoint, net_player

    if out is not None and out.suffix not in TABLE_FORMATS:
        raise UserError(f"--out {out}: the figures are written as {' or '.join(TABLE_FORMATS)}")
    path = checkpoint or default_checkpoint(paths)
    board, player = net_player(path, simulations)
    hits = score_net(board, player)
    print(f"{path}: {describe(board)}\n{describe_hits(hits)}")
    if out is not None:
        write_table(out, hits)


def engine(
    protocol: Annotated[str, typer.Argument(help="gomocup, gtp or nboard.")],
    checkpoint: Annotated[Path | None, typer.Argument(help="By default the run's last champion.")] = None,
    simulations: Annotated[int, typer.Option(min=1, max=1_000_000, help="Most of one search.")] = 400,
    seconds: Annotated[
        float, typer.Option(min=0.01, max=3600, help="For a move, where the protocol says nothing else.")
    ] = 10.0,
) -> None:
    """Let a checkpoint play in other programs: speak PROTOCOL on stdin and stdout. See docs/engines.md."""
    import sys

    from stonezero.config import paths
    from stonezero.engines.run import run_engine
    from stonezero.network.checkpoint import Checkpoint
    from stonezero.terminal import default_checkpoint

    net = Checkpoint.load(checkpoint or default_checkpoint(paths))
    with open(sys.stdin.fileno(), "rb", buffering=0, closefd=False) as source:
        run_engine(protocol, net, simulations, seconds, (source, sys.stdout.buffer))


def export(
    checkpoint: Annotated[Path, typer.Argument(help="The checkpoint, like runs/g003/champion.safetensors.")],
    out: Annotated[Path, typer.Argument(help="The file to write: .onnx, or .xml for openvino.")],
    format_: Annotated[str, typer.Option("--format", help="onnx, openvino or int8.")] = "onnx",
    positions: Annotated[
        Path | None,
        typer.Option(help="Run or generation whose games int8 is measured on; default: beside the net."),
    ] = None,
    match_pairs: Annotated[
        int, typer.Option(min=0, max=100_000, help="Let int8 meet f32 in so many pairs of games; 0: no.")
    ] = 0,
    simulations: Annotated[int, typer.Option(min=1, max=1_000_000, help="Per move, in that match.")] = 64,
) -> None:
    """Write a checkpoint for other programs: ONNX, OpenVINO, or int8 with its measured loss.

    int8 is calibrated on games of the net itself; OUT.json has what it loses. See docs/export.md.
    """
    from stonezero.exporting.run import Order
    from stonezero.exporting.run import export as export_net

    folder = positions or checkpoint.parent
    print(export_net(Order(checkpoint, out, format_, folder, match_pairs, simulations)))


def _game(name: str, size: int, k: int, rules: str, texts: list[str]) -> "Game":
    """The game asked for, or that of the first checkpoint among the players."""
    from stonezero.errors import UserError
    from stonezero.games import make_game
    from stonezero.network.checkpoint import Checkpoint
    from stonezero.players.players import checkpoint_path
    from stonezero.terminal import game_of

    if name:
        return make_game(name, size, k, rules)
    if size or k or rules:
        raise UserError("--size, --k and --rules go with --game: say gomoku or othello")
    for text in texts:
        if path := checkpoint_path(text):
            return game_of(Checkpoint.load(path))
    raise UserError("no player has a checkpoint that says which game: say --game and --size")
