#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures what the loading of a speech model and other programs do to a transcription.

    Benchmarks/speech_conditions.py MODEL_FOLDER [--rounds 5] [--threads 2] [--neighbours 1] [--whisper-cpp FOLDER]
        [--recordings FOLDER] [--parley PROGRAM]

First, how long a whole new process takes for one recording, from its start to its end, with the files in the system's
cache: Parley, whisper.cpp with Q8_0 and faster-whisper in int8 (Python's own start included). Then how much longer the
utterances below 8 seconds take Parley beside busy processes than on the quiet machine, at most and in the middle: the times
are those that `parley transcribe --json` tells. See Benchmarks/speech.py for the folders and for the Python that is needed.
"""
import argparse, os, pathlib, statistics, sys, time

from busy import busy_processes
from speech import ROOT, FasterWhisper, Parley, WhisperCpp, recordings


def first(programs, options, file):
    """The seconds of a new process for one recording, by program."""
    times = {program.name: [] for program in programs}
    for turn in range(options.rounds + 1):
        for program in programs:
            began = time.perf_counter()
            program.run([file], "en")
            # The first turn brings the files into the system's cache.
            if turn:
                times[program.name].append(time.perf_counter() - began)
    return {name: statistics.median(values) for name, values in times.items()}


def beside(options, files):
    """How many times as long each recording takes beside busy processes."""
    quiet, busy = [], []
    for _ in range(options.rounds):
        quiet.append(Parley(options).run(files, "en")[1])
        with busy_processes(options.neighbours):
            busy.append(Parley(options).run(files, "en")[1])
    middle = [[statistics.median(times) for times in zip(*rounds)] for rounds in (quiet, busy)]
    return [after / before for before, after in zip(*middle)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("--isa", choices=["avx2"], help="keep all programs to this instruction set")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--neighbours", type=int, default=1, help="how many busy processes (1)")
    parser.add_argument("--whisper-cpp", default=str(ROOT / ".build" / "references" / "whisper.cpp"))
    parser.add_argument("--recordings", default=str(ROOT / ".build" / "references" / "speech"))
    parser.add_argument("--parley", default=str(ROOT / ".build" / "release" / "parley"))
    options = parser.parse_args()
    programs = [Parley(options), WhisperCpp(options, "q8_0"), FasterWhisper(options)]
    for program in programs:
        program.check()
    folder = pathlib.Path(options.recordings)
    items = [one for one in recordings(folder)
             if one["language"] == "en" and one["kind"] in ("recording", "sentence") and one["seconds"] < 8]
    print(f"{options.threads} threads, medians of {options.rounds} rounds; load {os.getloadavg()[0]:.2f}\n")
    print("| a new process for an utterance of 11 s | s |\n|---|--:|")
    for name, seconds in first(programs, options, str(folder / "jfk.wav")).items():
        print(f"| {name} | {seconds:.2f} |", flush=True)
    ratios = beside(options, [str(folder / one["file"]) for one in items])
    print(f"\nBeside {options.neighbours} busy, {len(ratios)} utterances take {statistics.median(ratios):.2f} times as long"
          f" (median), at most {max(ratios):.2f} times.")


if __name__ == "__main__":
    sys.exit(main())
