"""64-bit words inside kernels: bit counts, and the same steps on four words at once.

A *lane kernel* is a Python function on `Lanes`. It is traced once and becomes LLVM vector code inside the
kernels that call it: one AVX2 instruction per step where the machine has AVX2, several narrower ones where
it has not, with the same result everywhere. (Four directions of a bit board are four lanes: that is what
makes Othello's rules fast. The compiler does not find these vectors by itself.)
"""

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic
from numpy.typing import NDArray

NUM_LANES = 4
WORD = ir.IntType(64)
INDEX = ir.IntType(32)
BIT = ir.IntType(1)
VECTOR = ir.VectorType(WORD, NUM_LANES)

inline_code: Any = intrinsic
"""numba's decorator, without its types: they are those of the definition, not of the calls."""


@inline_code
def pop_count(_context: Any, word: Any) -> Any:
    """Number of bits set in a uint64, as int64."""
    return types.int64(word), lambda _, builder, __, arguments: builder.ctpop(arguments[0])


@inline_code
def trailing_zeros(_context: Any, word: Any) -> Any:
    """Index of the lowest bit set in a uint64, as int64; 64 where none is."""
    return types.int64(word), lambda _, builder, __, arguments: builder.cttz(arguments[0], BIT(0))


@inline_code
def leading_zeros(_context: Any, word: Any) -> Any:
    """Number of clear bits above the highest bit set in a uint64, as int64; 64 where none is."""
    return types.int64(word), lambda _, builder, __, arguments: builder.ctlz(arguments[0], BIT(0))


class Lanes:
    """Four uint64 in one vector while a lane kernel is traced; operators work lane by lane."""

    def __init__(self, builder: ir.IRBuilder, vector: ir.Value, word: ir.Value | None = None) -> None:
        self.builder = builder
        self.vector = vector
        self.word = word  #: the argument that fills all lanes, if this is one

    def __and__(self, other: "Lanes | NDArray[np.uint64]") -> "Lanes":
        return self._combine(self.builder.and_, other)

    def __or__(self, other: "Lanes | NDArray[np.uint64]") -> "Lanes":
        return self._combine(self.builder.or_, other)

    def __add__(self, other: "Lanes | NDArray[np.uint64]") -> "Lanes":
        return self._combine(self.builder.add, other)

    def __lshift__(self, steps: NDArray[np.uint64]) -> "Lanes":
        return self._combine(self.builder.shl, steps)

    def __rshift__(self, steps: NDArray[np.uint64]) -> "Lanes":
        return self._combine(self.builder.lshr, steps)

    def __invert__(self) -> "Lanes":
        return Lanes(self.builder, self.builder.not_(self.vector))

    def __neg__(self) -> "Lanes":
        return Lanes(self.builder, self.builder.neg(self.vector))

    def ones_where_set(self) -> "Lanes":
        """All 64 bits (so -1) in lanes that are not zero, none in the others."""
        is_set = self.builder.icmp_unsigned("!=", self.vector, _constant(np.zeros(NUM_LANES, np.uint64)))
        return Lanes(self.builder, self.builder.sext(is_set, VECTOR))

    def _combine(self, operation: Callable[..., ir.Value], other: "Lanes | NDArray[np.uint64]") -> "Lanes":
        operand = other.vector if isinstance(other, Lanes) else _constant(other)
        return Lanes(self.builder, operation(self.vector, operand))


class LaneTable:
    """Constant rows of four words, looked up inside lane kernels: `table[square]`."""

    def __init__(self, name: str, rows: NDArray[np.uint64]) -> None:
        """`rows` uint64[R, 4]; `name` is unique among tables."""
        self._name = f"stonezero.lane_table.{name}"
        self._rows = rows

    def __getitem__(self, index: Lanes) -> Lanes:
        """The row that an argument of the kernel numbers, which must be in range."""
        builder = index.builder
        table = builder.module.globals.get(self._name)
        if table is None:
            kind = ir.ArrayType(VECTOR, len(self._rows))
            table = ir.GlobalVariable(builder.module, kind, self._name)
            table.linkage, table.global_constant = "internal", True
            table.initializer = ir.Constant(kind, [_constant(row) for row in self._rows])
        pointer = builder.gep(table, [WORD(0), index.word], inbounds=True)
        return Lanes(builder, builder.load(pointer))


def lane_kernel(function: Callable[..., Lanes]) -> Any:
    """Make a function on `Lanes` callable in kernels: uint64 words in, one uint64 out.

    Each argument fills all four lanes; the result is the bitwise or of the four lanes.
    """

    def typed(_context: Any, *words: Any) -> Any:
        return types.uint64(*[types.uint64] * len(words)), generate

    def generate(_context: Any, builder: ir.IRBuilder, _signature: Any, words: Any) -> ir.Value:
        return _merge(function(*(_fill(builder, word) for word in words)))

    parameters = inspect.signature(function).parameters.values()
    context = inspect.Parameter("context", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    typed.__signature__ = inspect.Signature([context, *parameters])  # type: ignore[attr-defined]
    typed.__name__ = function.__name__
    return inline_code(typed)


def _constant(words: NDArray[np.uint64]) -> ir.Constant:
    return ir.Constant(VECTOR, [int(word) for word in words])


def _fill(builder: ir.IRBuilder, word: ir.Value) -> Lanes:
    nothing = ir.Constant(VECTOR, ir.Undefined)
    first = builder.insert_element(nothing, word, INDEX(0))
    everywhere = ir.Constant(ir.VectorType(INDEX, NUM_LANES), [0] * NUM_LANES)
    return Lanes(builder, builder.shuffle_vector(first, nothing, everywhere), word)


def _merge(lanes: Lanes) -> ir.Value:
    name = f"llvm.vector.reduce.or.v{NUM_LANES}i64"
    module = lanes.builder.module
    reduction = module.globals.get(name) or ir.Function(module, ir.FunctionType(WORD, [VECTOR]), name)
    return lanes.builder.call(reduction, [lanes.vector])
