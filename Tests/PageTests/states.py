# SPDX-License-Identifier: Apache-2.0
"""Values as the server sends them, for tests and pictures. The instants are fixed; the clock of the page is set to them."""

import itertools

NOW = 1_790_000_000  # 21 September 2026, 14:13 UTC
_ids = itertools.count(1)


def text(value):
    return {"kind": "text", "text": value}


def paragraph(*inlines, id=0):
    return {"id": id, "kind": "paragraph", "inlines": [text(one) if isinstance(one, str) else one for one in inlines]}


def words(block):
    """The plain text of a block, as far as the tests need it."""
    def inlines(values):
        return "".join(one.get("text") or inlines(one.get("inlines", [])) or "" for one in values)
    if "inlines" in block:
        return inlines(block["inlines"])
    return block.get("text", "")


def user(words, id=None, **more):
    id = id or f"u{next(_ids)}"
    return message(id, "user", text=words, **more)


def reply(*blocks, id=None, **more):
    id = id or f"r{next(_ids)}"
    blocks = [paragraph(one) if isinstance(one, str) else one for one in blocks]
    for index, block in enumerate(blocks):
        block["id"] = index
    plain = "\n\n".join(words(block) for block in blocks)
    return message(id, "assistant", blocks=blocks, **{"text": plain, **more})


def message(id, author, **more):
    value = {
        "id": id, "author": author, "date": NOW - 60, "text": "", "blocks": [], "thinking": [], "state": "done", "place": None,
        "fraction": None, "thinking_seconds": None, "ending": None, "failure": None, "attachments": [], "replying_to": None,
        "cards": [], "sources": [], "is_untrusted": False, "versions": {"index": 1, "count": 1, "ids": [id]}, "receipt": None,
    }
    value.update(more)
    return value


RECEIPT = {
    "model": "qwen3-4b", "ended": "stop", "prompt_tokens": 412, "cached_tokens": 380, "reasoning_tokens": 96,
    "completion_tokens": 188, "dropped_turns": 2, "can_be_replayed": True, "seed": "7421", "tokens_per_second": 14.26, "first_token_seconds": 0.84,
}


def status(**more):
    value = {
        "model": "qwen3-4b", "is_generating": False, "is_preparing": False, "is_model_loaded": True, "is_model_loading": False,
        "thinking_enabled": True, "replying_to": None, "suggested_prompts": [], "pinned_prompts": [], "attachments": [],
        "queued": None, "unsent": None, "is_recording": False, "is_transcribing": False,
    }
    value.update(more)
    return value


def chat(messages=(), id="c1", title="A walk in Bern", **more):
    value = {
        "id": id, "title": title, "is_pinned": False, "messages": list(messages), "earlier": 0, "status": status(),
        "context": {"size": 8192, "prompt": 312, "history": 2010, "documents": 0, "room": 5870, "next_dropped": None},
    }
    value.update(more)
    return value


def row(id, title, hours=1.0, **more):
    value = {"id": id, "title": title, "created": NOW - 9e5, "changed": NOW - hours * 3600, "is_pinned": False, "messages": 4,
             "is_generating": False}
    value.update(more)
    return value


ROWS = [
    row("c1", "A walk in Bern", 0.1), row("c2", "Why do kernels differ by a bit?", 2, is_generating=True),
    row("c3", "Recipe for twelve", 26), row("c4", "Groceries", 80, is_pinned=True), row("c5", "", 100),
    row("c6", "A very long title that cannot possibly fit into the list of chats on any screen", 300),
]


def model(id, title, **more):
    value = {
        "id": id, "title": title, "status": "unloaded", "fraction": None, "size": 2_497_280_000, "licence": "Apache-2.0",
        "quantization": "Q4_K_M", "context_length": 40960, "capabilities": ["chat", "tools", "schema", "reasoning"],
        "memory": 3_400_000_000, "largest_context": 32768, "failure": None,
        "engine": None, "engines": ["native"], "removable": True,
    }
    value.update(more)
    return value


