"""Around every request: a bound on its body, headers that keep the page at home, the log and the figures."""

import logging
import time

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from stonezero.app.service import Service

logger = logging.getLogger(__name__)

CONTENT_POLICY = (
    "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; worker-src 'self' blob:; "
    "frame-ancestors 'none'; base-uri 'none'"
)
HEADERS = {
    "Content-Security-Policy": CONTENT_POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
}


class Guards:
    """ASGI middleware; see the module."""

    def __init__(self, app: ASGIApp, service: Service) -> None:
        self._app = app
        self._service = service

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        watch = _Watch(scope, send, self._service)
        limit = self._service.settings.max_body_bytes
        if _content_length(scope) > limit:
            await JSONResponse({"detail": _too_long(limit)}, 413)(scope, receive, watch.send)
        else:
            await self._app(scope, _bounded(receive, limit), watch.send)


class _Watch:
    """Follows the answer to one request."""

    def __init__(self, scope: Scope, send: Send, service: Service) -> None:
        self._scope = scope
        self._send = send
        self._service = service
        self._start = time.perf_counter()
        self._status = 0

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._status = message["status"]
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers[name] = value
        await self._send(message)
        if message["type"] == "http.response.body" and not message.get("more_body", False):
            self._finish()

    def _finish(self) -> None:
        seconds = time.perf_counter() - self._start
        route = self._scope.get("route")
        path = getattr(route, "path", "") or "other"  # the template: as many labels as routes
        metrics = self._service.metrics
        metrics.requests.labels(path, str(self._status)).inc()
        metrics.latency.labels(path).observe(seconds)
        logger.info("%s %s %d %.1f ms", self._scope["method"], path, self._status, 1000 * seconds)


def _content_length(scope: Scope) -> int:
    """As the header says; 0 where it says nothing sensible."""
    text = Headers(scope=scope).get("content-length", "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 20 else 0


def _too_long(limit: int) -> str:
    return f"the body is longer than {limit} bytes"


def _bounded(receive: Receive, limit: int) -> Receive:
    """`receive` that refuses the part of a body that goes beyond `limit`."""
    total = 0

    async def receive_bounded() -> Message:
        nonlocal total
        message = await receive()
        total += len(message.get("body", b""))
        if total > limit:
            raise HTTPException(413, _too_long(limit))
        return message

    return receive_bounded
