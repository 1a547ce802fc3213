#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records how SoX's resampler changes rates, as the reference for `Resampler`.

    pip install numpy==2.4.6 soxr==1.1.0
    scripts/reference/speech/record_resampling.py > Tests/ParleyAudioTests/Goldens/resampling.json

The sound is a sum of tones below 0.42 of the lower rate, which both rates represent, so every good resampler gives the
same samples; the highest quality of soxr does so to -137 dB, and to -75 dB where the ratio has large parts. A tenth of a second is written down from the middle of a
second, at every eleventh sample, where neither end can be heard.
"""

import json

import numpy as np
import soxr

RATES = [
    (8000, 16000), (11025, 16000), (16000, 8000), (22050, 16000), (24000, 16000), (32000, 16000), (44100, 16000),
    (48000, 16000), (96000, 16000), (192000, 16000), (16000, 44100), (44099, 16001),
]

cases = []
for old, new in RATES:
    low = min(old, new)
    tones = [(round(low * part), 0.12) for part in (0.003, 0.05, 0.11, 0.23, 0.34, 0.42)]
    time = np.arange(old) / old
    sound = sum(level * np.sin(2 * np.pi * tone * time + index) for index, (tone, level) in enumerate(tones))
    result = soxr.resample(sound, old, new, quality="VHQ")
    first = new // 2
    picked = result[first:first + new // 10:11]
    cases.append({
        "from": old, "to": new, "tones": [tone for tone, _ in tones], "level": 0.12, "first": first, "step": 11,
        "samples": [round(float(value), 7) for value in picked],
    })
print(json.dumps({"soxr": soxr.__version__, "cases": cases}))
