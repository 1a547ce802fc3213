#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records what recurring-ical-events finds in random calendars.

    record.py FILE [COUNT] [FIRST SEED]     a line of JSON for each calendar, 10,000 from seed 1 on if not said otherwise
    record.py --goldens                     300 of them for Tests/ParleyCalendarTests/Goldens/occurrences.json

Calendars for which the library fails or takes more than a second of the processor are passed over, and counted at the end. The
goldens leave out those in which it is known to differ from RFC 5545 (README.md).
"""

import collections
import json
import pathlib
import signal
import sys

import cases

GOLDENS = pathlib.Path(__file__).resolve().parents[3] / "Tests/ParleyCalendarTests/Goldens/occurrences.json"


class TooSlow(Exception):
    pass


def stop(*_):
    raise TooSlow


def records(first, refused):
    """Endless records, from one seed on."""
    signal.signal(signal.SIGPROF, stop)
    seed = first
    while True:
        signal.setitimer(signal.ITIMER_PROF, 1)
        try:
            case = cases.Case(seed)
            found = cases.cut(cases.reference(case), case)
            signal.setitimer(signal.ITIMER_PROF, 0)
            yield case, found, {
                "seed": seed, "kind": case.kind, "zone": case.zone, "rule": case.rule_text, "viewer": case.viewer,
                "from": int(case.first.timestamp()), "to": int(case.last.timestamp()), "calendar": case.text, "found": found}
        except TooSlow:
            refused["took more than a second"] += 1
        except Exception as error:
            signal.setitimer(signal.ITIMER_PROF, 0)
            refused[f"{type(error).__name__}: {str(error).split(':')[0]}"] += 1
        seed += 1


def main():
    refused = collections.Counter()
    if sys.argv[1:] == ["--goldens"]:
        kept = []
        for case, found, record in records(1_000_001, refused):
            if not cases.is_contested(case, found) and len(found) <= 40:
                kept.append({name: record[name] for name in ("seed", "viewer", "from", "to", "calendar", "found")})
            if len(kept) == 300:
                break
        lines = ",\n".join(json.dumps(one, ensure_ascii=False) for one in kept)
        GOLDENS.write_text(f"[\n{lines}\n]\n", encoding="utf-8")
        return
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 10_000
    first = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        for number, (_, _, record) in enumerate(records(first, refused), 1):
            file.write(json.dumps(record) + "\n")
            if number == count:
                break
    print(f"no reference for {sum(refused.values())}: {dict(refused)}")


if __name__ == "__main__":
    main()
