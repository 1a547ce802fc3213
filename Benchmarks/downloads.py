#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures `parley models pull` against a server on loopback.

    downloads.py kill   [--parley PATH] [--kills 50] [--megabytes 200] [--rate 20]
    downloads.py speed  [--parley PATH] [--megabytes 1000] [--hf PATH]
    downloads.py pair   [--parley PATH]

`kill` ends the process with SIGKILL at random moments of a download, and counts the bytes that the server sends until
the file is complete: at most 1.1 times its size. `speed` compares the time with curl's and the Hugging Face client's.
`pair` starts two processes at the same time: one downloads, the other waits, and the file is sent once.
"""

import argparse
import hashlib
import http.server
import os
import random
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import needs

ROOT = Path(__file__).resolve().parent.parent
PIECE = 16 << 10


def model(megabytes: int) -> bytes:
    """A GGUF file of that size: one tensor of random bytes."""
    def text(value: str) -> bytes:
        return struct.pack("<Q", len(value)) + value.encode()

    elements = megabytes * 1_000_000 // 4 // 32 * 32
    head = b"GGUF" + struct.pack("<IQQ", 3, 1, 1)
    head += text("general.architecture") + struct.pack("<I", 8) + text("llama")
    head += text("token_embd.weight") + struct.pack("<IQIQ", 1, elements, 0, 0)
    head += bytes(-len(head) % 32)
    generator = random.Random(1)
    return head + b"".join(generator.randbytes(min(1 << 26, elements * 4 - start))
                           for start in range(0, elements * 4, 1 << 26))


class Server(http.server.ThreadingHTTPServer):
    """Serves one file with ranges, no faster than `rate` bytes a second altogether, and counts what it sends."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self, body: bytes, rate: float | None):
        self.body, self.rate = body, rate
        self.digest = hashlib.sha256(body).hexdigest()
        self.lock = threading.Lock()
        self.sent = self.requests = 0
        self.free_at = 0.0
        super().__init__(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def account(self, count: int) -> None:
        with self.lock:
            self.sent += count
            if not self.rate:
                return
            now = time.monotonic()
            self.free_at = max(self.free_at, now) + count / self.rate
            wait = self.free_at - now
        if wait > 0.001:
            time.sleep(wait)

    def handle_error(self, request, address):
        pass  # a killed client


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Server

    def setup(self):
        # A small buffer, so that nearly all sent bytes were also received.
        if self.server.rate:
            self.request.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 64 << 10)
        self.request.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        super().setup()

    def log_message(self, *arguments):
        pass

    def do_HEAD(self):
        self.answer(has_body=False)

    def do_GET(self):
        self.answer(has_body=True)

    def answer(self, has_body: bool):
        body, start, end = self.server.body, 0, len(self.server.body)
        wanted = self.headers.get("Range")
        if wanted and self.headers.get("If-Range", f'"{self.server.digest}"') == f'"{self.server.digest}"':
            first, last = wanted.removeprefix("bytes=").split("-")
            start, end = int(first), min(int(last) + 1 if last else end, end)
            self.send_response(206)
            self.send_header("Content-Range", f"bytes {start}-{end - 1}/{len(body)}")
        else:
            self.send_response(200)
        self.send_header("Content-Length", str(end - start))
        self.send_header("Accept-Ranges", "bytes")
        self.send_header("ETag", f'"{self.server.digest}"')
        self.send_header("X-Repo-Commit", "0" * 40)
        self.end_headers()
        if not has_body:
            return
        with self.server.lock:
            self.server.requests += 1
        view = memoryview(body)
        piece = PIECE if self.server.rate else 1 << 20
        while start < end:
            count = self.request.send(view[start:min(start + piece, end)])
            start += count
            self.server.account(count)


def environment(home: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if "proxy" not in name.lower()}
    return kept | {"PARLEY_HOME": str(home)}


def check(home: Path, digest: str) -> None:
    blob = home / "models/blobs" / f"sha256-{digest}"
    assert hashlib.sha256(blob.read_bytes()).hexdigest() == digest, "the file is wrong"


