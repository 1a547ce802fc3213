#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures the web chat in Chromium, beside the web page of llama.cpp's server where that is built.

    Benchmarks/page.py [--rounds 5] [--llama-server PATH --model MODEL.gguf [--llama-page FOLDER]] [--out RESULTS.json]

Both pages run over scripted replies, at one rate, so that no model is measured: Parley's over ParleyPageServer
($PARLEY_PAGE_SERVER, else that of `swift build -c release`), llama.cpp's over its own server, of which only the replies
are replaced. Measured are the bytes that the page takes; first paint, and the moment at which the field takes text, in
fresh contexts on loopback (medians); nodes that change for a token at message 10 and at message 1,000; the memory of the
tab after 1,000 messages; and frames that are late while a reply comes at 400 tokens a second.

Needs what Tests/PageTests needs, and llama.cpp's server needs the folder of its libraries in LD_LIBRARY_PATH. A server
that was built without its page is given one: `tools/server/public` in the source of llama-cpp-python 0.3.22 on PyPI has
it. Other programs distort the figures: the load is printed.
"""
import argparse, http.client, http.server, json, os, pathlib, socket, statistics, subprocess, sys, tempfile, threading, time
import urllib.request

import needs

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "Tests" / "PageTests"))
with needs.packages("python3 -m pip install -r Tests/PageTests/requirements.txt installs it."):
    import conftest
    from playwright.sync_api import sync_playwright

RATE = 400
TOKENS = 1_200
WORDS = "a word of the story and then another one of them on the way to the river ".split()
REPLY = " ".join(WORDS[at % len(WORDS)] + ("\n\n" if at % 60 == 59 else "") for at in range(TOKENS))

USABLE = """() => {
    window.usable = null;
    const look = () => {
        const field = document.querySelector("textarea");
        if (field && !field.disabled && field.checkVisibility()) window.usable = performance.now();
        else requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
}"""
WATCH = """() => {
    const seen = window.seen = { nodes: 0, records: 0, late: 0, frames: 0, longest: 0 };
    new MutationObserver((records) => {
        for (const record of records) {
            seen.records += 1;
            seen.nodes += record.type === "childList" ? record.addedNodes.length + record.removedNodes.length : 1;
        }
    }).observe(document.body, { subtree: true, childList: true, characterData: true, attributes: true });
    let last = performance.now();
    const frame = (now) => {
        const passed = now - last;
        last = now;
        seen.frames += 1;
        seen.late += Math.max(0, Math.round(passed / (1000 / 60)) - 1);
        seen.longest = Math.max(seen.longest, passed);
        requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
}"""


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def messages(count):
    """Questions and replies of a chat, with what replies have: paragraphs, lists, code."""
    for at in range(count // 2):
        yield "user", f"Question {at}: how is a sum computed?"
        yield "assistant", (f"Answer {at}. The order of the **additions** counts, since each sum is rounded:\n\n"
                            "1. fix the order,\n2. compare with `abs(a - b)`.\n\n```swift\nlet a = 1\nlet b = 2\n```\n\nThat is all.")


class ParleyPage:
    """The web chat over scripted replies."""

    name = "Parley"

    def __init__(self, folder):
        program = os.environ.get("PARLEY_PAGE_SERVER")
        if not program:
            path = subprocess.run(["swift", "build", "-c", "release", "--show-bin-path"], cwd=ROOT, capture_output=True, text=True, check=True)
            program = f"{path.stdout.strip()}/ParleyPageServer"
        # A word and the space behind it are two tokens here; the pause is between two of them.
        # The page as it is built in, without its comments.
        script = {"otherwise": {"text": REPLY, "pause": max(1, 1000 // RATE)}}
        self.program = conftest.Program(program, folder / "home", script, page=())
        self.address = self.program.address

    def ask(self, path, body=None):
        base, key = self.address.split("#key=")
        request = urllib.request.Request(f"{base}app/v1/{path}", body, {"Authorization": f"Bearer {key}", "Content-Type": "application/json"})
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)

    def fill(self, page, count):
        """Opens a chat of so many messages."""
        known = {row["id"] for row in self.ask("state")["chats"]}
        # Its date makes it another chat than the one before: the same would not come in twice.
        now = time.time()
        self.ask("import", json.dumps([{"role": role, "content": text, "date": now} for role, text in messages(count)]).encode())
        (id,) = {row["id"] for row in self.ask("state")["chats"]} - known
        page.goto(self.address)
        page.goto(f"{self.address.split('#')[0]}#/chat/{id}")
        page.wait_for_function("(id) => document.querySelector('.messages')?.dataset.chat === id", arg=id)
        page.get_by_role("button", name="Send").wait_for()

    def begin(self, page):
        page.locator("textarea").fill("Go on")
        page.locator("textarea").press("Enter")
        page.wait_for_function("() => document.querySelector('parley-message.last')?.dataset.state === 'writing'", timeout=60_000)

    def end(self, page):
        page.wait_for_function("() => document.querySelector('parley-message.last')?.dataset.state === 'done'", timeout=120_000)

    def all(self, page):
        """Shows all messages; at first the last 100 are there."""
        while (earlier := page.get_by_role("button", name="Show earlier messages")).is_visible():
            count = page.locator("parley-message").count()
            earlier.click()
            page.wait_for_function("(count) => document.querySelectorAll('parley-message').length > count", arg=count)

    def close(self):
        self.program.kill()


class LlamaPage:
    """llama.cpp's page from its own server; only the replies are replaced."""

    name = "llama.cpp"

    def __init__(self, program, model, folder):
        port = free_port()
        page = ["--path", folder] if folder else []
        self.server = subprocess.Popen([program, "-m", model, "--port", str(port), "-c", "512", *page], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(600):
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=2) as answer:
                    if answer.status == 200:
                        break
            except OSError:
                time.sleep(0.2)
        self.front = http.server.ThreadingHTTPServer(("127.0.0.1", 0), front(port))
        threading.Thread(target=self.front.serve_forever, daemon=True).start()
        self.address = f"http://127.0.0.1:{self.front.server_port}/"

    def fill(self, page, count):
        page.goto(self.address)
        page.locator("textarea").first.wait_for()
        # Its chats lie in the browser, in a database whose form its own page has made.
        list_ = [{"role": role, "content": text} for role, text in messages(count)]
        id = page.evaluate("""async (list) => {
            const { name } = (await indexedDB.databases())[0];
            const open = (what) => new Promise((done, failed) => { what.onsuccess = () => done(what.result); what.onerror = () => failed(what.error); });
            const base = await open(indexedDB.open(name));
            const act = base.transaction(["conversations", "messages"], "readwrite");
            const convId = crypto.randomUUID();
            const root = { id: crypto.randomUUID(), convId, type: "root", role: "system", content: "", timestamp: Date.now(), parent: null, children: [], toolCalls: "", thinking: "" };
            const all = [root];
            for (const one of list) {
                const last = all.at(-1);
                const message = { id: crypto.randomUUID(), convId, type: "text", ...one, timestamp: last.timestamp + 1, parent: last.id, children: [], toolCalls: "", thinking: "", extra: [] };
                last.children.push(message.id);
                all.push(message);
            }
            act.objectStore("conversations").put({ id: convId, name: "Long", lastModified: Date.now(), currNode: all.at(-1).id });
            for (const one of all) act.objectStore("messages").put(one);
            await new Promise((done) => { act.oncomplete = done; });
            base.close();
            return convId;
        }""", list_)
        page.goto("about:blank")
        page.goto(f"{self.address}#/chat/{id}")
        page.get_by_text(f"Question {count // 2 - 1}:").first.wait_for(timeout=120_000)

    def begin(self, page):
        page.locator("textarea").first.fill("Go on")
        page.locator("textarea").first.press("Enter")
        page.get_by_text("a word of the story").last.wait_for(timeout=60_000)

    def end(self, page):
        page.wait_for_function("() => document.body.innerText.includes('THE END')", timeout=120_000)

    def all(self, page):
        pass

    def close(self):
        self.front.shutdown()
        self.server.kill()
        self.server.wait()


def front(port):
    """A server that hands everything on, but writes the replies itself."""

    class Front(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *arguments):
            pass

        def do_GET(self):
            self.hand_on(None)

        def do_POST(self):
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            if self.path.endswith("/chat/completions"):
                self.reply()
            else:
                self.hand_on(body)

        def hand_on(self, body):
            connection = http.client.HTTPConnection("127.0.0.1", port)
            fields = {name: value for name, value in self.headers.items() if name.lower() not in {"host", "connection"}}
            connection.request(self.command, self.path, body, fields)
            try:
                answer = connection.getresponse()
                data = answer.read()
            except OSError:
                return self.send_error(502)
            self.send_response(answer.status)
            for name, value in answer.getheaders():
                if name.lower() not in {"connection", "keep-alive", "transfer-encoding", "content-length"}:
                    self.send_header(name, value)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def reply(self):
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.send_header("Connection", "close")
            self.end_headers()
            self.close_connection = True
            began = time.monotonic()
            pieces = [*REPLY.split(" "), "THE END"]
            for at, piece in enumerate(pieces):
                time.sleep(max(0, began + at / RATE - time.monotonic()))
                data = {"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [
                    {"index": 0, "delta": {"content": ("" if at == 0 else " ") + piece}, "finish_reason": None}]}
                self.wfile.write(f"data: {json.dumps(data)}\n\n".encode())
                self.wfile.flush()
            data["choices"][0] |= {"delta": {}, "finish_reason": "stop"}
            self.wfile.write(f"data: {json.dumps(data)}\n\ndata: [DONE]\n\n".encode())

    return Front


def bytes_of(browser, subject):
    """Bytes of the answers that the page takes before the field takes text, as sent and unpacked."""
    context = browser.new_context()
    page = context.new_page()
    client = context.new_cdp_session(page)
    client.send("Network.enable")
    sent, unpacked, paths = [0], [0], {}
    client.on("Network.requestWillBeSent", lambda event: paths.update({event["requestId"]: event["request"]["url"]}))
    client.on("Network.dataReceived", lambda event: unpacked.__setitem__(0, unpacked[0] + event["dataLength"])
              if "/app/v1/" not in paths.get(event["requestId"], "") else None)
    client.on("Network.loadingFinished", lambda event: sent.__setitem__(0, sent[0] + int(event["encodedDataLength"]))
              if "/app/v1/" not in paths.get(event["requestId"], "") else None)
    page.goto(subject.address)
    page.locator("textarea").first.wait_for()
    page.wait_for_timeout(2000)
    context.close()
    return {"bytes sent": sent[0], "bytes unpacked": unpacked[0]}


def paints(browser, subject):
    context = browser.new_context()
    page = context.new_page()
    page.add_init_script(f"({USABLE})()")
    page.goto(subject.address)
    # The browser tells of a paint some time after it.
    page.wait_for_function("() => window.usable !== null && performance.getEntriesByName('first-contentful-paint').length > 0")
    paint = page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime")
    usable = page.evaluate("window.usable")
    context.close()
    return {"first paint ms": paint, "field usable ms": usable}


def resident(browser_client, pid_before):
    """The resident memory of the page's process: the newest renderer."""
    found = [one for one in browser_client.send("SystemInfo.getProcessInfo")["processInfo"] if one["type"] == "renderer"]
    newest = [one["id"] for one in found if one["id"] not in pid_before]
    total = 0
    for pid in newest:
        for line in pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                total += int(line.split()[1]) * 1024
    return total


def streaming(browser, subject, count, shows_all=False):
    client = browser.new_browser_cdp_session()
    before = {one["id"] for one in client.send("SystemInfo.getProcessInfo")["processInfo"]}
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    page = context.new_page()
    subject.fill(page, count)
    if shows_all:
        subject.all(page)
    tab = context.new_cdp_session(page)
    tab.send("HeapProfiler.collectGarbage")
    tab.send("Performance.enable")
    metrics = {one["name"]: one["value"] for one in tab.send("Performance.getMetrics")["metrics"]}
    memory = {"heap MB": metrics["JSHeapUsedSize"] / 1e6, "nodes": metrics["Nodes"], "process MB": resident(client, before) / 1e6}
    # From the press of Enter on: where a page is slow, it is so when the reply begins.
    page.evaluate(WATCH)
    began = time.monotonic()
    subject.begin(page)
    subject.end(page)
    seconds = time.monotonic() - began
    seen = page.evaluate("window.seen")
    context.close()
    client.detach()
    return {"nodes changed for a token": seen["nodes"] / TOKENS, "frames": seen["frames"], "frames late": seen["late"],
            "longest frame ms": seen["longest"], "tokens a second": TOKENS / seconds, **memory}


def median(values):
    return {name: statistics.median(one[name] for one in values) for name in values[0] if values[0][name] is not None}


def machine():
    text = pathlib.Path("/proc/cpuinfo").read_text()
    name = next((line.split(":", 1)[1].strip() for line in text.splitlines() if line.startswith("model name")), "unknown")
    return f"{name}, {os.cpu_count()} cores"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--llama-server", type=needs.program)
    parser.add_argument("--model")
    parser.add_argument("--llama-page")
    parser.add_argument("--out")
    options = parser.parse_args()
    results = {"machine": machine(), "load": os.getloadavg()[0]}
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=conftest.CHROMIUM, args=["--no-sandbox"])
        results["browser"] = f"Chromium {browser.version}"
        subjects = [ParleyPage(pathlib.Path(folder))]
        if options.llama_server:
            subjects.append(LlamaPage(options.llama_server, options.model, options.llama_page))
        try:
            for subject in subjects:
                found = results[subject.name] = bytes_of(browser, subject)
                print(subject.name, json.dumps(found), flush=True)
            rounds = {subject.name: [] for subject in subjects}
            for _ in range(options.rounds * 3):
                for subject in subjects:
                    rounds[subject.name].append(paints(browser, subject))
            for subject in subjects:
                results[subject.name] |= median(rounds[subject.name])
                print(subject.name, json.dumps(median(rounds[subject.name])), flush=True)
            for count, shows_all in [(10, False), (1000, False), (1000, True)]:
                for subject in subjects:
                    if shows_all and subject.name != "Parley":
                        continue
                    label = f"{count} messages" + (", all in the page" if shows_all else "")
                    found = median([streaming(browser, subject, count, shows_all) for _ in range(options.rounds)])
                    results[subject.name][label] = found
                    print(subject.name, label, json.dumps(found), flush=True)
        finally:
            for subject in subjects:
                subject.close()
        browser.close()
    print(f"{results['machine']}, {results['browser']}; load at the beginning {results['load']}")
    if options.out:
        pathlib.Path(options.out).write_text(json.dumps(results, indent=2))


if __name__ == "__main__":
    main()
