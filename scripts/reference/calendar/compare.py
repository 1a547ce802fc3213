#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the occurrences that Parley finds with those that record.py recorded.

    compare.py EXPAND FILE

EXPAND is the built program of the folder expand. Prints how many calendars have the same occurrences, and why others
differ, as far as a rule of thumb tells.
"""

import base64
import collections
import datetime
import json
import subprocess
import sys

import cases


def explain(record, wanted, got):
    missing, further = set(wanted) - set(got), set(got) - set(wanted)
    zone = cases.zone_of(record["kind"], record["zone"])
    # The times of a series without a zone are those of whoever looks at it.
    clocks = zone or (cases.zone_of("zoned", record["viewer"]) if record["kind"] == "floating" else None)
    starts = lambda ones: sorted((start, summary) for start, _, summary in ones)
    if clocks and (
            starts(missing) == starts(further) or all(cases.crosses(clocks, one) for one in missing ^ further)):
        return "the length over a change of the clocks (RFC 5545: exact behind DTEND, nominal days behind DURATION)"
    rule = record["rule"]
    if "BYWEEKNO" in rule and "BYDAY" not in rule:
        return "BYWEEKNO without BYDAY (RFC 5545: the weekday of the start)"
    if "BYWEEKNO" in rule:
        return "BYWEEKNO at the turn of a year"
    if "WEEKLY" in rule and "BYSETPOS" in rule:
        return "BYSETPOS in the first week (RFC 5545: counted from the beginning of the week)"
    spelled = cases.digits(record["calendar"], zone)
    spellings = lambda start: {
        cases.spelled(datetime.datetime.fromtimestamp(start, clock)) for clock in (cases.UTC, zone)}
    if zone and all(spellings(start) & spelled for start, _, _ in missing | further):
        return "an exception that spells in one zone what another occurrence is in another"
    return "other"


def main():
    program, path = sys.argv[1:]
    with open(path, encoding="utf-8") as file:
        records = [json.loads(line) for line in file]
    lines = "".join(
        f"{one['from']} {one['to']} {one['viewer']} {base64.b64encode(one['calendar'].encode()).decode()}\n"
        for one in records)
    output = subprocess.run([program], input=lines, stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()
    same = occurrences = 0
    reasons = collections.Counter()
    for record, line in zip(records, output, strict=True):
        result = json.loads(line)
        wanted = sorted(map(tuple, record["found"]))
        occurrences += len(wanted)
        got = sorted({(one["start"], one["end"], one["summary"]) for one in result.get("found", [])})
        if got == wanted and not result.get("problems"):
            same += 1
            continue
        reason = explain(record, wanted, got) if "found" in result and not result["problems"] else "error"
        reasons[reason] += 1
        if reasons[reason] <= (100 if reason in ("other", "error") else 2):
            print(f"seed {record['seed']} ({reason}): {record['kind']} {record['zone']} {record['rule']}; "
                  f"missing {sorted(set(wanted) - set(got))[:2]}, further {sorted(set(got) - set(wanted))[:2]}",
                  result.get("problems", result))
    print(f"{same} of {len(records)} calendars equal, {occurrences} occurrences")
    for reason, number in reasons.most_common():
        print(f"{number} different: {reason}")


if __name__ == "__main__":
    main()
