#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A server made with the reference SDK of the Model Context Protocol (mcp 2.3.0 on PyPI), for scripts/check-mcp.

    server.py stdio | server.py http PORT [json | resumable]
"""

import asyncio
import sys

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.streamable_http import EventMessage, EventStore

server = MCPServer("reference", instructions="Use the tools.")


@server.tool()
def add(a: int, b: int) -> int:
    """Adds two numbers."""
    return a + b


@server.tool()
async def count(to: int, ctx: Context) -> str:
    """Counts, and reports its progress."""
    for number in range(to):
        await ctx.report_progress(number + 1, to, f"at {number + 1}")
        await asyncio.sleep(0.01)
    return f"counted to {to}"


@server.tool()
async def wait(seconds: float) -> str:
    """Waits."""
    await asyncio.sleep(seconds)
    return "waited"


@server.tool()
def fail() -> str:
    """Fails."""
    raise ValueError("it failed, as it should")


@server.tool()
async def ask(ctx: Context) -> str:
    """Asks the client for its roots, which it declines."""
    try:
        await ctx.session.list_roots()
    except Exception:
        return "declined"
    return "answered"


@server.tool()
async def interrupt(ctx: Context) -> str:
    """Has the stream of its answer end early, so that the client must take it up again."""
    await ctx.close_sse_stream()
    await asyncio.sleep(0.3)
    return "resumed"


@server.resource("note://{name}")
def note(name: str) -> str:
    """A note."""
    return f"The note {name}."


@server.resource("file:///readme", mime_type="text/plain")
def readme() -> str:
    """What this is."""
    return "Read me."


@server.prompt()
def greet(name: str) -> str:
    """Greets somebody."""
    return f"Greet {name}."


class Events(EventStore):
    """Remembers events, so that streams can be resumed."""

    def __init__(self) -> None:
        self.events: list[tuple[str, object]] = []

    async def store_event(self, stream_id, message):
        self.events.append((stream_id, message))
        return str(len(self.events))

    async def replay_events_after(self, last_event_id, send_callback):
        position = int(last_event_id)
        stream = self.events[position - 1][0]
        for number, (other, message) in enumerate(self.events[position:], position + 1):
            if other == stream and message is not None:
                await send_callback(EventMessage(message, str(number)))
        return stream


if sys.argv[1] == "stdio":
    server.run("stdio")
else:
    kind = sys.argv[3] if len(sys.argv) > 3 else ""
    store = Events() if kind == "resumable" else None
    server.run(
        "streamable-http", port=int(sys.argv[2]), json_response=kind == "json", event_store=store, retry_interval=100)
