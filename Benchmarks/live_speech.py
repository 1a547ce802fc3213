#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures `parley transcribe --microphone`: python3 Benchmarks/live_speech.py [--parley PATH] [--model NAME] FILE.wav…

Each recording (16 bits, one channel, 16 kHz) is fed in real time through ALSA's `file` plug-in, which needs no sound card (libasound2 has to
be installed): what was said is there when it has been said, not before. Printed are how long after a word was said it
stands on the screen, how long after the last speech of an utterance its final text is there, divided into the pause that ends
an utterance and what it takes after that, whether the final texts are those of the file, and how much of a processor it
takes, loading the model included. When a word is said is what `parley transcribe --words` finds in the file. Only the standard
library is needed; Linux.
"""

import argparse
import collections
import json
import os
import pty
import re
import resource
import statistics
import struct
import subprocess
import tempfile
import threading
import time
import wave
from pathlib import Path

import needs
from processes import run

RATE = 16_000
PIECE = 512  # samples that are read at a time
PAUSE = 0.7  # seconds without speech that end an utterance
KEPT = 0.2  # seconds behind the speech that belong to an utterance
LEAD = 1.0  # seconds of silence before the recording


def samples(path):
    with wave.open(path) as file:
        if (file.getnchannels(), file.getsampwidth(), file.getframerate()) != (1, 2, RATE):
            raise SystemExit(f"{path} is not 16 bits, one channel, 16 kHz: convert it first.")
        return file.readframes(file.getnframes())


def write(path, sound):
    with wave.open(str(path), "wb") as file:
        file.setparams((1, 2, RATE, 0, "NONE", ""))
        file.writeframes(sound)


def normal(text):
    return re.findall(r"[\w']+", text.lower())


def feed(fifo, sound, started, ended):
    """Plays a sound in real time, and then silence until nobody listens."""
    silence = struct.pack(f"<{PIECE}h", *([3, -3] * (PIECE // 2)))
    with open(fifo, "wb", buffering=0) as device:
        began = time.monotonic()
        started.append(began)
        number = 0
        try:
            while not ended.is_set():
                piece = sound[number * PIECE * 2:(number + 1) * PIECE * 2]
                number += 1
                time.sleep(max(0, began + number * PIECE / RATE - time.monotonic()))
                device.write(piece + silence[len(piece):])
        except BrokenPipeError:
            pass


def listen(options, sound, folder):
    """What was on the screen and when, and the final texts with their times."""
    fifo = folder / "microphone"
    os.mkfifo(fifo)
    (folder / "asound.conf").write_text(
        f'pcm.!default {{\n type file\n slave.pcm {{ type null }}\n file /dev/null\n infile "{fifo}"\n format raw\n}}\n')
    screen, terminal = pty.openpty()
    started, ended, shown, finals = [], threading.Event(), [], []
    process = subprocess.Popen(
        [options.parley, "transcribe", "--microphone", "--json", "--model", options.model], stdout=subprocess.PIPE, stderr=terminal,
        env={**os.environ, "ALSA_CONFIG_PATH": str(folder / "asound.conf"), "TERM": "xterm", "COLUMNS": "400"})
    os.close(terminal)

    def watch():
        while True:
            try:
                text = os.read(screen, 65_536)
            except OSError:
                return
            if not text:
                return
            shown.append((time.monotonic(), re.sub(r"\x1b\[[0-9;]*[A-Za-z]", "", text.decode(errors="replace"))))

    def collect():
        for line in process.stdout:
            finals.append((time.monotonic(), json.loads(line)))

    threads = [threading.Thread(target=watch), threading.Thread(target=collect),
               threading.Thread(target=feed, args=(fifo, sound, started, ended), daemon=True)]
    for thread in threads:
        thread.start()
    duration = len(sound) / 2 / RATE
    while not started and process.poll() is None:
        time.sleep(0.05)
    deadline = time.monotonic() + duration + 20
    while time.monotonic() < deadline and process.poll() is None:
        if started and time.monotonic() > started[0] + duration + PAUSE and finals and time.monotonic() > finals[-1][0] + 4:
            break
        time.sleep(0.05)
    process.send_signal(2)
    process.wait(30)
    lasted = time.monotonic() - started[0]
    ended.set()
    threads[1].join()
    os.close(screen)
    return started[0], lasted, shown, finals


def on_screen(shown, finals):
    """How often each word is on the screen, in final texts and in what may still change, and from when on."""
    events = sorted([(when, False, text.split("\r")[-1]) for when, text in shown] + [(when, True, final["text"]) for when, final in finals])
    screens, kept = [], collections.Counter()
    for when, is_final, text in events:
        words = collections.Counter(normal(text))
        screens.append((when, kept + words))
        if is_final:
            kept += words
    return screens


def ended_by_pause(finals):
    """The final texts without those of speech that was too long and went on right behind them."""
    starts = [final["start"] for _, final in finals[1:]] + [float("inf")]
    return [(when, final) for (when, final), start in zip(finals, starts) if start - final["end"] > 0.1]


def used():
    """The processor's seconds of all programs that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--parley", type=needs.program, default=".build/release/parley")
    options.add_argument("--model", default="whisper-base")
    options.add_argument("files", nargs="+")
    options = options.parse_args()
    delays, ends, shares, equal, utterances = [], [], [], 0, 0
    for name in options.files:
        with tempfile.TemporaryDirectory() as folder:
            folder = Path(folder)
            sound = b"\0" * int(LEAD * RATE) * 2 + samples(name)
            write(folder / "sound.wav", sound)
            told = run([options.parley, "transcribe", "--json", "--words", "--model", options.model, folder / "sound.wav"]).output
            words = json.loads(told)["words"]
            before = used()
            began, lasted, shown, finals = listen(options, sound, folder)
            shares.append((used() - before) / lasted)
            screens, counts = on_screen(shown, finals), collections.Counter()
            for word in words:
                key = (normal(word["word"]) or [""])[0]
                counts[key] += 1
                # A word that was said before has to be there once more.
                when = next((when for when, text in screens if text[key] >= counts[key]), None)
                if when:
                    delays.append(max(0, when - began - word["end"]))
            for when, final in ended_by_pause(finals):
                ends.append(when - (began + final["end"] - KEPT))
            live = normal(" ".join(final["text"] for _, final in finals))
            whole = normal(json.loads(told)["text"])
            utterances += 1
            equal += live == whole
            print(f"{Path(name).name}: {len(words)} words, {len(finals)} final texts{'' if live == whole else ', other words than the file'}")
    print(f"a word is on the screen {statistics.median(delays):.2f} s after it was said (median of {len(delays)})")
    rest = [end - PAUSE for end in ends]
    print(f"a final text is there {statistics.median(ends):.3f} s after the last speech (median of {len(ends)}): {PAUSE} s are the pause that "
          f"ends an utterance, and {statistics.median(rest):.3f} s pass after it, at most {max(rest):.3f} s")
    print(f"listening takes {statistics.mean(shares):.2f} cores")
    print(f"the words are those of the file in {equal} of {utterances} recordings")


if __name__ == "__main__":
    main()
