"""Prometheus figures of one service, served at /metrics."""

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

LATENCY_BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.25, 0.5, 1.0, 2.5, 5.0)
WAVE_BUCKETS = (1, 2, 4, 8, 16, 32, 64)


class Metrics:
    """Counters and histograms in a registry of their own, so that two services don't share any."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.requests = Counter(
            "stonezero_requests", "Requests answered", ["path", "status"], registry=self.registry
        )
        self.latency = Histogram(
            "stonezero_request_seconds",
            "Time to answer",
            ["path"],
            registry=self.registry,
            buckets=LATENCY_BUCKETS,
        )
        self.pending = Gauge("stonezero_pending", "Requests searching or waiting", registry=self.registry)
        self.simulations = Counter(
            "stonezero_simulations", "Simulations searched", ["model"], registry=self.registry
        )
        self.wave_size = Histogram(
            "stonezero_wave_size", "Requests that share a wave", registry=self.registry, buckets=WAVE_BUCKETS
        )

    def text(self) -> bytes:
        """All figures in Prometheus' text format."""
        return generate_latest(self.registry)