MODELS = {
    "loaded": ["qwen3-4b"], "default": "smollm2-135m", "jobs": [],
    "installed": [
        model("qwen3-4b", "Qwen3 4B", status="loaded"),
        model("gemma3-4b", "Gemma 3 4B", capabilities=["chat", "images"], licence="Gemma", size=3_100_000_000),
        model("phi4-14b", "Phi 4 14B", status="failed", capabilities=["chat"], largest_context=0,
              failure="Weights (8.4 GB) + cache at 16,384 tokens (3.2 GB) + scratch (0.6 GB) are more than the 9.6 GB that are free."),
        model("minilm", "all-MiniLM L6", capabilities=["embeddings"], size=46_000_000, memory=90_000_000, largest_context=512),
    ],
    "catalog": [
        {"name": "smollm2-135m", "title": "SmolLM2 135M", "size": 98_000_000, "licence": "Apache-2.0", "memory": 210_000_000,
         "largest_context": 8192, "capabilities": ["chat"], "installed": False},
        {"name": "qwen3-8b", "title": "Qwen3 8B", "size": 5_030_000_000, "licence": "Apache-2.0", "memory": 6_900_000_000,
         "largest_context": 12288, "capabilities": ["chat", "tools", "schema", "reasoning"], "installed": False},
        {"name": "qwen3-4b", "title": "Qwen3 4B", "size": 2_497_280_000, "licence": "Apache-2.0", "memory": 3_400_000_000,
         "largest_context": 32768, "capabilities": ["chat", "tools"], "installed": True},
    ],
}
NO_MODELS = {**MODELS, "installed": [], "loaded": []}
JOB = {"id": "j1", "model": "smollm2-135m", "status": "running", "received": 41_000_000, "total": 98_000_000, "rate": 5_400_000,
       "seconds_left": 11, "error": None}

_effects = {"read": "automatic", "create": "automatic", "change": "ask", "delete": "ask"}
SETTINGS = {
    "policies": [{"tag": tag, "title": title, "effects": dict(_effects)} for tag, title in
                 [("calendar", "Calendar"), ("note", "Notes"), ("habit", "Habits"), ("reminder", "Reminders")]]
    + [{"tag": "contacts", "title": "Contacts", "effects": {"read": "automatic"}}],
    "search": {"engine": "searxng", "address": "http://localhost:8888", "has_key": False}, "history_window": 20,
    "answer_tokens": 1024, "thinking_tokens": 1024, "deadline_seconds": 90, "temperature": None,
    "ranges": {"history_window": [1, 1000], "answer_tokens": [1, 1_000_000], "thinking_tokens": [0, 1_000_000],
               "deadline_seconds": [1, 86_400], "temperature": [0, 2]},
    "folders": {"notes": "~/Notes", "calendars": "~/Calendars", "contacts": "~/Contacts"},
    "keys": [{"name": "phone", "scopes": ["data"], "last_used": NOW - 7200}, {"name": "scripts", "scopes": ["api"], "last_used": None}],
    "version": "0.9.0", "machine": "4 cores, 15 GB",
}

FIGURES = {
    "samples": [{"date": NOW - 600 + 20 * at, "tokens_read_per_second": 180 + (at * 37) % 60, "tokens_written_per_second": 13 + (at * 7) % 5,
                 "first_token_seconds": 0.6 + (at % 4) / 10, "running": 1, "waiting": 0} for at in range(31)],
    "cached_share": 0.83, "drafts": {"made": 812, "right": 603},
    "memory": [{"model": "Qwen3 4B", "kind": "needed", "bytes": 2_400_000_000}, {"model": "Qwen3 4B", "kind": "chats", "bytes": 610_000_000},
               {"model": None, "kind": "whole", "bytes": 3_140_000_000}],
    "benchmark": {"is_running": False, "done": 5, "all": 5, "failure": None, "rows": [
        {"engine": "native", "model": "qwen3-4b", "prompt_tokens": 512, "read": {"median": 201.4, "least": 190.2, "most": 204.9},
         "written": {"median": 14.6, "least": 14.1, "most": 14.8}, "note": None}]},
}
NO_FIGURES = {"samples": [], "cached_share": None, "drafts": {"made": 0, "right": 0}, "memory": [], "benchmark": None}


def state(the_chat=None, **more):
    value = {
        "epoch": "e1", "revision": 10, "page": "1", "chat": the_chat or chat(), "chats": [dict(one) for one in ROWS], "models": MODELS,
        "engines": [{"name": "native", "problem": None}, {"name": "llama.cpp", "problem": "This build has no such engine."}],
        "settings": SETTINGS, "notices": [], "key": {"name": "server.key", "scopes": ["api", "metrics", "admin", "data"]}, "performance": FIGURES,
        "speech": "whisper-base",
    }
    value.update(more)
    return value
