# SPDX-License-Identifier: Apache-2.0
"""Every screen and state, by name: what axe looks at, and what pictures are taken of."""

import cards
import states as s

LONG = s.paragraph("Floating-point addition is not associative: the result depends on the order in which the numbers are added, since each "
                   "intermediate sum is rounded. A kernel that sums in eight lanes and one that sums in sixteen will therefore differ in "
                   "the last bit, and neither of them is wrong.")


def rich():
    blocks = [
        LONG, {"kind": "heading", "level": 2, "inlines": [s.text("What to do about it")]},
        {"kind": "list", "start": 1, "tight": True, "items": [
            {"done": None, "blocks": [s.paragraph("Fix the ", {"kind": "strong", "inlines": [s.text("order")]}, " once, for every instruction set.")]},
            {"done": None, "blocks": [s.paragraph("Compare with ", {"kind": "code", "text": "abs(a - b) < 1e-5"}, ".")]}]},
        {"kind": "code", "info": "swift", "text": "func sum(_ values: [Float]) -> Float {\n    values.reduce(0, +)\n}\n"},
        {"kind": "table", "align": [None, "right", "right"], "header": [[s.text("Lanes")], [s.text("Sum")], [s.text("Error")]],
         "rows": [[[s.text("8")], [s.text("1.0000001")], [s.text("1e-7")]], [[s.text("16")], [s.text("0.9999999")], [s.text("1e-7")]]]},
        {"kind": "quote", "blocks": [s.paragraph("The purpose of computing is insight, not numbers.")]},
        {"kind": "list", "start": None, "tight": True, "items": [{"done": True, "blocks": [s.paragraph("measured")]},
                                                                {"done": False, "blocks": [s.paragraph("written down")]}]},
        s.paragraph("More in ", {"kind": "link", "url": "https://example.org/a", "title": None, "host": "example.org",
                                 "inlines": [s.text("this paper")]}, " and ", {"kind": "image", "url": "https://example.com/i.png", "title": None,
                                                                              "inlines": [s.text("a chart")]}, "."),
        {"kind": "html", "text": "<script>alert(1)</script>"},
        s.paragraph("With ", {"kind": "formula", "text": "n", "displayed": False}, " numbers the bound is ",
                    {"kind": "formula", "text": "(n - 1)\\,u + O(u^2)", "displayed": False}, ":"),
        {"kind": "formula", "text": "|\\hat{s} - s| \\le (n - 1)\\,u \\sum_{i=1}^{n} |x_i| + O(u^2)"},
    ]
    return s.reply(*blocks, id="rich", receipt=s.RECEIPT, thinking=[LONG], thinking_seconds=12.5)


QUESTION = "Why do two kernels give different sums for the same numbers?"


def chat_of(*messages, **more):
    return s.state(s.chat([s.user(QUESTION, id="q"), *messages], **more))


def with_cards(*names):
    return chat_of(s.reply("Here is what I can do.", id="r", cards=[cards.ALL[name] for name in names], is_untrusted="untrusted" in names,
                           sources=[{"title": "News", "url": "https://www.example.org/news", "snippet": "Something happened."}] if "untrusted" in names else []))


def growing(**more):
    return s.state(s.chat([s.user(QUESTION, id="q"), s.reply(id="r", **more)], status=s.status(is_generating=True)))


def empty(**more):
    return s.state(s.chat([], title="", context=None, status=s.status(
        suggested_prompts=["What is on my calendar this week?", "Plan a quiet weekend in Bern", "Explain floating-point rounding to a child",
                           "Write a limerick about a stubborn kernel"], **more)))


def click(name):
    return lambda page: page.page.get_by_role("button", name=name, exact=True).first.click()


def press(keys):
    return lambda page: page.page.keyboard.press(keys)


def offline(page):
    page.page.evaluate("wire.isOffline = true; wire.drop()")
    page.page.get_by_text("The server cannot be reached. Trying").wait_for()


def typed(words):
    return lambda page: page.page.get_by_role("textbox", name="Message").fill(words)


