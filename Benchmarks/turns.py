# SPDX-License-Identifier: Apache-2.0
"""Runs two programs in alternating turns, and collects the figures."""

import statistics
import sys
import time
from pathlib import Path

from processes import busy_seconds, disturbance
from programs import LlamaCpp, Parley

# What can be measured, and the figures that each measurement gives.
MEASURES = {"speed": ["prefill", "decode"], "deep": ["deep"], "batch": ["batch"], "cold": ["cold"], "memory": ["memory"]}
SMALLER_IS_BETTER = {"cold", "memory"}


class Turns:
    def __init__(self, *, patience: float, disturbance: float) -> None:
        self.ours: dict[str, list[float]] = {}
        self.theirs: dict[str, list[float]] = {}
        self.peers: dict[str, str] = {}
        self.disturbances: dict[str, list[float]] = {}
        self._patience = patience
        self._limit = disturbance

    def play(self, parley: Parley, peers: list[LlamaCpp], model: Path, measures: list[str], rounds: int) -> float:
        """Runs all rounds against the best of the peers for each figure; returns the remaining seconds of patience."""
        getattr(parley, measures[0])(model)  # brings the file into memory
        for measure in measures:
            best = self._best(peers, model, measure)
            for turn in range(1 if measure == "memory" else rounds):
                ours, theirs, share = self._quiet_turn(parley, best, model, measure)
                for name, value in ours.items():
                    self.disturbances.setdefault(name, []).append(share)
                    self.ours.setdefault(name, []).append(value)
                    self.theirs.setdefault(name, []).append(theirs[name])
                figures = ", ".join(f"{name} {ours[name]:,.3f} : {theirs[name]:,.3f}" for name in ours)
                print(f"{model.name} {turn + 1}: {figures} ({100 * share:.0f} %)", file=sys.stderr, flush=True)
        return self._patience

    def _best(self, peers: list[LlamaCpp], model: Path, measure: str) -> dict[str, LlamaCpp]:
        """The peer that was best in two preliminary runs, for each figure of a measurement."""
        if len(peers) == 1:
            self.peers |= dict.fromkeys(MEASURES[measure], peers[0].name)
            return dict.fromkeys(MEASURES[measure], peers[0])
        heats = 1 if measure == "memory" else 2
        figures: dict[str, dict[LlamaCpp, float]] = {}
        for _ in range(heats):
            for peer in peers:
                for name, value in getattr(peer, measure)(model)[0].items():
                    better = min if name in SMALLER_IS_BETTER else max
                    seen = figures.setdefault(name, {})
                    seen[peer] = better(seen.get(peer, value), value)
        best = {}
        for name, seen in figures.items():
            best[name] = (min if name in SMALLER_IS_BETTER else max)(seen, key=seen.get)
            self.peers[name] = best[name].name
            heat = ", ".join(f"{peer.name} {value:,.3f}" for peer, value in seen.items())
            print(f"{model.name} {name}: {heat}", file=sys.stderr, flush=True)
        return best

    def ratios(self, name: str) -> list[float]:
        return [ours / theirs for ours, theirs in zip(self.ours[name], self.theirs[name])]

    def median(self, name: str) -> tuple[float, float, float]:
        """Ours, theirs, and the ratio."""
        return tuple(statistics.median(values) for values in (self.ours[name], self.theirs[name], self.ratios(name)))

    def disturbance(self, name: str) -> float:
        """The median share of the processors that other programs used during a turn."""
        return statistics.median(self.disturbances[name])

    def json(self) -> dict[str, object]:
        ratios = {name: self.median(name)[2] for name in self.ours}
        return {
            "parley": self.ours, "llama.cpp": self.theirs, "ratio": ratios, "build": self.peers,
            "disturbance": self.disturbances,
        }  # fmt: skip

    def _quiet_turn(self, parley: Parley, peers: dict[str, LlamaCpp], model: Path, measure: str):
        """One figure of each program, from an undisturbed turn, or from the least disturbed one when patience is used up.

        Memory is the same however busy the machine is.
        """
        best = None
        while True:
            self._wait_for_quiet()
            start = time.monotonic()
            ours, our_outcome = getattr(parley, measure)(model)
            outcomes = [our_outcome]
            theirs = {}
            for peer in dict.fromkeys(peers.values()):
                found, outcome = getattr(peer, measure)(model)
                outcomes.append(outcome)
                theirs |= {name: value for name, value in found.items() if peers[name] is peer}
            share = 0 if measure == "memory" else max(outcome.disturbance for outcome in outcomes)
            if best is None or share < best[2]:
                best = (ours, theirs, share)
            if share <= self._limit or self._patience <= 0:
                return best
            self._patience -= time.monotonic() - start

    def _wait_for_quiet(self) -> None:
        while self._patience > 0:
            before, start = busy_seconds(), time.monotonic()
            time.sleep(0.5)
            seconds = time.monotonic() - start
            if disturbance(before, 0, seconds) <= self._limit:
                return
            self._patience -= seconds
