# SPDX-License-Identifier: Apache-2.0
"""Runs a program and measures its time, its memory, and the processor time of other programs meanwhile."""

import dataclasses
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import needs


@dataclasses.dataclass
class Outcome:
    output: bytes
    first_byte: float  # seconds from the start to the first byte on standard output
    peak_memory: int  # bytes resident
    disturbance: float  # the share of all processors that other programs took


def busy_seconds() -> float | None:
    """The processor time used by all programs since the machine started; None if the system does not report it."""
    try:
        fields = Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:]
    except OSError:
        return None
    user, nice, system, _idle, _wait, irq, soft_irq, steal = map(int, fields[:8])
    return (user + nice + system + irq + soft_irq + steal) / os.sysconf("SC_CLK_TCK")


def disturbance(before: float | None, own: float, seconds: float) -> float:
    after = busy_seconds()
    if before is None or after is None or seconds <= 0:
        return 0
    return max(after - before - own, 0) / (seconds * (os.cpu_count() or 1))


def run(command: list, *, stdin: Path | None = None, environment: dict[str, str] | None = None) -> Outcome:
    words = [str(word) for word in command]
    needs.program(words[0])
    with open(stdin or os.devnull, "rb") as source, tempfile.TemporaryFile() as errors:
        before, start = busy_seconds(), time.monotonic()
        process = subprocess.Popen(words, stdin=source, stdout=subprocess.PIPE, stderr=errors, env=environment)
        output = os.read(process.stdout.fileno(), 1 << 16)
        first_byte = time.monotonic() - start
        output += process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.monotonic() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        process.stdout.close()
        share = disturbance(before, usage.ru_utime + usage.ru_stime, seconds)
        if process.returncode != 0:
            errors.seek(0)
            sys.exit(f"{' '.join(words)} ended with {process.returncode}:\n{errors.read().decode(errors='replace')[-2000:]}")
    unit = 1 if sys.platform == "darwin" else 1024
    return Outcome(output, first_byte, usage.ru_maxrss * unit, share)
