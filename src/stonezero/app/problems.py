"""What goes wrong in a request, as an HTTP status and one clear sentence."""

import math
from collections.abc import Sequence
from typing import Any

from stonezero.games.notation import quoted


class ProblemError(Exception):
    """The request cannot be answered; `status` is 4xx, or 503 when it may be tried again."""

    def __init__(self, status: int, detail: str, state: dict[str, Any] | None = None) -> None:
        super().__init__(detail)
        self.status = status
        self.detail = detail
        self.state = state  #: of the game session, where the client's own is stale

    def body(self) -> dict[str, Any]:
        """The JSON answer."""
        return {"detail": self.detail} | ({"state": self.state} if self.state is not None else {})

    def headers(self) -> dict[str, str]:
        return {"Retry-After": "1"} if self.status == 503 else {}


def sentence_of(errors: Sequence[Any]) -> str:
    """One sentence about the first of pydantic's errors: the field, what is wrong, what would be right."""
    error = errors[0]
    place = field_text(error["loc"])
    kind, context = error["type"], error.get("ctx", {})
    if kind == "json_invalid":
        return f"the body is no JSON: {context.get('error', 'it cannot be parsed')}"
    if kind == "missing":
        return f"{place} is missing"
    if kind == "extra_forbidden":
        return f"there is no field {place}"
    if place.startswith("board[") and kind in ("int_type", "less_than_equal", "greater_than_equal"):
        return f"{place} must be 0 (empty), 1 (black) or 2 (white), not {shown(error.get('input'))}"
    if kind in ("too_short", "too_long") and "actual_length" in context:
        bound = "at least" if kind == "too_short" else "at most"
        length = context.get("min_length", context.get("max_length"))
        return f"{place} must have {bound} {length} entries"
    what = str(error["msg"]).removeprefix("Value error, ").replace("Input should", "must", 1)
    return f"{place} {_lower_first(what)}, not {shown(error.get('input'))}"


def field_text(location: Sequence[str | int]) -> str:
    """A place in the request: `board[3][4]`, `game.size`."""
    text = ""
    for part in location[1:] if location and location[0] in ("body", "query", "path") else location:
        if isinstance(part, int):
            text += f"[{part}]"
        else:
            text += f"{'.' if text else ''}{quoted(part)[1:-1]}"
    return text or "the body"


def shown(value: Any) -> str:
    """Wrong input as JSON would write it, cut short."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else ("Infinity" if value > 0 else "-Infinity")
    if isinstance(value, bytes):
        return f"{len(value)} bytes"
    return quoted(value)


def _lower_first(text: str) -> str:
    return text[:1].lower() + text[1:]
