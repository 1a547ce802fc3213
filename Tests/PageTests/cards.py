# SPDX-License-Identifier: Apache-2.0
"""Cards of actions in each of their states, as the server sends them."""


def slot(words):
    return {"start": "2026-09-22T12:00:00Z", "end": "2026-09-22T13:00:00Z", "is_all_day": False, "text": words}


def item(title="Lunch with Ada", time="Tue 22 Sep, 12:00–13:00", **more):
    return {"id": "i1", "title": title, "time": slot(time), "location": None, "text": None, "recurrence": None, **more}


def choice(event, label, value=None, key="y"):
    return {"event": event, "value": value, "key": key, "label": label}


def card(id="k1", **more):
    value = {
        "id": id, "chat": "c1", "message": "m", "index": 0, "tag": "CALENDAR_ACTION", "stage": "done", "state": None,
        "headline": "New event “Lunch with Ada”", "status": "", "text": "", "payload": "{}", "is_busy": False, "reads_untrusted": False,
        "tool": None, "failure": None, "problems": [], "arguments": [], "said": [], "items": [], "outcome": None, "scope": None, "moves_time": False,
        "alternatives": [], "has_conflict": False, "conflicts": [], "free_slots": [], "notices": [], "results": None, "failures": [],
        "log_entry": None, "choices": [],
    }
    value.update(more)
    return value


CONFIRM = [choice("confirm", "Create"), choice("cancel", "Do not", key="n")]
UNDO = [choice("undo", "Undo", key="u")]
SLOTS = [slot(words) for words in ("Tue 22 Sep, 13:00–14:00", "Tue 22 Sep, 14:00–15:00", "Wed 23 Sep, 08:00–09:00")]
MOVES = [choice("reschedule", f"Move to {slot['text']}", at, str(at + 1)) for at, slot in enumerate(SLOTS)]

ALL = {
    "pendingCreation": card("pc", stage="proposed", state="pendingCreation", status="Create this?", outcome=item(location="Bern"), choices=CONFIRM,
                            said=[{"words": "tomorrow at noon", "instant": "", "meaning": "Tue 22 Sep, 12:00", "assumptions": ["one hour"],
                                   "alternatives": []}]),
    "pendingDeletion": card("pd", stage="proposed", state="pendingDeletion", headline="Delete 3 events", status="Delete these?",
                            items=[item(), item("Dentist", "Wed 23 Sep, 09:00–09:30"), item("Yoga", "Thu 24 Sep, 18:00–19:00")],
                            choices=[choice("confirm", "Delete all 3"), choice("cancel", "Do not")]),
    "pendingUpdate": card("pu", stage="proposed", state="pendingUpdate", headline="Move “Lunch with Ada”", status="Move this?", moves_time=True,
                          items=[item(location="Bern")], outcome=item(time="Tue 22 Sep, 13:00–14:00", location="Bern, Café Kairo"),
                          choices=[choice("confirm", "Move"), choice("cancel", "Do not"), choice("scope", "The whole series", "series", "s"),
                                   choice("choose", "Take “Lunch with Bo”, Tue 22 Sep, 12:00–13:00, instead", 0, "a")], scope="occurrence", alternatives=[item("Lunch with Bo")]),
    "conflict": card("co", state="created", status="Done", outcome=item(), has_conflict=True, conflicts=[item("Stand-up", "Tue 22 Sep, 12:30–12:45")],
                     free_slots=SLOTS, choices=[choice("keep_conflict", "Keep both"), choice("cancel_conflict", "Delete the new one"), *MOVES]),
    "created": card("cr", state="created", status="Done", outcome=item(recurrence="every week"), choices=UNDO, log_entry=1),
    "updated": card("up", state="updated", headline="Changed “Lunch with Ada”", status="Done", items=[item()], outcome=item("Lunch with Ada and Bo"),
                    choices=UNDO),
    "deleted": card("de", state="deleted", headline="Deleted “Dentist”", status="Done", items=[item("Dentist")], choices=UNDO),
    "stale": card("st", state="stale", headline="New event “Lunch with Ada”", status="No longer there", outcome=item()),
    "declined": card("dn", stage="declined", state="creationCancelled", status="Declined", outcome=item()),
    "failed": card("fa", stage="failed", headline="New event “Lunch”", failure="The calendar server did not answer. Try again later."),
    "refused": card("re", tag="REMINDER_ACTION", stage="refused", headline="Reminder “Call Bo”", failure="The time is in the past."),
    "malformed": card("ma", stage="malformed", headline="New event", payload='{"action":"create","title":"Lunch","start":"someday","isAllDay":false}',
                      problems=[{"field": "start", "kind": "time", "description": "“someday” is no time."},
                                {"field": "end", "kind": "missing", "description": "An end is needed."}]),
    "unreadable": card("un", tag="NOTE_ACTION", stage="malformed", headline="Note", payload='{"title": "Lunch',
                       problems=[{"field": "", "kind": "syntax", "description": "This is not JSON."}]),
    "untrusted": card("ut", stage="proposed", state="pendingCreation", status="Create this?", outcome=item(), choices=CONFIRM, reads_untrusted=True),
    "tool": card("to", tag="TOOL", tool="files.read", stage="proposed", headline="Use read of files", status="May I?",
                 arguments=[{"name": "path", "value": "/etc/code"}, {"name": "lines", "value": "[1,20]"}],
                 choices=[choice("confirm", "Use it"), choice("cancel", "Do not", key="n")]),
    "busy": card("bu", stage="proposed", state="pendingCreation", status="Create this?", outcome=item(), is_busy=True),
    "incomplete": card("in", state="incomplete", headline="Delete 2 events", status="Only partly taken back", items=[item(), item("Dentist")],
                       failures=[{"item": "Dentist", "reason": "it was changed meanwhile"}], choices=UNDO),
    "events": card("ev", headline="What is on Tuesday", results={"kind": "events", "items": [item(), item("Dentist")]}),
    "notes": card("no", tag="NOTE_ACTION", headline="Notes about rivers", results={"kind": "notes", "items": [
        {"id": "n", "title": "Rivers", "body": "The Aare flows through Bern.", "tags": ["geo"], "changed": ""}]}),
    "contacts": card("ct", tag="CONTACTS_SEARCH", headline="Ada", results={"kind": "contacts", "items": [
        {"name": "Ada Lovelace", "organisation": "Engines Ltd", "phones": [{"label": "work", "value": "+41 31 000 00 00"}],
         "emails": [{"label": None, "value": "ada@example.org"}]}]}),
    "habits": card("ha", tag="HABIT_ACTION", headline="Reading", results={"kind": "habits", "items": [
        {"name": "Reading", "emoji": "📖", "unit": "duration", "days": [1, None, 1, 1, None, 1, 1], "streak": 2, "is_weekly": False}]}),
    "web": card("we", tag="WEB_SEARCH", headline="Search for “aare”", results={"kind": "web", "items": [
        {"title": "Aare", "url": "https://www.example.org/aare", "snippet": "A river in Switzerland."}]}),
    "nothing": card("nt", headline="What is on Sunday", results={"kind": "events", "items": []}),
}
