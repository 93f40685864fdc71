"""The net as numba kernels on vectors of positions: what `stonezero.network.native_backend` runs.

In dependency order: `simd` (vector instructions), `winograd` (3x3 convolutions), `heads`, `forward` (the
whole net). Every activation holds LANES positions side by side, so that one vector instruction does the same
step for all of them, and a position's result can't depend on its neighbours.
"""
