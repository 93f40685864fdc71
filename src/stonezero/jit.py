"""The one kernel decorator, and where compiled kernels are kept.

numba's own cache checks only the file that holds a kernel: edit a callee in another file and the old
machine code runs on. It also keys the cache by the folder of the sources, so that each temporary
checkout compiles anew. Here the cache folder is named by a digest of every kernel source of the
package, whatever folder the package lies in.
"""

import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
import platformdirs
from numba.core.caching import _CacheLocator

from stonezero.errors import UserError

PACKAGE = Path(__file__).resolve().parent
KERNEL_MODULES = ("jit.py", "lanes.py")
KERNEL_FOLDERS = ("games", "search", "players", "records", "solvers")
WITHOUT_KERNELS = ("records/formats",)


def kernel_digest() -> str:
    """Hex digest of all kernel sources, numba's version and the bounds-check flag."""
    digest = hashlib.sha256(f"{numba.__version__} {os.environ.get('NUMBA_BOUNDSCHECK', '0')}".encode())
    sources = [PACKAGE / module for module in KERNEL_MODULES]
    for folder in KERNEL_FOLDERS:
        sources += sorted((PACKAGE / folder).glob("**/*.py"))
    without = [PACKAGE / folder for folder in WITHOUT_KERNELS]
    sources = [source for source in sources if source.parent not in without]
    for source in sources:
        digest.update(source.resolve().relative_to(PACKAGE).as_posix().encode())
        digest.update(source.read_bytes())
    return digest.hexdigest()[:16]


CACHE_ROOT = Path(os.environ.get("STONEZERO_CACHE") or platformdirs.user_cache_dir("stonezero")).absolute()
CACHE_FOLDER = CACHE_ROOT / "kernels" / kernel_digest()


class DigestLocator(_CacheLocator):
    """Places this package's kernels in `CACHE_FOLDER`; leaves other packages' functions to numba."""

    def __init__(self, py_func: Callable[..., Any], py_file: str) -> None:
        self._folder = Path(py_file).resolve().parent.name
        self._line = py_func.__code__.co_firstlineno

    def get_cache_path(self) -> str:
        return str(CACHE_FOLDER)

    def get_source_stamp(self) -> str:
        return CACHE_FOLDER.name

    def get_disambiguator(self) -> str:
        return f"{self._folder}-{self._line}"

    @classmethod
    def from_function(cls, py_func: Callable[..., Any], py_file: str) -> "DigestLocator | None":
        if PACKAGE not in Path(py_file).resolve().parents:
            return None
        self = cls(py_func, py_file)
        try:
            self.ensure_cache_path()
        except OSError as error:
            raise UserError(
                f"compiled kernels cannot be kept in {CACHE_ROOT} ({error.strerror}): "
                "set STONEZERO_CACHE to a folder that can be written"
            ) from error
        return self


numba.config.CACHE_LOCATOR_CLASSES = (  # type: ignore[attr-defined]
    f"{__name__}.{DigestLocator.__name__},UserProvidedCacheLocator,InTreeCacheLocator,UserWideCacheLocator"
)


def kernel(function: Callable[..., Any]) -> Any:
    """Compile `function` with numba in nopython mode at its first call, cached on disk."""
    return numba.njit(cache=True, nogil=True, error_model="numpy")(function)


def inlined_kernel(function: Callable[..., Any]) -> Any:
    """As `kernel`, but compiled into its callers: for small kernels on the hot path.

    numba hands a NamedTuple of arrays over by value, a hundred words or so, at each call that the compiler
    does not inline by itself: that was half of the time of a tree search.
    """
    return numba.njit(cache=True, nogil=True, error_model="numpy", inline="always")(function)
