# SPDX-License-Identifier: Apache-2.0
"""Random calendars, and what recurring-ical-events says of them.

    pip install recurring-ical-events==3.8.2 icalendar==7.3.0 tzdata==2026.6
"""

import datetime
import random
import warnings
import zoneinfo

import icalendar
import recurring_ical_events
from dateutil.rrule import rrulestr

warnings.simplefilter("ignore")

ZONES = ["Europe/Berlin", "America/New_York", "Australia/Sydney", "Asia/Kolkata", "America/Sao_Paulo", "Pacific/Apia",
         "Europe/London", "Asia/Tokyo", "America/St_Johns", "Australia/Lord_Howe", "Africa/Cairo"]
DAYS = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"]
UTC = datetime.timezone.utc
FREQUENCIES = ["YEARLY", "MONTHLY", "WEEKLY", "DAILY", "HOURLY", "MINUTELY", "SECONDLY"]

# A zone of the calendar's own, in the words of a calendar program and with a name that no database has.
OWN_ZONE = """BEGIN:VTIMEZONE
TZID:Own Zone
BEGIN:DAYLIGHT
DTSTART:19700329T020000
TZOFFSETFROM:+0100
TZOFFSETTO:+0200
RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU
END:DAYLIGHT
BEGIN:STANDARD
DTSTART:19701025T030000
TZOFFSETFROM:+0200
TZOFFSETTO:+0100
RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU
END:STANDARD
END:VTIMEZONE
"""


def spelled(time):
    """The value of a property for a date or a naive time."""
    return time.strftime("%Y%m%dT%H%M%S" if isinstance(time, datetime.datetime) else "%Y%m%d")