def search(page):
    page.page.keyboard.press("Control+k")
    page.page.get_by_role("combobox").fill("kernel")
    page.page.locator(".hit").first.wait_for()


def find(page):
    page.page.get_by_role("button", name="Chat menu").click()
    page.page.get_by_role("menuitem", name="Find in this chat").click()
    page.page.get_by_role("searchbox").fill("order")


def old(page):
    page.page.evaluate("wire.state.page = '2'; wire.push('reset', {})")
    page.page.get_by_role("button", name="Reload").wait_for()


def notice(page):
    page.push("notice", notice={"id": "n1", "kind": "error", "text": "The disk is full: the chat was not saved.", "date": s.NOW})
    page.page.get_by_text("The disk is full").wait_for()


def queued(page):
    page.status(is_generating=True, queued={"text": "And what about sixteen lanes?"})


def deleted(page):
    page.page.get_by_role("button", name="Chat menu").click()
    page.page.get_by_role("menuitem", name="Deleted messages").click()
    page.page.get_by_role("listitem").get_by_role("button", name="Restore: Six miles").wait_for()


def days():
    day = 86_400
    return s.state(s.chat([s.user(QUESTION, id="q", date=s.NOW - 9 * day), s.reply(LONG, id="r", date=s.NOW - 9 * day + 60),
                           s.user("And with sixteen lanes?", date=s.NOW - day), s.reply("The same, in another order.", date=s.NOW - 60)]))


def message_menu(page):
    page.page.locator("parley-message.last").get_by_role("button", name="More actions").click()


def drawer(page):
    if (opener := page.page.get_by_role("button", name="Show chats")).is_visible():
        opener.click()


def no_hit(page):
    page.page.keyboard.press("Control+k")
    page.page.get_by_role("combobox").fill("marmalade")
    page.page.get_by_text("Nothing found for").wait_for()


def new_key(page):
    page.page.get_by_role("button", name="New key").click()
    page.page.get_by_label("Name of the key").fill("tablet")


def key_shown(page):
    new_key(page)
    page.page.keyboard.press("Enter")
    page.page.get_by_role("dialog", name="tablet").wait_for()


def picture(page):
    page.page.get_by_role("button", name="Image walk.jpg").click()
    page.page.wait_for_function("() => document.querySelector('.whole-picture').naturalWidth > 0")


def dictation(page):
    page.page.evaluate("() => { navigator.mediaDevices.getUserMedia = () => new Promise(() => {}); }")
    page.page.get_by_role("button", name="Dictate", exact=True).click()


def notices(page):
    notice(page)
    page.page.get_by_role("button", name="Notices, 1 unread").click()


SPEEDS = [{"median": 201.4, "least": 190.2, "most": 204.9}, {"median": 14.6, "least": 14.1, "most": 14.8}]
COMPARISON = {"is_running": True, "done": 13, "all": 40, "failure": "gemma3-4b (llama.cpp): Its library is missing.", "rows": [
    {"engine": engine, "model": "qwen3-4b", "prompt_tokens": tokens, "read": SPEEDS[0], "written": SPEEDS[1], "note": None}
    for tokens in (512, 2048) for engine in ("native", "llama.cpp")]
    + [{"engine": "native", "model": "gemma3-4b", "prompt_tokens": 8192, "read": None, "written": None, "note": "The context is shorter."}]}
ENGINES = [{"name": "native", "problem": None}, {"name": "llama.cpp", "problem": None},
           {"name": "onnx", "problem": "This build has no such engine; docs/engines.md says how to add one."}]
GONE = {"deletedMessages": {"messages": [
    {"id": "d2", "author": "assistant", "date": s.NOW - 60, "text": "Six miles, if you take the path along the river and not the one over the hill."},
    {"id": "d1", "author": "user", "date": s.NOW - 90, "text": "How far is it?"}], "more": 1200}}
HITS = {"search": {"hits": [{"chat": "c2", "title": "Why do kernels differ by a bit?", "message": None, "snippet": None, "date": s.NOW - 7200},
                            {"chat": "c1", "title": "A walk in Bern", "message": "q", "snippet": "… do two kernels give different sums …", "date": s.NOW - 86_400}]}}
