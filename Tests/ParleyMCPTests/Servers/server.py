#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A small server of the Model Context Protocol over standard streams, without packages; its argument says how it errs."""

import json
import os
import signal
import subprocess
import sys
import time

mode = sys.argv[1] if len(sys.argv) > 1 else ""


def write(message: object) -> None:
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def answer(id: object, result: object) -> None:
    write({"jsonrpc": "2.0", "id": id, "result": result})


if mode == "silent":
    time.sleep(600)
if mode == "stubborn":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
if mode == "garbage":
    sys.stdout.write("Starting up…\n\x00\xff{\n[1, 2\nnull\n")
    sys.stdout.flush()
if mode == "endless":
    while True:
        sys.stdout.write("x" * 65536)
if mode == "flood":
    while True:
        sys.stdout.write("{}\n" * 1000)
if mode == "stderr":
    for number in range(20000):
        sys.stderr.write("noise on the other stream\n")

for line in sys.stdin:
    message = json.loads(line)
    method, id, params = message.get("method"), message.get("id"), message.get("params", {})
    if method == "initialize":
        if mode == "die":
            os._exit(3)
        version = "1999-01-01" if mode == "old" else params["protocolVersion"]
        answer(id, {
            "protocolVersion": version, "capabilities": {"tools": {"listChanged": True}},
            "serverInfo": {"name": "small", "version": "1.0"}, "instructions": "Be small.",
        })
    elif method == "notifications/initialized":
        write({"jsonrpc": "2.0", "id": "r1", "method": "roots/list"})
        write({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"})
    elif method == "tools/list":
        page = int(params.get("cursor", "0"))
        names = ["echo", "environment", "sleep"]
        # Characters that only a model would read.
        hidden = "\U000E0041\u200b"
        text = {"type": "string", "description": "The text." + hidden, "enum": ["\r\n", hidden], "pattern": "^[^\0-\x1f]*$"}
        schema = {"type": "object", "properties": {"text": text}, "required": ["text"]}
        result = {"tools": [{"name": names[page], "description": "A tool." + hidden, "inputSchema": schema}]}
        if page + 1 < len(names):
            result["nextCursor"] = str(page + 1)
        answer(id, result)
    elif method == "tools/call":
        name, arguments = params["name"], params.get("arguments", {})
        if name == "environment":
            result = {"variables": sorted(os.environ), "children": child.pid if mode == "stubborn" else 0}
            answer(id, {"content": [{"type": "text", "text": json.dumps(result)}], "structuredContent": result})
        elif name == "echo":
            token = params.get("_meta", {}).get("progressToken")
            if token is not None:
                write({
                    "jsonrpc": "2.0", "method": "notifications/progress",
                    "params": {"progressToken": token, "progress": 0.5, "total": 1, "message": "half"},
                })
            # Some servers write what they do not have as null.
            answer(id, {"content": [{"type": "text", "text": arguments.get("text", "")}], "structuredContent": None})
        elif name == "exit":
            os._exit(1)
        elif name != "sleep":
            write({"jsonrpc": "2.0", "id": id, "error": {"code": -32602, "message": "no such tool: secret words"}})
    elif method == "ping":
        answer(id, {})
    elif method == "notifications/cancelled":
        write({"jsonrpc": "2.0", "method": "notifications/prompts/list_changed"})
    elif id is not None and method is not None:
        write({"jsonrpc": "2.0", "id": id, "error": {"code": -32601, "message": "Method not found"}})