class Case:
    """A calendar, a range of instants and the zone of whoever looks at it."""

    def __init__(self, seed):
        self.seed = seed
        self.random = random.Random(seed)
        r = self.random
        self.kind = r.choices(["zoned", "own", "utc", "floating", "date"], [50, 8, 12, 10, 20])[0]
        self.zone = r.choice(ZONES)
        self.viewer = r.choice(ZONES + ["UTC"])
        year = r.randint(1990, 2032)
        if r.random() < 0.5:  # near a change of the clocks
            month, day = r.choice([(3, r.randint(7, 31)), (10, r.randint(1, 31)), (11, r.randint(1, 8)), (4, r.randint(1, 8))])
        else:
            month, day = r.randint(1, 12), r.randint(1, 28)
        if r.random() < 0.08:
            month, day = r.choice([(1, 31), (12, 31), (1, 1), (12, 29), (8, 31)])
        date = datetime.date(year, month, day)
        if r.random() < 0.02:
            date = datetime.date(2024, 2, 29)
        time = datetime.time(r.choice([0, 1, 2, 2, 3, 9, 12, 18, 22, 23]), r.choice([0, 0, 15, 30, 59]), r.choice([0, 0, 0, 7]))
        self.start = date if self.kind == "date" else datetime.datetime.combine(date, time)
        self.write()

    # The words of the calendar.

    def time(self, name, value, rest=""):
        if self.kind == "date":
            return f"{name};VALUE=DATE{rest}:{spelled(value)}"
        if self.kind == "utc":
            return f"{name}{rest}:{spelled(value)}Z"
        if self.kind == "floating":
            return f"{name}{rest}:{spelled(value)}"
        return f"{name};TZID={self.tzid()}{rest}:{spelled(value)}"

    def tzid(self):
        return "Own Zone" if self.kind == "own" else self.zone

    def tzinfo(self):
        return zoneinfo.ZoneInfo("Europe/Berlin" if self.kind == "own" else self.zone)

    def utc(self, value):
        """A time of the calendar as the value of UTC."""
        return spelled(value.replace(tzinfo=self.tzinfo()).astimezone(UTC)) + "Z"

    def length(self):
        r = self.random
        if self.kind == "date":
            return r.choices(["none", "end", "duration"], [3, 5, 2])[0], datetime.timedelta(days=r.choice([1, 1, 2, 3, 10]))
        hours = r.choice([0, 0.25, 0.5, 1, 1, 2, 3, 8, 24, 30, 72])
        return r.choices(["none", "end", "duration"], [1, 6, 3])[0], datetime.timedelta(hours=hours)

    def rule(self):
        r = self.random
        # Days recur no more often than daily.
        frequency = r.choices(FREQUENCIES, [22, 22, 20, 18] + ([0, 0, 0] if self.kind == "date" else [10, 6, 4]))[0]
        parts = {"FREQ": frequency}
        if r.random() < 0.5:
            parts["INTERVAL"] = r.choice([1, 2, 2, 3, 4, 5, 7, 10, 13, 100])
            if frequency in ("YEARLY",):
                parts["INTERVAL"] = min(parts["INTERVAL"], 4)

        def some(values, most=3):
            return ",".join(str(value) for value in r.sample(values, r.randint(1, most)))

        def signed(most, count=3):
            return some([n for n in range(-most, most + 1) if n], count)

        def days(ordinals):
            if not ordinals:
                return ",".join(r.sample(DAYS, r.randint(1, 3)))
            return ",".join(f"{r.choice(ordinals)}{day}" for day in r.sample(DAYS, r.randint(1, 2)))

        chance = r.random
        if frequency == "YEARLY":
            shape = r.randint(0, 7)
            if shape in (1, 2, 3):
                parts["BYMONTH"] = some(range(1, 13))
            if shape == 2:
                parts["BYMONTHDAY"] = signed(31)
            if shape == 3:
                parts["BYDAY"] = days(r.choice([[], [1, 2, 3, 4, -1, -2]]))
            if shape == 4:
                parts["BYDAY"] = days(r.choice([[], [1, 10, 20, 52, -1, -5, -53]]))
            if shape == 5:
                parts["BYYEARDAY"] = signed(366, 4)
            if shape == 6:
                parts["BYWEEKNO"] = signed(53)
                if chance() < 0.8:
                    parts["BYDAY"] = days([])
            if shape == 7:
                parts["BYMONTHDAY"] = signed(31)
        elif frequency == "MONTHLY":
            shape = r.randint(0, 5)
            if shape in (1, 5):
                parts["BYMONTHDAY"] = signed(31)
            if shape in (2, 5):
                parts["BYDAY"] = days([])
            if shape == 3:
                parts["BYDAY"] = days([1, 2, 3, 4, 5, -1, -2, -5])
            if chance() < 0.2:
                parts["BYMONTH"] = some(range(1, 13), 4)
        elif frequency == "WEEKLY":
            if chance() < 0.7:
                parts["BYDAY"] = days([])
            if chance() < 0.2:
                parts["BYMONTH"] = some(range(1, 13), 4)
        else:
            if chance() < 0.3:
                parts["BYDAY"] = days([])
            if chance() < 0.2:
                parts["BYMONTH"] = some(range(1, 13), 4)
            if chance() < 0.2:
                parts["BYMONTHDAY"] = signed(31)
            if frequency != "DAILY" and chance() < 0.1:
                parts["BYYEARDAY"] = signed(366, 4)
        if self.kind != "date":
            narrow = frequency in FREQUENCIES[4:]
            if chance() < (0.5 if narrow else 0.12):
                parts["BYHOUR"] = some(range(24))
            if chance() < (0.4 if narrow else 0.08):
                parts["BYMINUTE"] = some([0, 15, 30, 45, 59])
            if chance() < (0.4 if narrow else 0.04):
                parts["BYSECOND"] = some([0, 7, 30, 59])
        if any(name.startswith("BY") for name in parts) and chance() < 0.2:
            parts["BYSETPOS"] = r.choice(["1", "-1", "2", "-2", "1,-1", "3", "2,5"])
        if chance() < 0.25:
            parts["WKST"] = r.choice(DAYS)
        end = chance()
        if end < 0.3:
            parts["COUNT"] = r.choice([1, 2, 3, 5, 10, 40, 200])
        elif end < 0.6:
            span = {"YEARLY": 4000, "MONTHLY": 900, "WEEKLY": 300, "DAILY": 90}.get(frequency, 4)
            until = self.start + datetime.timedelta(days=r.randint(0, span))
            if self.kind == "date" or self.kind == "floating":
                parts["UNTIL"] = spelled(until)
            elif self.kind == "utc":
                parts["UNTIL"] = spelled(until) + "Z"
            else:
                parts["UNTIL"] = self.utc(until + datetime.timedelta(hours=r.choice([0, 0, 0, 1, -1, 12])))
        self.frequency = frequency
        first = parts.pop("FREQ")
        names = list(parts)
        r.shuffle(names)
        return ";".join([f"FREQ={first}"] + [f"{name}={parts[name]}" for name in names])

    def near(self):
        """A time at which the series might be: the same time of day, some steps later."""
        days = {"YEARLY": 365, "MONTHLY": 30, "WEEKLY": 7, "DAILY": 1}.get(self.frequency, 1)
        return self.start + datetime.timedelta(days=days * self.random.randint(0, 12))

    def write(self):
        r = self.random
        lines = ["BEGIN:VEVENT", "UID:series", "DTSTAMP:20260101T000000Z", "SUMMARY:series", self.time("DTSTART", self.start)]
        how, length = self.length()
        if how == "end":
            lines.append(self.time("DTEND", self.start + length))
        if how == "duration":
            lines.append("DURATION:" + icalendar.vDuration(length).to_ical().decode())
        rule = self.rule()
        recurring = r.random() < 0.95
        self.rule_text = rule if recurring else ""
        if recurring:
            lines.append(f"RRULE:{rule}")
        while r.random() < 0.3:
            lines.append(self.time("RDATE", self.near() + datetime.timedelta(days=r.choice([0, 0, 1, 2]))))
        if self.kind not in ("date",) and r.random() < 0.1:
            start = self.near() + datetime.timedelta(days=1)
            end = r.choice([spelled(start + datetime.timedelta(hours=5)), "PT3H", "P1D"])
            if self.kind == "utc":
                lines.append(f"RDATE;VALUE=PERIOD:{spelled(start)}Z/{end + 'Z' if end[0] != 'P' else end}")
            elif self.kind == "floating":
                lines.append(f"RDATE;VALUE=PERIOD:{spelled(start)}/{end}")
            else:
                lines.append(f"RDATE;VALUE=PERIOD;TZID={self.tzid()}:{spelled(start)}/{end}")
        exceptions = []
        occurrences = self.some_starts() if recurring else []
        if r.random() < 0.4:
            for _ in range(r.randint(1, 3)):
                exceptions.append(r.choice(occurrences) if occurrences and r.random() < 0.8 else self.near())
            if self.kind in ("zoned", "own") and r.random() < 0.3:
                lines.append("EXDATE:" + ",".join(self.utc(time) for time in exceptions))
            else:
                lines.append(self.time("EXDATE", exceptions[0]) + "".join(
                    "," + spelled(time) + ("Z" if self.kind == "utc" else "") for time in exceptions[1:]))
        lines.append("END:VEVENT")
        if r.random() < 0.35:
            for number in range(r.randint(1, 2)):
                moved = r.choice(occurrences) if occurrences and r.random() < 0.9 else self.near()
                if self.time("RECURRENCE-ID", moved) in lines or self.time("RECURRENCE-ID", moved, ";RANGE=THISANDFUTURE") in lines:
                    continue
                later = r.random() < 0.25
                shift = datetime.timedelta(days=r.choice([0, 0, 1, -1, 3])) if self.kind == "date" else \
                    datetime.timedelta(hours=r.choice([0, 1, -1, 2, 24, -30]))
                lines += ["BEGIN:VEVENT", "UID:series", "DTSTAMP:20260101T000000Z", f"SUMMARY:override {number}",
                          self.time("RECURRENCE-ID", moved, ";RANGE=THISANDFUTURE" if later else ""),
                          self.time("DTSTART", moved + shift)]
                how, length = self.length()
                if how == "end":
                    lines.append(self.time("DTEND", moved + shift + length))
                if how == "duration":
                    lines.append("DURATION:" + icalendar.vDuration(length).to_ical().decode())
                lines.append("END:VEVENT")
        text = "BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:-//cases//EN\n" + (OWN_ZONE if self.kind == "own" else "")
        self.text = (text + "\n".join(lines) + "\nEND:VCALENDAR\n").replace("\n", "\r\n")
        # The range: a while that holds some and not too many, not always from the beginning.
        span = {"YEARLY": 2500, "MONTHLY": 500, "WEEKLY": 120, "DAILY": 40, "HOURLY": 4, "MINUTELY": 1, "SECONDLY": 1}[self.frequency]
        midnight = datetime.datetime.combine(self.start, datetime.time(0)).replace(tzinfo=UTC)
        self.first = midnight + datetime.timedelta(days=r.choice([-2, -2, 0, 1, span // 2, span]), seconds=r.choice([0, 0, 3600, 7 * 3600 + 1]))
        hours = {"MINUTELY": r.choice([2, 8, 30]), "SECONDLY": r.choice([0.2, 1])}.get(self.frequency, 24 * r.randint(1, span))
        if self.frequency in ("MINUTELY", "SECONDLY") and recurring:
            begin = self.start.replace(tzinfo=UTC) if self.kind != "date" else midnight
            self.first = begin + datetime.timedelta(hours=r.choice([-14, -3, -1, 0, 4]))
        self.last = self.first + datetime.timedelta(hours=hours)

    def some_starts(self):
        """Some starts of the series, to make exceptions and overrides of."""
        text = ";".join(part for part in self.rule_text.split(";") if not part.startswith("UNTIL="))
        start = self.start if isinstance(self.start, datetime.datetime) else datetime.datetime.combine(self.start, datetime.time())
        result = []
        try:
            for time in rrulestr(text, dtstart=start).xafter(start, count=12, inc=True):
                result.append(time if self.kind != "date" else time.date())
        except ValueError:
            pass
        return result


def instant(value, zone):
    """A date or time as seconds since 1970, dates and times without a zone in the viewer's."""
    if not isinstance(value, datetime.datetime):
        value = datetime.datetime.combine(value, datetime.time())
    if value.tzinfo is None:
        value = value.replace(tzinfo=zone)
    return int(value.timestamp())


def reference(case):
    """What recurring-ical-events finds: a sorted list of (start, end, summary), and of the same without duplicates."""
    zone = zoneinfo.ZoneInfo(case.viewer)
    calendar = icalendar.Calendar.from_ical(case.text)
    first, last = case.first.astimezone(zone), case.last.astimezone(zone)
    # The library compares wall clocks at the edges of its range, so it is asked for more, and the edges are cut here.
    margin = datetime.timedelta(days=1)
    found = []
    for event in recurring_ical_events.of(calendar).between(first - margin, last + margin):
        start, end = instant(event["DTSTART"].dt, zone), instant(event["DTEND"].dt, zone)
        found.append((start, end, str(event["SUMMARY"])))
    return sorted(found)


def cut(found, case):
    """Those in the range."""
    first, last = int(case.first.timestamp()), int(case.last.timestamp())
    return sorted({one for one in found if (first <= one[0] < last if one[0] == one[1] else one[0] < last and first < one[1])})


def digits(text, zone):
    """What EXDATE and RECURRENCE-ID spell, in the zone of the series and in UTC."""
    spellings = set()
    for line in text.split("\r\n"):
        if line.startswith(("EXDATE", "RECURRENCE-ID")):
            for value in line.rsplit(":", 1)[1].split(","):
                spellings.add(value.rstrip("Z"))
                if zone and "T" in value:
                    time = datetime.datetime.strptime(value.rstrip("Z"), "%Y%m%dT%H%M%S")
                    own, other = (UTC, zone) if value.endswith("Z") else (zone, UTC)
                    spellings.add(spelled(time.replace(tzinfo=own).astimezone(other)))
    return spellings


def crosses(zone, one):
    """Whether the clocks of a zone change within an occurrence."""
    offset = lambda time: datetime.datetime.fromtimestamp(time, zone).utcoffset()
    return offset(one[0]) != offset(one[1])


def zone_of(kind, zone):
    """The clocks of a series, None for one that has no zone."""
    return {"own": zoneinfo.ZoneInfo("Europe/Berlin"), "zoned": zoneinfo.ZoneInfo(zone)}.get(kind)


def is_contested(case, found):
    """Whether the library may differ from RFC 5545 in a calendar."""
    zone = zone_of(case.kind, case.zone)
    rule = case.rule_text
    return (zone and (any(crosses(zone, one) for one in found) or digits(case.text, zone))
            or "BYWEEKNO" in rule or "WEEKLY" in rule and "BYSETPOS" in rule)
