# SPDX-License-Identifier: Apache-2.0
"""What scripts need beside Python's standard library. Where it is missing, they end with what to do."""

import contextlib
import importlib.util
import shutil
import sys
from pathlib import Path


@contextlib.contextmanager
def packages(remedy: str):
    """Ends the script where a package is missing that is imported meanwhile."""
    try:
        yield
    except ModuleNotFoundError as error:
        _end(error.name, remedy)


def package(name: str, remedy: str) -> None:
    """Ends the script where a package is missing that it imports only later, or in a process of its own."""
    if importlib.util.find_spec(name) is None:
        _end(name, remedy)


def _end(package: str, remedy: str) -> None:
    sys.exit(f"{Path(sys.argv[0]).name} needs the Python package {package}. {remedy}")


def program(path: str, remedy: str = "") -> str:
    """A program's path; ends the script where there is none. Also the type of an argument that names a program."""
    if shutil.which(path) is None:
        is_peer = Path(path).name.startswith("llama-")
        usual = "scripts/reference/build-llama-cpp builds llama.cpp's." if is_peer else "'swift build -c release' builds Parley's."
        sys.exit(f"There is no program {path}. {remedy or usual}")
    return path