NO_MODEL = {"is_model_loaded": False, "model": None}
PICTURE = {"id": "p", "name": "walk.jpg", "kind": "image", "size": 120_000, "tokens": 256, "cut": None}
PAPER = {"id": "d", "name": "paper.pdf", "kind": "document", "size": 2_400_000, "tokens": 2048, "cut": "the first 8,000 characters"}

#: name: (state, address, what is done then, what the wire is set to)
SCENES = {
    "chat": (lambda: chat_of(rich()), "", None, {}),
    "empty": (empty, "", None, {}),
    "pinned": (lambda: empty(pinned_prompts=["What did I promise to whom?"]), "", None, {}),
    "queued": (lambda: growing(state="queued", place=3), "", None, {}),
    "preparing": (lambda: growing(state="preparing"), "", None, {}),
    "reading": (lambda: growing(state="reading", fraction=0.4), "", None, {}),
    "thinking": (lambda: growing(state="thinking", thinking=[LONG], thinking_seconds=12.5), "", None, {}),
    "writing": (lambda: s.state(s.chat([s.user(QUESTION, id="q"), s.reply(LONG, id="r", state="writing")],
                                                                              status=s.status(is_generating=True))), "", None, {}),
    "typing-while-busy": (lambda: growing(state="writing"), "", typed("And what about sixteen lanes?"), {}),
    "message-queued": (lambda: growing(state="writing"), "", queued, {}),
    "stopped": (lambda: chat_of(s.reply("It begins and", id="r", state="stopped", ending="stopped")), "", None, {}),
    "timed-out": (lambda: chat_of(s.reply("It begins and", id="r", state="timed_out", ending="timed_out")), "", None, {}),
    "failed": (lambda: chat_of(s.reply(id="r", state="failed", failure="The model needs 9.1 GB and 7.8 GB are free.")), "", None, {}),
    "length": (lambda: chat_of(s.reply(LONG, id="r", ending="length", can_be_continued=True)), "", None, {}),
    "unanswered": (chat_of, "", None, {}),
    "permissions": (s.state, "#/settings", lambda page: page.page.locator(".policies").scroll_into_view_if_needed(), {}),
    "notice-over-strip": (lambda: growing(state="writing"), "", lambda page: (queued(page), page.settle(), notice(page)), {}),
    "versions": (lambda: chat_of(s.reply(LONG, id="r", versions={"index": 2, "count": 3, "ids": ["r0", "r", "r2"]})), "", None, {}),
    "receipt": (lambda: chat_of(rich()), "", click("Details"), {}),
    "sources": (lambda: chat_of(s.reply(LONG, id="r", is_untrusted=True, sources=[
        {"title": "Rounding", "url": "https://www.example.org/r", "snippet": "About rounding."},
        {"title": "Sums", "url": "https://sums.example.com/", "snippet": "About sums."}])), "", lambda page: page.page.locator("summary").click(), {}),
    "attachments": (lambda: s.state(s.chat([s.user("What is this?", id="q", attachments=[{**PICTURE, "url": "/app/v1/attachments/p"}, {**PAPER, "url": None}])],
                                           status=s.status(model="phi4-14b", attachments=[PICTURE, PAPER]))), "", None, {}),
    "replying": (lambda: s.state(s.chat([s.user(QUESTION, id="q"), s.reply(LONG, id="r", replying_to="q")], status=s.status(replying_to="r"))), "", None, {}),
    "editing": (lambda: chat_of(rich()), "", press("ArrowUp"), {}),
    "no-model": (lambda: chat_of(rich(), status=s.status(**NO_MODEL)), "", None, {}),
    "model-loading": (lambda: s.state(s.chat([s.user(QUESTION)], status=s.status(is_model_loaded=False, is_model_loading=True)),
                                      models={**s.MODELS, "installed": [{**s.MODELS["installed"][0], "status": "loading", "fraction": 0.35}]}), "", None, {}),
    "first-run": (lambda: s.state(s.chat([], title="", context=None, status=s.status(**NO_MODEL)), models=s.NO_MODELS, chats=[]), "", None, {}),
    "first-run-fetching": (lambda: s.state(s.chat([], title="", context=None, status=s.status(**NO_MODEL)), models={**s.NO_MODELS, "jobs": [s.JOB]}), "", None, {}),
    "offline": (lambda: chat_of(rich()), "", offline, {}),
    "old-page": (lambda: chat_of(rich()), "", old, {}),
    "key": (lambda: chat_of(rich()), "", None, {"key": "right"}),
    "search": (lambda: chat_of(rich()), "", search, {"answers": HITS}),
    "find": (lambda: chat_of(rich()), "", find, {}),
    "chat-menu": (lambda: chat_of(rich()), "", click("Chat menu"), {}),
    "model-menu": (lambda: chat_of(rich()), "", press("Control+Shift+l"), {}),
    "context": (lambda: chat_of(rich()), "", lambda page: page.page.locator(".meter-button").click(), {}),
    "help": (lambda: chat_of(rich()), "", press("Control+/"), {}),
    "notice": (lambda: chat_of(rich()), "", notice, {}),
    "deleted": (lambda: chat_of(rich()), "", deleted, {"answers": GONE}),
    "rename": (lambda: chat_of(rich()), "", lambda page: (click("Chat menu")(page), page.page.get_by_role("menuitem", name="Rename").click()), {}),
    "models": (lambda: s.state(models={**s.MODELS, "jobs": [s.JOB]}), "#/models", None, {}),
    "models-empty": (lambda: s.state(models=s.NO_MODELS), "#/models", None, {}),
    "settings": (s.state, "#/settings", None, {}),
    "performance": (s.state, "#/performance", None, {}),
    "performance-empty": (lambda: s.state(performance=s.NO_FIGURES), "#/performance", None, {}),
    "days": (days, "", None, {}),
    "message-menu": (lambda: chat_of(rich()), "", message_menu, {}),
    "chats": (lambda: chat_of(rich()), "", drawer, {}),
    "no-chats": (lambda: empty() | {"chats": []}, "", drawer, {}),
    "no-hit": (lambda: chat_of(rich()), "", no_hit, {}),
    "new-key": (s.state, "#/settings", new_key, {}),
    "key-shown": (s.state, "#/settings", key_shown, {"answers": {"newKey": {"key": "pk-7Jf0qXk2mQ9aZ1"}}}),
    "question": (s.state, "#/settings", click("Delete all chats"), {}),
    "picture": (lambda: s.state(s.chat([s.user("What is this?", id="q", attachments=[{**PICTURE, "url": "/app/v1/attachments/p"}])])), "", picture, {}),
    "dictation": (lambda: chat_of(rich()), "", dictation, {}),
    "notices": (lambda: chat_of(rich()), "", notices, {}),
    "fetch-failed": (lambda: s.state(s.chat([], title="", context=None, status=s.status(**NO_MODEL)), models={
        **s.NO_MODELS, "jobs": [{**s.JOB, "status": "failed", "error": "The disk has 31 MB and 57 MB are still to come. Make room, and fetch again."}]}), "", None, {}),
    "benchmark": (lambda: s.state(engines=ENGINES, performance={**s.FIGURES, "benchmark": COMPARISON}), "#/performance",
                  lambda page: page.page.locator(".results").scroll_into_view_if_needed(), {}),
    "cards-asking": (lambda: with_cards("pendingCreation", "pendingDeletion", "pendingUpdate", "untrusted", "busy"), "", None, {}),
    "cards-done": (lambda: with_cards("conflict", "created", "updated", "deleted", "incomplete"), "", None, {}),
    "cards-failed": (lambda: with_cards("stale", "declined", "failed", "refused", "malformed", "unreadable"), "", None, {}),
    "cards-results": (lambda: with_cards("events", "notes", "contacts", "habits", "web", "nothing"), "", None, {}),
}


def show(page, name):
    """Brings a page to a scene."""
    state, path, act, wire = SCENES[name]
    shown = page.open(state(), path, **wire)
    shown.locator("h1:visible, dialog h2:visible").first.wait_for()
    page.settle()
    if act:
        act(page)
    page.settle()
    return shown
