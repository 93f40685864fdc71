"""The command line `stonezero`. Commands import what they need when they run, so that --help is quick."""

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from stonezero import commands_of_doctor, commands_of_matches, commands_of_records

app = typer.Typer(
    help="The AlphaZero laboratory for stone games: plan runs, follow them, play against what they learnt.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
track = typer.Typer(help="What MLflow knows of this checkout's runs.", no_args_is_help=True)
app.add_typer(track, name="track")
commands_of_doctor.register(app)
commands_of_matches.register(app)
commands_of_records.register(app)


@app.command()
def plan(
    overrides: Annotated[
        list[str] | None,
        typer.Argument(metavar="KEY=VALUE", help="e.g. experiment=othello6 iterations=4 train.lr=0.001"),
    ] = None,
    add: Annotated[bool, typer.Option("--add", help="Keep the overrides of the last plan, too.")] = False,
    next_: Annotated[bool, typer.Option("--next", help="The last plan and one generation more.")] = False,
) -> None:
    """Write params.yaml: conf/ with OVERRIDES, checked. `dvc repro` then runs what has changed.

    Without OVERRIDES params.yaml says what conf/ says. Presets: experiment=quick (the default), tictactoe,
    gomoku9, gomoku15, othello6, othello8; ablations: ablation=no_noise, no_symmetry. From a generation on:
    'schedule=[{start: 3, set: {train.lr: 0.0005}}]'.
    """
    from stonezero.plan import check_plan, extended, make_plan, read_plan, write_plan

    root, wanted = Path(), list(overrides or [])
    if add or next_:
        check_plan(root)  # values that only params.yaml has would be lost
        before = read_plan(root)
        more = [f"iterations={before.iterations + 1}"] if next_ else []
        wanted = extended(list(before.plan), extended(more, wanted))
    params = make_plan(root, wanted)
    state = "written" if write_plan(root, params) else "as before"
    text = f"params.yaml {state}: {params.experiment}, {params.iterations} generations {' '.join(wanted)}"
    print(text.rstrip())


@app.command(context_settings={"ignore_unknown_options": True})
def ablate(
    sweep: Annotated[
        list[str],
        typer.Argument(
            metavar="KEY=VALUE,...", help="e.g. ablation=none,no_noise seed=1,2,3 hydra/launcher=joblib"
        ),
    ],
    multirun: Annotated[bool, typer.Option("-m", "--multirun", help="As in Hydra; always so here.")] = True,
    reference: Annotated[
        str | None, typer.Option(help="Variant the others are compared with; none, else the first.")
    ] = None,
    pairs: Annotated[int, typer.Option(min=1, max=32, help="Colour-swapped pairs of each match.")] = 2,
    train_only: Annotated[
        bool,
        typer.Option("--train-only", help="Train on the records of this checkout's runs, play no games."),
    ] = False,
) -> None:
    """Run a grid of cells, each a cached DVC experiment, rate their champions and say what made a difference.

    SWEEP is Hydra's: every combination of the values is a cell, by default of experiment=ablation. What has
    been run is not run again. hydra/launcher=joblib runs as many cells at once as there are cores.
    """
    from stonezero.ablation.run import Options
    from stonezero.ablation.run import ablate as run_grid

    try:
        summary = run_grid(Path().resolve(), sweep, Options(reference, pairs, train_only))
    except KeyboardInterrupt:
        print("stonezero: interrupted; the same command goes on from here", file=sys.stderr)
        raise typer.Exit(130) from None
    raise typer.Exit(1 if summary.failures else 0)


@track.command()
def sync() -> None:
    """Log what MLflow lacks: records that wait for it, and finished stages that came from DVC's cache."""
    from stonezero.tracking import sync as sync_store

    print(sync_store(Path().resolve()))


@app.command()
def mlflow(
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port of the page.")] = 5000,
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
) -> None:
    """Start MLflow's page on this checkout's store. `mlflow ui` shows the same, with more processes."""
    from stonezero.errors import UserError
    from stonezero.outbox import Sender, waiting

    uri = os.environ.get("MLFLOW_TRACKING_URI", "")
    root = Path().resolve()
    if uri.startswith("http"):
        raise UserError(f"MLFLOW_TRACKING_URI is {uri}, a server with a page of its own: open that")
    if not uri and waiting(root):
        Sender(root).send()
    if not uri and not (root / "mlflow.db").exists():
        raise UserError(f"there is no mlflow.db in {root} yet: `dvc repro` makes it")
    if (root / "mlruns").is_dir():
        print("note: there is an mlruns folder of an older MLflow here; this page shows mlflow.db, not it")
    os.environ["MLFLOW_SERVER_ENABLE_JOB_EXECUTION"] = "false"
    os.environ.setdefault("MLFLOW_DISABLE_TELEMETRY", "true")
    store = uri or f"sqlite:///{root / 'mlflow.db'}"
    options = ["--backend-store-uri", store, "--workers", "1", "--host", host, "--port", str(port)]
    command = [sys.executable, "-m", "mlflow", "server", *options]
    os.execv(sys.executable, command)


@app.command()
def play(
    checkpoint: Annotated[Path | None, typer.Argument(help="By default the run's last champion.")] = None,
    color: Annotated[str, typer.Option(help="Your side: black (moves first) or white.")] = "black",
    simulations: Annotated[
        int, typer.Option(min=1, max=1_000_000, help="The net's search per move: its strength.")
    ] = 200,
    temperature: Annotated[float, typer.Option(min=0, help="0 plays the best move; 1 varies a lot.")] = 0.0,
    show_candidates: Annotated[bool, typer.Option(help="Show what the net considers at each move.")] = False,
    seed: Annotated[int, typer.Option(min=0, help="Of the variation, where there is some.")] = 0,
    endgame: Annotated[
        int, typer.Option(min=0, max=20, help="Othello: solve from so many empty points on.")
    ] = 0,
) -> None:
    """Play against a checkpoint in the terminal. `hint` shows candidate moves with N, P and Q."""
    from rich.console import Console

    from stonezero.config import paths
    from stonezero.errors import UserError
    from stonezero.network.checkpoint import Checkpoint
    from stonezero.terminal import SIDES, Opponent, default_checkpoint, play_game

    if color not in SIDES:
        raise UserError(f"--color is {color!r}, but must be black or white")
    net = Checkpoint.load(checkpoint or default_checkpoint(paths))
    play_game(Opponent(net, simulations, temperature, seed, endgame), color, show_candidates, Console())


@app.command()
def show(
    checkpoint: Annotated[Path | None, typer.Argument(help="By default the run's last champion.")] = None,
) -> None:
    """What a checkpoint is: its game, its net, the run that made it and with which parameters."""
    from omegaconf import OmegaConf

    from stonezero.config import paths
    from stonezero.terminal import default_checkpoint, describe_checkpoint

    print(OmegaConf.to_yaml(describe_checkpoint(checkpoint or default_checkpoint(paths))).rstrip())


@app.command()
def serve(
    overrides: Annotated[
        list[str] | None, typer.Argument(metavar="KEY=VALUE", help="e.g. port=8080 simulations=400")
    ] = None,
    config: Annotated[Path, typer.Option(help="The settings' file.")] = Path("conf/serve/default.yaml"),
) -> None:
    """Start the service and its web page: play, look into searches, follow the training.

    Settings lie in conf/serve/default.yaml. STONEZERO_API_KEY, where it is set, is asked of every request.
    """
    from stonezero.app.server import serve as run
    from stonezero.app.settings import load_settings

    run(load_settings(config, overrides))


@app.command("warm-up")
def warm_up() -> None:
    """Compile all kernels now, so that no run has to wait for them."""
    from stonezero import warmup

    print(f"kernels ready after {warmup.warm_up():.1f} s")


def main() -> None:
    """Entry point: what a user can mend is one line and exit status 1."""
    from stonezero.errors import UserError

    try:
        app()
    except UserError as error:
        sys.exit(f"stonezero: {error}")
