#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records contacts that khard makes, and what khard and vobject read from them and from cards of other forms.

    pip install khard==0.22.0 vobject==0.9.9
    record.py > Tests/ParleyActionsTests/Goldens/contacts.json

The people are made up. Each is made by `khard new` as a card of vCard 3.0 and as one of 4.0, and by vobject as one of
3.0; what is recorded of khard's cards is what `khard phone`, `khard email` and `khard list` say of the folder.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

import vobject

PEOPLE = [
    {"First name": "Zoë", "Last name": "Ångström", "Organisation": "Fjällräven & Co", "Phone": {"cell": "+46 70 1740605",
     "work": ["08-123 456", "08-123 457"]}, "Email": {"home": "zoe@example.org", "work": "zoe.angstrom@example.com"}},
    {"Prefix": "Dr.", "First name": "Jürgen", "Additional": "Maria", "Last name": "Groß-Weiß", "Suffix": "jun.",
     "Phone": {"home": "030 / 99 88 77"}, "Nickname": "Jürgi", "Note": "a secret; with, signs: and\nlines"},
    {"First name": "François", "Last name": "Lefèvre", "Organisation": ["Boulangerie; Lefèvre", "Pâtisserie"],
     "Email": {"pref, internet": "francois@example.net"}, "Phone": {"pref, voice": "+33 1 23 45 67 89", "fax": "0"}},
    {"First name": "María José", "Last name": "O'Neill, Peña", "Email": {"work": "m" * 60 + "@" + "example." * 5 + "org"},
     "Phone": {"cell": "+34 600 000 000"}},
    {"First name": "世界", "Last name": "你好", "Phone": {"cell": "+86 10 1234"}},
    {"First name": "Only"},
]


def khard(config, *arguments, text=None):
    result = subprocess.run(["khard", "-c", str(config), *arguments], capture_output=True, text=True, input=text)
    if result.returncode:
        sys.exit(f"khard {arguments}: {result.stderr}{result.stdout}")
    return result.stdout


def made_by_khard(version, folder):
    book = folder / "book"
    book.mkdir()
    config = folder / "khard.conf"
    config.write_text(
        f"[addressbooks]\n[[book]]\npath = {book}\n[general]\neditor = true\nmerge_editor = true\n"
        f"[vcard]\npreferred_version = {version}\n[contact table]\ndisplay = formatted_name\nlocalize_dates = no\n")
    for person in PEOPLE:
        # JSON is YAML.
        template = folder / "template.yaml"
        template.write_text(json.dumps(person, ensure_ascii=False))
        khard(config, "new", "-a", "book", "--vcard-version", version, "-i", str(template))
    said = {}
    for kind in ("phone", "email"):
        for line in khard(config, kind, "--parsable").splitlines():
            if "\t" not in line:  # what khard says before its list
                continue
            value, name, label = line.split("\t")[:3]
            said.setdefault(name, {}).setdefault(kind, []).append([label, value])
    names = [line.split("\t")[1] for line in khard(config, "list", "--parsable").splitlines() if "\t" in line]
    cards = [path.read_bytes().decode() for path in sorted(book.glob("*.vcf"))]
    return {"maker": f"khard 0.22.0, vCard {version}", "cards": cards, "names": sorted(names), "said": said}


def made_by_vobject():
    cards = []
    for person in PEOPLE:
        card = vobject.vCard()
        card.add("n").value = vobject.vcard.Name(family=person.get("Last name", ""), given=person["First name"])
        card.add("fn").value = " ".join(filter(None, [person["First name"], person.get("Last name")]))
        for label, values in person.get("Phone", {}).items():
            for value in [values] if isinstance(values, str) else values:
                entry = card.add("tel")
                entry.value, entry.type_param = value, label.split(", ")
        for number, (label, value) in enumerate(person.get("Email", {}).items()):
            entry = card.add("email")
            entry.value, entry.group = value, f"item{number}"
            name = card.add("x-ablabel")
            name.value, name.group = f"_$!<{label}>!$_", f"item{number}"
        if "Note" in person:
            card.add("note").value = person["Note"]
        cards.append(card.serialize())
    read = [vobject.readOne(card) for card in cards]
    said = {
        card.fn.value: {
            "phone": [["", line.value] for line in card.contents.get("tel", [])],
            "email": [["", line.value] for line in card.contents.get("email", [])],
        }
        for card in read
    }
    return {"maker": "vobject 0.9.9, vCard 3.0", "cards": ["".join(cards)], "names": sorted(said), "said": said}


def main():
    os.environ["PATH"] = str(pathlib.Path(sys.executable).parent) + os.pathsep + os.environ["PATH"]
    recorded = []
    for version in ("3.0", "4.0"):
        with tempfile.TemporaryDirectory() as folder:
            recorded.append(made_by_khard(version, pathlib.Path(folder)))
    recorded.append(made_by_vobject())
    json.dump(recorded, sys.stdout, ensure_ascii=False, indent=1)
    print()


main()
