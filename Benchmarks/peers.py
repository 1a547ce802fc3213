# SPDX-License-Identifier: Apache-2.0
"""Servers for the time of a turn, and the ways in which llama-server can be run."""

import dataclasses
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import needs
from processes import busy_seconds, disturbance


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def wait_for_quiet(patience: float, allowed: float) -> float:
    """Waits for other programs to take no more than a share of the processors; returns what they took last."""
    end = time.monotonic() + patience
    while True:
        before = busy_seconds()
        time.sleep(1)
        share = disturbance(before, 0, 1)
        if share <= allowed or time.monotonic() >= end:
            return share


@dataclasses.dataclass(frozen=True)
class Peer:
    """A way to run llama-server: how it is built, and how its threads wait for each other."""

    name: str
    program: Path
    options: tuple[str, ...] = ()
    variables: tuple[tuple[str, str], ...] = ()

    @property
    def environment(self) -> dict[str, str]:
        # The kernels of this build, where the program is a link to another build's.
        return {"LD_LIBRARY_PATH": str(self.program.parent), **dict(self.variables)}

    @staticmethod
    def of(program: Path) -> "list[Peer]":
        """The ways to run a program: threads that spin for a while, and threads that sleep at once."""
        program = program.absolute()
        kind = build_kind(program.parent.parent)
        peers = [Peer(kind, program)]
        if kind.endswith("openmp"):
            peers.append(Peer(f"{kind}, passive", program, variables=(("OMP_WAIT_POLICY", "passive"),)))
        else:
            peers.append(Peer(f"{kind}, no polling", program, options=("--poll", "0")))
        return peers

    @staticmethod
    def builds(folder: Path) -> "list[Peer]":
        """The ways to run each build in a folder of llama.cpp's."""
        found = {}
        for program in sorted(folder.glob("build*/bin/llama-server")):
            if "-avx2" not in program.parent.parent.name:
                found.setdefault(build_kind(program.parent.parent), program)
        if not found:
            sys.exit(f"{folder} has no llama-server; scripts/reference/build-llama-cpp --server builds it")
        return [peer for program in found.values() for peer in Peer.of(program)]


def build_kind(build: Path) -> str:
    """The compiler of a build, and whether its threads are OpenMP's, as scripts/reference/build-llama-cpp names them."""
    try:
        cache = (build / "CMakeCache.txt").read_text()
    except OSError:
        return "llama-server"
    compiler = "clang" if re.search(r"^CMAKE_C_COMPILER:[^=]*=.*clang", cache, re.M) else "gcc"
    return compiler + ("-openmp" if re.search(r"^GGML_OPENMP_ENABLED:[^=]*=ON", cache, re.M) else "")


class Server:
    """A server for the time of a turn."""

    def __init__(self, command: list[str], port: int, directory: Path, environment: dict[str, str]) -> None:
        self.port = port
        needs.program(command[0])
        self.log = open(directory / f"{Path(command[0]).name}.log", "ab")
        self.process = subprocess.Popen(command, stdout=self.log, stderr=self.log, env=environment)

    def __enter__(self) -> "Server":
        end = time.monotonic() + 120
        try:
            while time.monotonic() < end:
                if self.process.poll() is not None:
                    sys.exit(f"{self.process.args[0]} has ended; see {self.log.name}")
                try:
                    with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/health", timeout=2) as answer:
                        if answer.status == 200:
                            return self
                except OSError:
                    pass
                time.sleep(0.2)
            sys.exit(f"{self.process.args[0]} does not become ready; see {self.log.name}")
        except BaseException:
            self.__exit__()
            raise

    def __exit__(self, *_) -> None:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        try:
            self.process.wait(40)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.log.close()