def kill(options: argparse.Namespace) -> None:
    server = Server(model(options.megabytes), options.rate * 1e6)
    size = len(server.body)
    mean = size / (options.rate * 1e6) / (options.kills + 1)
    home = Path(tempfile.mkdtemp(prefix="parley-kill-", dir=options.directory))
    generator = random.Random(options.seed)
    kills = 0
    try:
        while True:
            process = subprocess.Popen(
                [options.parley, "models", "pull", server.url + "/model.gguf"], env=environment(home),
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            if kills == options.kills:
                assert process.wait() == 0, "the last attempt failed"
                break
            # The time is measured from the first byte, so that the process is killed during the download and not its start.
            before = server.sent
            while server.sent == before and process.poll() is None:
                time.sleep(0.001)
            time.sleep(generator.uniform(0, 2 * mean))
            if process.poll() is not None:
                assert process.returncode == 0, "an attempt failed by itself"
                break
            process.send_signal(signal.SIGKILL)
            process.wait()
            kills += 1
        check(home, server.digest)
        ratio = server.sent / size
        print(f"{kills} kills, {size} bytes, {server.sent} sent by the server ({ratio:.4f} times the size), "
              f"{server.requests} requests; the file is right")
        sys.exit(ratio > 1.1)
    finally:
        shutil.rmtree(home)


def speed(options: argparse.Namespace) -> None:
    server = Server(model(options.megabytes), None)
    size = len(server.body)
    url = server.url + "/owner/repository/resolve/main/model.gguf"
    home = Path(tempfile.mkdtemp(prefix="parley-speed-", dir=options.directory))
    commands = {
        "parley": ([options.parley, "models", "pull", url], environment(home)),
        "curl": (["curl", "-sSf", "-o", str(home / "curl.gguf"), url], environment(home)),
        "curl, then sha256sum": (["sh", "-c", f"curl -sSf -o {home}/curl.gguf {url} && sha256sum {home}/curl.gguf"],
                                 environment(home)),
    }
    if options.hf:
        commands["hf"] = (
            [options.hf, "download", "owner/repository", "model.gguf", "--local-dir", str(home / "hf")],
            environment(home) | {"HF_ENDPOINT": server.url, "HF_HOME": str(home / "hf-home"), "HF_HUB_DISABLE_XET": "1"})
    try:
        for round_number in range(options.rounds):
            for name, (command, env) in commands.items():
                for path in list(home.iterdir()):
                    shutil.rmtree(path) if path.is_dir() else path.unlink()
                begin = time.monotonic()
                subprocess.run(command, env=env, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                seconds = time.monotonic() - begin
                print(f"{round_number + 1}  {name}: {seconds:.2f} s, {size / seconds / 1e6:.0f} MB/s", flush=True)
    finally:
        shutil.rmtree(home)


def pair(options: argparse.Namespace) -> None:
    server = Server(model(20), 20e6)
    home = Path(tempfile.mkdtemp(prefix="parley-pair-", dir=options.directory))
    try:
        processes = [
            subprocess.Popen([options.parley, "models", "pull", server.url + "/model.gguf"], env=environment(home),
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(2)]
        outputs = [process.communicate() for process in processes]
        assert all(process.returncode == 0 for process in processes), outputs
        assert outputs[0][0] == outputs[1][0], outputs
        check(home, server.digest)
        waited = sum("waiting for it" in errors for _, errors in outputs)
        print(f"two processes: {server.sent} bytes sent for {len(server.body)}, {waited} waited")
        sys.exit(server.sent != len(server.body))
    finally:
        shutil.rmtree(home)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("measurement", choices=["kill", "speed", "pair"])
    parser.add_argument("--parley", type=needs.program, default=str(ROOT / ".build/release/parley"))
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--megabytes", type=int, default=200)
    parser.add_argument("--rate", type=float, default=20, help="MB/s, for kill")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--hf", type=lambda path: needs.program(path, "python3 -m pip install huggingface_hub installs it."),
                        help="the Hugging Face client, for speed")
    parser.add_argument("--directory", help="where files go")
    options = parser.parse_args()
    {"kill": kill, "speed": speed, "pair": pair}[options.measurement](options)


if __name__ == "__main__":
    main()
