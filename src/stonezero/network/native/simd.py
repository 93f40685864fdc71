"""Vectors of LANES float32 inside kernels, as LLVM vector instructions.

Loops over lanes are left to nobody's optimiser: LLVM gives up on them when it can't tell arrays apart.
Inside a kernel a vector is a value like any other: `a + b`, `a - b`, `a * b`, and the functions below. Arrays
are flat float32; an index counts floats, is not checked, and needs no alignment.
"""

import operator
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic, models, overload, register_model

LANES = 8
"""Positions in one vector: one AVX2 register, two NEON registers."""

LLVM_VECTOR = ir.VectorType(ir.FloatType(), LANES)
FLOAT_ALIGNMENT = 4


class Vector(types.Type):
    """numba's type of LANES float32."""

    def __init__(self) -> None:
        super().__init__(name=f"Vector{LANES}")


vector = Vector()


@register_model(Vector)
class VectorModel(models.PrimitiveModel):
    """A vector is held as LLVM's own vector type."""

    def __init__(self, manager: Any, numba_type: Any) -> None:
        super().__init__(manager, numba_type, LLVM_VECTOR)


def instruction(function: Callable[..., Any]) -> Any:
    """numba's `intrinsic`, out of the type checker's sight."""
    return intrinsic(function)


def _pointer(context: Any, builder: Any, array_type: Any, array: Any, index: Any) -> Any:
    data = context.make_array(array_type)(context, builder, array).data
    return builder.gep(data, [index])


def _broadcast(builder: Any, scalar: Any) -> Any:
    undefined = ir.Constant(LLVM_VECTOR, ir.Undefined)
    first = builder.insert_element(undefined, scalar, ir.Constant(ir.IntType(32), 0))
    zeros = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
    return builder.shuffle_vector(first, undefined, zeros)


@instruction
def load(typing: Any, array: Any, index: Any) -> Any:
    """The vector array[index : index + LANES]."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer = _pointer(context, builder, signature.args[0], *args)
        return builder.load(builder.bitcast(pointer, LLVM_VECTOR.as_pointer()), align=FLOAT_ALIGNMENT)

    return vector(array, types.intp), generate


@instruction
def store(typing: Any, array: Any, index: Any, value: Any) -> Any:
    """array[index : index + LANES] = value"""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer = _pointer(context, builder, signature.args[0], *args[:2])
        builder.store(args[2], builder.bitcast(pointer, LLVM_VECTOR.as_pointer()), align=FLOAT_ALIGNMENT)
        return context.get_dummy_value()

    return types.void(array, types.intp, vector), generate


@instruction
def load_splat(typing: Any, array: Any, index: Any) -> Any:
    """array[index] in every lane."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return _broadcast(builder, builder.load(_pointer(context, builder, signature.args[0], *args)))

    return vector(array, types.intp), generate


@instruction
def splat(typing: Any, scalar: Any) -> Any:
    """The same number in every lane."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return _broadcast(builder, args[0])

    return vector(types.float32), generate


@instruction
def multiply_add(typing: Any, a: Any, b: Any, c: Any) -> Any:
    """a * b + c with one rounding, on every machine alike."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        function_type = ir.FunctionType(LLVM_VECTOR, [LLVM_VECTOR] * 3)
        name = f"llvm.fma.v{LANES}f32"
        return builder.call(cgutils.get_or_insert_function(builder.module, function_type, name), args)

    return vector(vector, vector, vector), generate


@instruction
def maximum(typing: Any, a: Any, b: Any) -> Any:
    """Lane by lane."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.select(builder.fcmp_ordered(">", *args), *args)

    return vector(vector, vector), generate


def _define_operator(python_operator: Callable[..., Any], opcode: str) -> None:
    @instruction
    def operate(typing: Any, a: Any, b: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return getattr(builder, opcode)(*args)

        return vector(vector, vector), generate

    @overload(python_operator)
    def choose(a: Any, b: Any) -> Any:
        def implementation(a: Any, b: Any) -> Any:
            return operate(a, b)

        return implementation if a is vector and b is vector else None


_define_operator(operator.add, "fadd")
_define_operator(operator.sub, "fsub")
_define_operator(operator.mul, "fmul")
