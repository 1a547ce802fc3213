#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How many of 50 requests in plain English end in the right action, with payloads held to their schemas and without.

    Benchmarks/assistant.py [MODEL] [--parley .build/release/parley]

Each request is the first message of a chat, in a dry run over empty stores, at temperature 0. It counts if the reply has
exactly one card of the right kind whose payload can be read and contains the words that matter. For a time that must be
in the words, any of several spellings counts.
"""
import argparse, json, os, sys, tempfile
from pathlib import Path

import needs
from processes import run as run_program

R, C, N, H, P, W = "REMINDER_ACTION", "CALENDAR_ACTION", "NOTE_ACTION", "HABIT_ACTION", "CONTACTS_SEARCH", "WEB_SEARCH"
# request, tag, action, and for each thing that matters the spellings of which one must occur
REQUESTS = [
    ("Remind me to call mum tomorrow at 3", R, None, ["call mum"], ["tomorrow"]),
    ("Remind me in 20 minutes to take the bread out of the oven", R, None, ["bread"], ["20 min"]),
    ("Please remind me to pay the rent on Friday at 9 am", R, None, ["rent"], ["friday"]),
    ("Remind me tonight to water the plants", R, None, ["plants"], ["tonight"]),
    ("Can you remind me to send the report on Monday morning?", R, None, ["report"], ["monday"]),
    ("I must not forget to buy milk at 6 pm", R, None, ["milk"], ["6"]),
    ("Set a reminder for tomorrow at noon: take the pills", R, None, ["pills"], ["noon", "12"]),
    ("Remind me next Tuesday at 10 to call the bank", R, None, ["bank"], ["tuesday"]),
    ("Wake me up with a reminder at 7 tomorrow to go running", R, None, ["run"], ["7"]),
    ("Remind me in two hours to stretch", R, None, ["stretch"], ["two hours", "2 hours"]),
    ("Remind me on 24 December at 5 pm to light the candles", R, None, ["candles"], ["24", "december"]),
    ("Remind me to feed the cat at half past seven", R, None, ["cat"], ["half past seven", "7:30"]),
    ("Put a meeting with Anna into my calendar on Friday from 2 to 3 pm", C, "create", ["anna"], ["friday"]),
    ("Schedule a dentist appointment on Monday at 9 for one hour", C, "create", ["dentist"], ["monday"]),
    ("Add lunch with Tom tomorrow from 12 to 1", C, "create", ["tom"], ["tomorrow"]),
    ("Book the team meeting every Tuesday from 10 to 11", C, "create", ["team"], ["tuesday"]),
    ("Create an event: concert on Saturday at 8 pm until 10 pm", C, "create", ["concert"], ["saturday"]),
    ("I have a flight to Rome next Thursday from 6 to 8 am, put it in the calendar", C, "create", ["rome"], ["thursday"]),
    ("Block tomorrow afternoon for writing", C, "create", ["writ"], ["tomorrow"]),
    ("Put my sister's birthday into the calendar on 3 March, all day", C, "create", ["birthday"], ["march", "3"]),
    ("What is in my calendar tomorrow?", C, "list", ["tomorrow"]),
    ("Show me my appointments next week", C, "list", ["next week"]),
    ("Do I have any meetings on Friday?", C, "list", ["friday"]),
    ("What do I have planned this weekend?", C, "list", ["weekend"]),
    ("Find a free hour tomorrow", C, "query", ["tomorrow"]),
    ("When am I free for 30 minutes next week?", C, "query", ["next week"]),
    ("Delete the meeting with Anna", C, "delete", ["anna"]),
    ("Cancel my dentist appointment", C, "delete", ["dentist"]),
    ("Move the team meeting to Wednesday at 10", C, ("update", "reschedule"), ["team"], ["wednesday"]),
    ("Change the place of the concert to the town hall", C, "update", ["concert"], ["town hall"]),
    ("Make a note: the wifi password is tulip42", N, "create", ["tulip42"]),
    ("Note that the car needs new tyres", N, "create", ["tyres"]),
    ("Write down that Peter likes dark chocolate", N, "create", ["chocolate"]),
    ("Take a note called Books with Dune and Emma", N, "create", ["dune"]),
    ("Save a note: gate code 4711", N, "create", ["4711"]),
    ("Find my note about the boiler", N, "search", ["boiler"]),
    ("What did I note about the holidays?", N, "search", ["holiday"]),
    ("Delete the note about the old car", N, "delete", ["car"]),
    ("I want to meditate every day, please track it", H, "create", ["medit"]),
    ("Start a habit: drink eight glasses of water", H, "create", ["water"]),
    ("Track my reading as a weekly habit", H, "create", ["read"]),
    ("I went for a run today, log it", H, "log", ["run"]),
    ("Log my meditation for today", H, "log", ["medit"]),
    ("How is my reading habit going?", H, "query", ["read"]),
    ("What is Peter's phone number?", P, None, ["peter"]),
    ("Find the e-mail address of Maria Lopez", P, None, ["maria"]),
    ("How can I reach Dr Brown?", P, None, ["brown"]),
    ("Search the web for the weather in Oslo", W, None, ["oslo"]),
    ("Look up train strikes on the internet", W, None, ["train", "strike"]),
    ("Google the opening hours of the British Museum", W, None, ["british museum"]),
]


def is_right(reply: dict, tag: str, action, words: list) -> bool:
    cards = reply.get("cards", [])
    if len(cards) != 1 or cards[0]["tag"] != tag or cards[0]["stage"] == "malformed":
        return False
    try:
        payload = json.loads(cards[0]["payload"])
    except ValueError:
        return False
    actions = (action,) if isinstance(action, str) else action
    if actions and payload.get("action") not in actions:
        return False
    said = json.dumps(payload, ensure_ascii=False).lower()
    return all(any(word in said for word in spellings) for spellings in words)


def run(parley: str, model: str, extra: list) -> list:
    with tempfile.TemporaryDirectory() as home:
        environment = dict(os.environ, PARLEY_HOME=home)
        lines = Path(home, "lines")
        lines.write_text("".join(f"{request[0]}\n/new\n" for request in REQUESTS))
        command = [parley, "assistant", model, "--json", "--dry-run", "--all-tools", "--temperature", "0",
                   "--max-tokens", "200", "--offline", *extra]
        out = run_program(command, stdin=lines, environment=environment).output
    return [json.loads(line) for line in out.splitlines()]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("model", help="a model file")
    parser.add_argument("--parley", type=needs.program, default=".build/release/parley")
    parser.add_argument("--show", action="store_true", help="show each reply")
    options = parser.parse_args()
    assert len(REQUESTS) == 50
    for name, extra in (("held to the schema", []), ("free", ["--free-blocks"])):
        replies = run(options.parley, os.path.abspath(options.model), extra)
        assert len(replies) == len(REQUESTS), f"{len(replies)} replies"
        right = [is_right(reply, tag, action, words) for reply, (_, tag, action, *words) in zip(replies, REQUESTS)]
        cards = [card for reply in replies for card in reply["cards"]]
        read = sum(card["stage"] != "malformed" for card in cards)
        tags = sum(any(card["tag"] == request[1] for card in reply["cards"]) for reply, request in zip(replies, REQUESTS))
        print(f"{name}: {sum(right)} of {len(right)} right; {tags} with the right tag; "
              f"{read} of {len(cards)} payloads readable")
        if options.show:
            for ok, reply, request in zip(right, replies, REQUESTS):
                cards = [f"{card['tag']} {card['payload']}" for card in reply["cards"]]
                print("  ", "+" if ok else "-", request[0], "|", cards or reply["text"][:80])


if __name__ == "__main__":
    sys.exit(main())
