"""`stonezero engine`: a protocol by name, a net behind it, a session until the other side has enough."""

from typing import IO

from stonezero.engines.gomocup import GomocupEngine
from stonezero.engines.gtp import GtpEngine
from stonezero.engines.nboard import NboardEngine
from stonezero.engines.session import Engine, Inbox, run_session
from stonezero.engines.thinker import Thinker
from stonezero.errors import UserError
from stonezero.games.notation import describe
from stonezero.network.checkpoint import Checkpoint

PROTOCOLS = ("gomocup", "gtp", "nboard")


def make_engine(protocol: str, thinker: Thinker, inbox: Inbox) -> Engine:
    """UserError for an unknown protocol, and for a net whose game it can't express."""
    if protocol not in PROTOCOLS:
        raise UserError(f"there is no protocol {protocol!r}: choose {', '.join(PROTOCOLS)}")
    if protocol == "gtp":
        return GtpEngine(thinker, inbox)
    if protocol == "nboard":
        return NboardEngine(thinker)
    if thinker.game.name != "gomoku":
        raise UserError(f"Gomocup plays gomoku, and this net {describe(thinker.game)}")
    return GomocupEngine(thinker, inbox)


def run_engine(
    protocol: str,
    checkpoint: Checkpoint,
    simulations: int,
    seconds: float,
    streams: tuple[IO[bytes], IO[bytes]],
) -> None:
    """Answer what comes in on the first stream on the second, until its end."""
    inbox = Inbox()
    engine = make_engine(protocol, Thinker(checkpoint, simulations, seconds), inbox)
    run_session(engine, inbox, *streams)
