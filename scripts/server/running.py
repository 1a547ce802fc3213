# SPDX-License-Identifier: Apache-2.0
"""A parley-server that a script runs, with what the script wants to know of it."""

import http.client
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
from pathlib import Path

# How long anything may take, in seconds: nothing waits for this to pass, it only ends what would hang.
PATIENCE = 300


def free_port() -> int:
    """A port of this machine that nobody listens on."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


class Server:
    """A server on a free port of this machine, with an empty home of its own unless it is given one.

    What it logs is in `log`. Ends with `stop()`, which returns its exit status; negative for a signal.
    """

    def __init__(self, program: str, models: list[str], *options: str, home: Path | None = None):
        if shutil.which(program) is None:
            raise SystemExit(f"there is no program {program}; 'swift build -c release --product parley-server' builds it")
        self.folder = tempfile.TemporaryDirectory()
        self.home = home or Path(self.folder.name, "home")
        self.log = Path(self.folder.name, "log")
        had = (self.home / "server" / "server.key").exists()
        # A full log must not stop the server, so it is a file and no pipe.
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [program, *[str(Path(m).resolve()) if Path(m).exists() else m for m in models], "--port", "0", *options],
                stdout=subprocess.PIPE, stderr=log, text=True,
                # A request to fetch a model must not reach the network.
                env={**os.environ, "PARLEY_HOME": str(self.home), "HF_ENDPOINT": "http://127.0.0.1:9"})
        # One that says nothing is ended, so that no check waits for ever.
        patience = threading.Timer(PATIENCE, self.process.kill)
        patience.start()
        line = self.process.stdout.readline()
        patience.cancel()
        found = re.search(r"http://[^/\s]+", line)
        if not found:
            raise SystemExit(f"the server does not listen: {line}{self.log.read_text()}")
        self.root = found.group()
        self.port = int(self.root.rsplit(":", 1)[1])
        # The key of the server itself is shown once, after the address, when it is made.
        self.key = None if had else (re.search(r"#(?:key=)?(\S+)", self.process.stdout.readline()) or [None, None])[1]

    def wait(self, seconds: float = PATIENCE) -> None:
        """Waits until the first model is loaded."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if self.process.poll() is not None:
                raise SystemExit(f"the server has ended: {self.log.read_text()[-2000:]}")
            try:
                if self.ask("GET", "/health")[0] == 200:
                    return
            except OSError:
                pass
            time.sleep(0.05)
        raise SystemExit("the server does not become ready")

    def ask(self, method: str, path: str, body=None, key: str | None = None, seconds: float = PATIENCE) -> tuple[int, bytes]:
        """An answer's status and body."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=seconds)
        try:
            fields = {"Content-Type": "application/json"} if body is not None else {}
            if key:
                fields["Authorization"] = "Bearer " + key
            connection.request(method, path, None if body is None else json.dumps(body), fields)
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def json(self, method: str, path: str, body=None, **options):
        """An answer's body as JSON; raises where the status is an error."""
        status, data = self.ask(method, path, body, **options)
        if status >= 400:
            raise RuntimeError(f"{method} {path}: {status} {data[:300]!r}")
        return json.loads(data)

    def connect(self) -> socket.socket:
        """A connection."""
        return socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE)

    def figures(self) -> dict[str, float]:
        """What /metrics tells, by the name with its labels."""
        text = self.ask("GET", "/metrics")[1].decode()
        return {name: float(value) for name, _, value in
                (line.rpartition(" ") for line in text.splitlines() if line and not line.startswith("#"))}

    @property
    def resident(self) -> int:
        """The memory that the process has, in bytes."""
        for line in Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS"):
                return int(line.split()[1]) << 10
        return 0

    @property
    def descriptors(self) -> int:
        """The number of open files and connections."""
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def settled_descriptors(self, most: int, seconds: float = 60) -> int:
        """The number of descriptors once there are no more than so many, or after so long."""
        end = time.monotonic() + seconds
        while (count := self.descriptors) > most and time.monotonic() < end:
            time.sleep(0.1)
        return count

    def stop(self) -> int:
        """Ends the server and returns its exit status."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            status = self.process.wait(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            status = self.process.wait()
        self.process.stdout.close()
        return status


class Count:
    """Counts checks, and ends a script with them."""

    def __init__(self):
        self.passed, self.failed = 0, 0

    def check(self, holds: bool, what: str) -> bool:
        """Tells whether a check holds."""
        print(("ok      " if holds else "FAILED  ") + what, flush=True)
        if holds:
            self.passed += 1
        else:
            self.failed += 1
        return holds

    def finish(self) -> None:
        """Tells the numbers in the last line and exits."""
        print(f"{self.passed} passed, {self.failed} failed", flush=True)
        raise SystemExit(self.failed > 0)
