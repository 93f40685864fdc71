"""A bounded memory of evaluations in front of a backend.

The key is a digest of a position's planes, all that a net ever sees of it: so what the cache answers is,
bit for bit, what the backend would answer, whichever games share the worker, and records do not depend on
its size. Only the number of hits does.
"""

from collections.abc import Callable
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

Evaluation = tuple[NDArray[np.float32], NDArray[np.float32]]
Ask = Callable[[NDArray[np.float32]], Evaluation]  #: planes float32[B, C, H, W] -> logits, values


class EvaluationCache:
    """Remembers up to `size` evaluations, and forgets the oldest first."""

    def __init__(self, ask: Ask, size: int) -> None:
        self._ask = ask
        self._size = size
        self._known: dict[bytes, tuple[NDArray[np.float32], np.float32]] = {}
        self.num_hits = 0

    def __len__(self) -> int:
        return len(self._known)

    def evaluate(self, planes: NDArray[np.float32]) -> Evaluation:
        """As the backend's: logits float32[B, A], values float32[B]; only rows not known are asked for."""
        keys = [blake2b(row, digest_size=16).digest() for row in planes]
        answers = {key: self._known[key] for key in keys if key in self._known}
        missing = {key: b for b, key in enumerate(keys) if key not in answers}
        self.num_hits += len(keys) - len(missing)
        if missing:
            logits, values = self._ask(np.ascontiguousarray(planes[list(missing.values())]))
            for i, key in enumerate(missing):
                answers[key] = self._known[key] = logits[i].copy(), values[i]
            for key in list(self._known)[: max(len(self._known) - self._size, 0)]:
                del self._known[key]
        return (
            np.stack([answers[key][0] for key in keys]),
            np.array([answers[key][1] for key in keys], np.float32),
        )
