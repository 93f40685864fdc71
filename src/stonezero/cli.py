"""The command line `stonezero`. Commands import what they need when they run, so that --help is quick."""

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(
    help="The AlphaZero laboratory for stone games: plan runs, follow them, play against what they learnt.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
track = typer.Typer(help="What MLflow knows of this checkout's runs.", no_args_is_help=True)
app.add_typer(track, name="track")


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
    from stonezero.plan import extended, make_plan, read_plan, write_plan

    root, wanted = Path(), list(overrides or [])
    if add or next_:
        before = read_plan(root)
        more = [f"iterations={before.iterations + 1}"] if next_ else []
        wanted = extended(list(before.plan), extended(more, wanted))
    params = make_plan(root, wanted)
    verb = "written" if write_plan(root, params) else "as before"
    print(
        f"params.yaml {verb}: {params.experiment}, {params.iterations} generations {' '.join(wanted)}".rstrip()
    )


@track.command()
def sync() -> None:
    """Log what MLflow lacks: records that wait for it, and finished stages that came from DVC's cache."""
    from stonezero.tracking import sync as sync_store

    print(sync_store(Path().resolve()))


@app.command()
def mlflow(
    port: Annotated[int, typer.Option(help="Port of the page.")] = 5000,
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
) -> None:
    """Start MLflow's page on this checkout's store. `mlflow ui` shows the same, with more processes."""
    from stonezero.errors import UserError
    from stonezero.outbox import waiting

    uri = os.environ.get("MLFLOW_TRACKING_URI", "")
    root = Path().resolve()
    if uri.startswith("http"):
        raise UserError(f"MLFLOW_TRACKING_URI is {uri}, a server with a page of its own: open that")
    if not uri and not (root / "mlflow.db").exists() and not waiting(root):
        raise UserError(f"there is no mlflow.db in {root} yet: `dvc repro` makes it")
    os.environ["MLFLOW_SERVER_ENABLE_JOB_EXECUTION"] = "false"
    os.environ.setdefault("MLFLOW_DISABLE_TELEMETRY", "true")
    store = uri or f"sqlite:///{root / 'mlflow.db'}"
    options = ["--backend-store-uri", store, "--workers", "1", "--host", host, "--port", str(port)]
    command = [sys.executable, "-m", "mlflow", "server", *options]
    os.execv(sys.executable, command)


def main() -> None:
    """Entry point: what a user can mend is one line and exit status 1."""
    from stonezero.errors import UserError

    try:
        app()
    except UserError as error:
        sys.exit(f"stonezero: {error}")
