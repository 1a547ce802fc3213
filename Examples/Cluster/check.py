#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Three servers of Parley behind HAProxy on this machine: one drains and one is killed under load.

    Examples/Cluster/check.py MODEL [--server .build/release/parley-server] [--requests 48] [--clients 6]

It checks that conversations stay with their server, that draining a server fails no request, that killing one breaks at
most the replies it was writing, and that every reply is the same, bit for bit, whichever server gave it. Needs haproxy
(Debian: apt install haproxy) and Python's standard library.
"""
import argparse, concurrent.futures, http.client, json, os, pathlib, shutil, signal, socket, subprocess, sys, tempfile
import threading, time

HERE = pathlib.Path(__file__).resolve().parent


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def ask(port, body, headers=None):
    """The reply's text, its cached tokens and the time it took; raises where the connection breaks."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=600)
    try:
        connection.request("POST", "/v1/chat/completions", json.dumps(body),
                           {"Content-Type": "application/json", **(headers or {})})
        answer = connection.getresponse()
        data = answer.read()
    finally:
        connection.close()
    if answer.status != 200:
        raise ConnectionError(f"status {answer.status}: {data[:200]}")
    reply = json.loads(data)
    return reply["choices"][0]["message"]["content"], reply["usage"]["prompt_tokens_details"]["cached_tokens"]


def wait(port, seconds=300):
    """Waits until a server says that it is well."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
            connection.request("GET", "/health")
            if connection.getresponse().status == 200:
                return
        except OSError:
            pass
        time.sleep(0.1)
    sys.exit(f"nothing answers at port {port}; see the logs in {tempfile.gettempdir()}")


def body(number, tokens=24):
    return {"model": "any", "seed": number, "temperature": 0.7, "max_tokens": tokens,
            "messages": [{"role": "system", "content": "Answer in a sentence."},
                         {"role": "user", "content": f"Tell me a fact about the number {number}."}]}


class Load:
    """Requests from several clients until all have been answered; what breaks is asked for again and counted."""

    def __init__(self, port, numbers, clients):
        self.port, self.numbers, self.clients = port, numbers, clients
        self.replies, self.broken, self.done = {}, [], threading.Semaphore(0)

    def one(self, number):
        for attempt in range(5):
            try:
                self.replies[number] = ask(self.port, body(number), {"X-Conversation-Id": f"c{number}"})[0]
                break
            except (OSError, http.client.HTTPException) as error:
                self.broken.append(f"{type(error).__name__}: {error}")
        self.done.release()

    def run(self, after=0, then=lambda: None):
        """Sends them all, and does something when so many have been answered."""
        with concurrent.futures.ThreadPoolExecutor(self.clients) as pool:
            waiting = [pool.submit(self.one, number) for number in self.numbers]
            for _ in range(after):
                self.done.acquire()
            then()
            for future in waiting:
                future.result()
        return self.replies


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", help="a name or the path of a .gguf file")
    parser.add_argument("--server", default=".build/release/parley-server")
    parser.add_argument("--requests", type=int, default=48)
    parser.add_argument("--clients", type=int, default=6)
    options = parser.parse_args()
    for program, remedy in [(options.server, "swift build -c release --product parley-server"), ("haproxy", "apt install haproxy")]:
        if shutil.which(program) is None:
            sys.exit(f"There is no program {program}; '{remedy}' gets it.")
    results = []

    def check(holds, what):
        print(("ok      " if holds else "FAILED  ") + what, flush=True)
        results.append(bool(holds))

    directory = pathlib.Path(tempfile.mkdtemp())
    front, *ports = [free_port() for _ in range(4)]
    text = (HERE / "haproxy.cfg").read_text()
    for old, new in zip([8080, 8081, 8082, 8083], [front, *ports]):
        text = text.replace(f"127.0.0.1:{old}", f"127.0.0.1:{new}")
    (directory / "haproxy.cfg").write_text(text)
    model = str(pathlib.Path(options.model).resolve()) if os.path.exists(options.model) else options.model
    programs = []

    def start(port):
        with open(directory / f"{port}.log", "ab") as log:
            one = subprocess.Popen(
                [options.server, model, "--port", str(port), "--threads", "1", "--context", "1024", "--alias",
                 f"any={model}"],
                stdout=log, stderr=log)
        programs.append(one)
        return one

    try:
        servers = [start(port) for port in ports]
        programs.append(subprocess.Popen(["haproxy", "-db", "-f", str(directory / "haproxy.cfg")]))
        for port in [*ports, front]:
            wait(port)
        numbers = list(range(options.requests))

        calm = Load(front, numbers, options.clients)
        expected = dict(calm.run())
        check(not calm.broken and len(expected) == len(numbers), f"{len(expected)} replies without trouble")
        alone = {number: ask(ports[number % 3], body(number))[0] for number in numbers[:9]}
        check(all(alone[number] == expected[number] for number in alone), "each server alone says the same")

        kept = 0
        for number in numbers[:12]:
            first = body(number)
            text, _ = ask(front, first, {"X-Conversation-Id": f"again{number}"})
            first["messages"] += [{"role": "assistant", "content": text}, {"role": "user", "content": "And another?"}]
            kept += ask(front, first, {"X-Conversation-Id": f"again{number}"})[1] > 40
        check(kept == 12, f"{kept} of 12 conversations found their prompt in the cache")
        kept = 0
        for number in numbers[:12]:
            first = body(number + 1_000)
            text, _ = ask(front, first)
            first["messages"] += [{"role": "assistant", "content": text}, {"role": "user", "content": "And another?"}]
            kept += ask(front, first)[1] > 40
        check(kept == 12, f"{kept} of 12 did so by their beginning alone")

        draining = Load(front, numbers, options.clients)
        replies = draining.run(len(numbers) // 4, lambda: servers[0].send_signal(signal.SIGTERM))
        check(not draining.broken, f"no request failed while a server drained {draining.broken[:2] or ''}")
        check(replies == expected, "the replies were the same, bit for bit")
        servers[0].wait(300)
        servers[0] = start(ports[0])
        wait(ports[0])

        killed = Load(front, numbers, options.clients)
        replies = killed.run(len(numbers) // 4, servers[1].kill)
        check(len(killed.broken) <= options.clients,
              f"{len(killed.broken)} replies broke when a server was killed; {options.clients} were under way")
        check(replies == expected, "the replies were the same, bit for bit, some by another server")
        after = Load(front, numbers, options.clients)
        replies = after.run()
        check(not after.broken and replies == expected, "two servers reply as three did")
    finally:
        for one in programs:
            one.kill()
            one.wait()
    print(f"{results.count(True)} passed, {results.count(False)} failed")
    sys.exit(not all(results))


if __name__ == "__main__":
    main()
