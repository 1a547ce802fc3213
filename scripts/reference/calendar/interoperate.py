#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Shows that other programs read and write the calendars of Parley's stores, and Parley theirs.

    interoperate.py STORES

STORES is the built program of the folder stores. Needs khal, todoman, vdirsyncer and radicale (pip) beside this Python; it
was written with khal 0.14.1, todoman 4.7.0, vdirsyncer 0.21.0 and Radicale 3.9.0.
Everything happens in a temporary folder; the server listens on the loopback address only.
"""

import json
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

PROGRAMS = pathlib.Path(sys.executable).parent
KHAL = """[calendars]
[[personal]]
path = {folder}/cal/personal
[locale]
timeformat = %H:%M
dateformat = %Y-%m-%d
longdateformat = %Y-%m-%d
datetimeformat = %Y-%m-%d %H:%M
longdatetimeformat = %Y-%m-%d %H:%M
local_timezone = Europe/Berlin
default_timezone = Europe/Berlin
[sqlite]
path = {folder}/khal.db
"""
TODO = """path = "{folder}/cal/*"
date_format = "%Y-%m-%d"
time_format = "%H:%M"
default_list = "personal"
cache_path = "{folder}/todo.db"
"""
SYNC = """[general]
status_path = "{folder}/status"
[pair both]
a = "here"
b = "there"
collections = [["personal", "personal", "personal"]]
[storage here]
type = "filesystem"
path = "{folder}/cal"
fileext = ".ics"
[storage there]
type = "caldav"
url = "http://127.0.0.1:{port}/user/"
username = "user"
password = "secret"
"""
EVENTS = """2026-03-10T08:30:00Z Dentist; Dr. Müller, 2nd floor Main St 1
2026-03-12 3 Fair
2026-03-23T08:00:00Z Stand-up
2026-03-25T08:00:00Z Stand-up
2026-03-30T07:00:00Z Stand-up
2026-04-01T07:00:00Z Stand-up"""


class Check:
    def __init__(self, stores, folder):
        self.stores, self.folder, self.failed = stores, folder, 0
        self.environment = os.environ | {"HOME": str(folder), "TZ": "Europe/Berlin"}

    def run(self, *command):
        result = subprocess.run(
            [str(one) for one in command], env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, timeout=120)
        if result.returncode:
            print(f"failed: {' '.join(map(str, command))}\n{result.stdout}")
        return result.stdout.strip()

    def ours(self, *command):
        return "\n".join(line.rstrip() for line in self.run(self.stores, self.folder / "cal", *command).splitlines())

    def listed(self):
        return self.ours("list", "2026-03-01", "2026-04-02")

    def khal(self):
        fields = "{start} {title}"
        return self.run(
            PROGRAMS / "khal", "-c", self.folder / "khal.conf", "list", "--day-format", "", "--format", fields,
            "2026-03-01", "2026-04-02")

    def todo(self, *command):
        return self.run(PROGRAMS / "todo", "--config", self.folder / "todo.py", "--porcelain", *command)

    def sync(self):
        self.run(PROGRAMS / "vdirsyncer", "-c", self.folder / "sync", "discover", "--no-list")
        return self.run(PROGRAMS / "vdirsyncer", "-c", self.folder / "sync", "sync")

    def files(self):
        return {file.name: file.read_bytes() for file in (self.folder / "cal/personal").glob("*.ics")}

    def expect(self, what, condition, details=""):
        print(("ok      " if condition else "FAILED  ") + what)
        if not condition:
            self.failed += 1
            print(details)


def server(folder):
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    (folder / "users").write_text("user:secret\n")
    (folder / "radicale").write_text(
        f"[server]\nhosts = 127.0.0.1:{port}\n[auth]\ntype = htpasswd\nhtpasswd_filename = {folder}/users\n"
        f"htpasswd_encryption = plain\n[storage]\nfilesystem_folder = {folder}/server\n")
    process = subprocess.Popen(
        [PROGRAMS / "radicale", "--config", folder / "radicale"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for _ in range(100):
        try:
            socket.create_connection(("127.0.0.1", port), 0.2).close()
            break
        except OSError:
            time.sleep(0.1)
    request = urllib.request.Request(f"http://127.0.0.1:{port}/user/personal/", method="MKCALENDAR")
    login = urllib.request.HTTPPasswordMgrWithDefaultRealm()
    login.add_password(None, request.full_url, "user", "secret")
    urllib.request.build_opener(urllib.request.HTTPBasicAuthHandler(login)).open(request)
    return process, port


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        check = Check(sys.argv[1], folder)
        (folder / "khal.conf").write_text(KHAL.format(folder=folder))
        (folder / "todo.py").write_text(TODO.format(folder=folder))
        check.ours("make")
        check.expect("Parley lists its events", check.listed() == EVENTS, check.listed())
        wanted = [
            "2026-03-10 09:30 Dentist; Dr. Müller, 2nd floor", "2026-03-12 Fair", "2026-03-23 09:00 Stand-up",
            "2026-03-25 09:00 Stand-up", "2026-03-30 09:00 Stand-up", "2026-04-01 09:00 Stand-up",
        ]
        # khal shows an event of several days on each of them.
        found = list(dict.fromkeys(line for line in check.khal().splitlines() if line.strip()))
        check.expect("khal lists the same", found == wanted, found)
        tasks = json.loads(check.todo("list"))
        check.expect(
            "todoman lists the reminder", [(one["summary"], one["due"]) for one in tasks]
            == [("Water the plants", 1782921600)], tasks)

        check.run(
            PROGRAMS / "todo", "--config", folder / "todo.py", "edit", "--due", "2026-07-02 10:00",
            str(tasks[0]["id"]))
        check.expect(
            "Parley reads todoman's edit", check.ours("open") == "2026-07-02T08:00:00Z Water the plants",
            check.ours("open"))
        check.run(
            PROGRAMS / "khal", "-c", folder / "khal.conf", "new", "-a", "personal", "2026-03-20 17:00", "18:00",
            "Concert", "::", "by khal")
        check.expect("Parley reads khal's event", "2026-03-20T16:00:00Z Concert" in check.listed(), check.listed())

        for path in (folder / "cal/personal").glob("*.ics"):
            text = path.read_bytes()
            mark = b"X-OTHER;A=\"b;c\":written by another\r\n program\r\n"
            for kind in (b"END:VEVENT", b"END:VTODO"):
                text = text.replace(kind, mark + kind, 1)
            path.write_bytes(text)
        before = check.files()
        for one in (("Concert", "Big concert", "series"), ("Stand-up", "Late stand-up", "occurrence")):
            check.ours("rename", *one)
        after = check.files()
        kept = all(mark in content for content in after.values())
        changed = [name for name in after if after[name] != before.get(name)]
        check.expect("what others wrote survives an update", kept and len(changed) == 2, changed)
        check.expect("khal reads the changes", {"Big concert", "Late stand-up"} <= {
            line.split(" ", 2)[2] for line in check.khal().splitlines() if line.count(" ") >= 2}, check.khal())

        process, port = server(folder)
        try:
            (folder / "sync").write_text(SYNC.format(folder=folder, port=port))
            before, events = check.files(), check.listed()
            output = check.sync()
            check.expect("vdirsyncer uploads everything", output.count("Copying (uploading) item") == 5, output)
            check.ours("rename", "Fair", "Fair and market", "series")
            output = check.sync()
            check.expect("a change goes to the server", output.count("Copying (updating) item") == 1, output)
            output = check.sync()
            check.expect("no change is left over", "Copying" not in output, output)
            kept = check.files()
            for path in (folder / "cal/personal").glob("*.ics"):
                path.unlink()
            (folder / "again").mkdir()
            (folder / "cal").rename(folder / "old")
            (folder / "cal/personal").mkdir(parents=True)
            for path in (folder / "status").rglob("*"):
                if path.is_file():
                    path.unlink()
            output = check.sync()
            check.expect("everything comes back from the server", len(check.files()) == len(kept), output)
            check.expect(
                "Parley lists the same from the server's files",
                check.listed() == events.replace("Fair", "Fair and market"), check.listed())
        finally:
            process.terminate()
            process.wait()
    print(f"{check.failed} failed")
    sys.exit(check.failed > 0)


main()
