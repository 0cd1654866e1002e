"""Request metrics in the text format of Prometheus: counts and durations by call."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from starlette.requests import Request
from starlette.responses import Response

from foureyes.app.limits import Quotas
from foureyes.http.gauges import gauge

MEDIA_TYPE = "text/plain; version=0.0.4"
#: Upper bounds of the histogram's buckets, in seconds.
BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 45.0)
HELD = ("waits", "feeds", "uploads")

Handler = Callable[[Request], Awaitable[Response]]


@dataclass(slots=True)
class _Times:
    buckets: list[int] = field(default_factory=lambda: [0] * len(BUCKETS))
    seconds: float = 0.0
    count: int = 0


class Meter:
    """Counts requests by the call they make; never by who makes them."""

    def __init__(self, quotas: Quotas) -> None:
        """Start with all counts at zero; `quotas` knows the open connections."""
        self._quotas = quotas
        self._statuses: dict[tuple[str, int], int] = {}
        self._times: dict[str, _Times] = {}
        self._under_way = 0

    def around(self, name: str, handler: Handler) -> Handler:
        """Wrap a handler so that its requests are counted and timed."""

        async def answer(request: Request) -> Response:
            begin, self._under_way = time.perf_counter(), self._under_way + 1
            try:
                response = await handler(request)
            finally:
                self._under_way -= 1
            self._count(name, response.status_code, time.perf_counter() - begin)
            return response

        return answer

    def text(self) -> str:
        """All metrics, in the text format of Prometheus."""
        lines = [
            "# HELP foureyes_requests_total Requests, by call and status.",
            "# TYPE foureyes_requests_total counter",
        ]
        for (name, status), count in sorted(self._statuses.items()):
            lines.append(f'foureyes_requests_total{{call="{name}",status="{status}"}} {count}')
        lines += ["# HELP foureyes_request_seconds How long they took.", "# TYPE foureyes_request_seconds histogram"]
        for name, times in sorted(self._times.items()):
            lines += _histogram(name, times)
        lines += gauge("foureyes_requests_under_way", "Requests that are being answered.", self._under_way)
        for what in HELD:
            lines += gauge(f"foureyes_{what}", f"Connections that are {what}.", self._quotas.held(what))
        return "\n".join(lines) + "\n"

    def _count(self, name: str, status: int, seconds: float) -> None:
        self._statuses[name, status] = self._statuses.get((name, status), 0) + 1
        times = self._times.get(name)
        if times is None:
            times = self._times[name] = _Times()
        times.count, times.seconds = times.count + 1, times.seconds + seconds
        for number, most in enumerate(BUCKETS):
            if seconds <= most:
                times.buckets[number] += 1
                break


def _histogram(name: str, times: _Times) -> list[str]:
    lines, below = list[str](), 0
    for most, count in zip(BUCKETS, times.buckets, strict=True):
        below += count
        lines.append(f'foureyes_request_seconds_bucket{{call="{name}",le="{most}"}} {below}')
    return [
        *lines,
        f'foureyes_request_seconds_bucket{{call="{name}",le="+Inf"}} {times.count}',
        f'foureyes_request_seconds_sum{{call="{name}"}} {times.seconds:.6f}',
        f'foureyes_request_seconds_count{{call="{name}"}} {times.count}',
    ]
