# SPDX-License-Identifier: Apache-2.0
"""The virtual environments in which scripts run other people's programs."""

import subprocess
import venv
from pathlib import Path


def python(place: Path, packages: list[str]) -> Path:
    """The Python of an environment with these packages.

    It is made anew where it lacks one of them, has another version, or was not finished.
    """
    program, list_of_packages = place / "bin" / "python", place / "packages.txt"
    wanted = "\n".join(packages) + "\n"
    if not program.exists() or not list_of_packages.exists() or list_of_packages.read_text() != wanted:
        venv.create(place, with_pip=True, clear=True)
        subprocess.run([program, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *packages], check=True)
        list_of_packages.write_text(wanted)
    return program
