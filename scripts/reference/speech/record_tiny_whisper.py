#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records what Whisper's definition makes of ParleyTesting's tiny random model, in numpy.

    pip install numpy==2.4.6
    scripts/reference/speech/record_tiny_whisper.py     writes Tests/ParleyWhisperTests/Goldens/tiny-whisper.json

The weights are the random numbers of `TinyWhisper()`, made here once more; the spectrum, the encoder, with all positions
and with thinned silence, and the decoder are computed in F32 (the Fourier transform and sums over it in double) as OpenAI's
code and paper define them (https://github.com/openai/whisper, https://arxiv.org/abs/2212.04356).
"""

import json
import math
import pathlib

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[3]
WIDTH, HEADS, LAYERS, MELS, VOCABULARY, WINDOW, TEXT = 64, 2, 2, 80, 51864, 1500, 64
SECONDS = 1.7


class Random:
    """SplitMix64, as ParleyRuntime has it: the state is a counter, so that many numbers are made at once."""

    def __init__(self, seed: int) -> None:
        self.state = seed

    def floats(self, count: int) -> np.ndarray:
        with np.errstate(over="ignore"):
            gamma = np.uint64(0x9E3779B97F4A7C15)
            z = np.uint64(self.state) + gamma * np.arange(1, count + 1, dtype=np.uint64)
            self.state = int(z[-1])
            z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
            z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
            z = z ^ (z >> np.uint64(31))
        return (z >> np.uint64(40)).astype(np.float32) * np.float32(2.0**-23) - np.float32(1)


def weights(audio_layers: int = LAYERS, text_layers: int = LAYERS, mels: int = MELS, vocabulary: int = VOCABULARY) -> dict[str, np.ndarray]:
    random, tensors = Random(1), {}

    def add(name: str, kind: str, *shape: int) -> None:
        columns = math.prod(shape[1:])
        reach = np.sqrt(np.float32(3) / np.float32(columns)) if kind == "matrix" else np.float32(0.1)
        centre = np.float32(1 if kind == "norm" else 0)
        tensors[name] = (centre + reach * random.floats(math.prod(shape))).reshape(shape)

    def norm(name: str) -> None:
        add(name + ".weight", "norm", WIDTH)
        add(name + ".bias", "vector", WIDTH)

    def linear(name: str, rows: int, columns: int, bias: bool = True) -> None:
        add(name + ".weight", "matrix", rows, columns)
        if bias:
            add(name + ".bias", "vector", rows)

    def attention(name: str) -> None:
        for part in ("query", "key", "value", "out"):
            linear(f"{name}.{part}", WIDTH, WIDTH, part != "key")

    add("encoder.conv1.weight", "matrix", WIDTH, mels, 3)
    add("encoder.conv1.bias", "vector", WIDTH)
    add("encoder.conv2.weight", "matrix", WIDTH, WIDTH, 3)
    add("encoder.conv2.bias", "vector", WIDTH)
    add("encoder.positional_embedding", "vector", WINDOW, WIDTH)
    add("decoder.positional_embedding", "vector", TEXT, WIDTH)
    add("decoder.token_embedding.weight", "matrix", vocabulary, WIDTH)
    for side in ("encoder", "decoder"):
        for layer in range(audio_layers if side == "encoder" else text_layers):
            name = f"{side}.blocks.{layer}."
            norm(name + "attn_ln")
            attention(name + "attn")
            if side == "decoder":
                norm(name + "cross_attn_ln")
                attention(name + "cross_attn")
            norm(name + "mlp_ln")
            linear(name + "mlp.0", 4 * WIDTH, WIDTH)
            linear(name + "mlp.2", WIDTH, 4 * WIDTH)
        norm("encoder.ln_post" if side == "encoder" else "decoder.ln")
    return tensors


def sound() -> np.ndarray:
    """Two tones that rise and fall over noise, as the test makes them."""
    count = int(SECONDS * 16000)
    time = np.arange(count) / 16000
    tones = 0.3 * np.sin(2 * np.pi * 220 * time * (1 + time)) + 0.1 * np.sin(2 * np.pi * 1700 * time)
    return (tones * np.sin(np.pi * np.arange(count) / count)).astype(np.float32) + np.float32(0.01) * Random(7).floats(count)


def filters() -> np.ndarray:
    def hertz(m: np.ndarray) -> np.ndarray:
        return np.where(m >= 15, 1000 * np.exp((m - 15) * np.log(6.4) / 27), m * 200 / 3)

    edges = hertz(np.linspace(0, 15 + np.log(8) * 27 / np.log(6.4), MELS + 2))
    bins = np.linspace(0, 8000, 201)
    up = (bins - edges[:-2, None]) / np.diff(edges)[:-1, None]
    down = (edges[2:, None] - bins) / np.diff(edges)[1:, None]
    return np.maximum(0, np.minimum(up, down)) * (2 / (edges[2:] - edges[:-2]))[:, None]


def spectrum(samples: np.ndarray) -> np.ndarray:
    x = np.zeros(480000)
    x[: len(samples)] = samples
    x = np.pad(x, 200, mode="reflect")
    window = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(400) / 400)
    frames = np.lib.stride_tricks.sliding_window_view(x, 400)[::160][:-1]
    power = np.abs(np.fft.rfft(frames * window, axis=1)) ** 2
    log = np.log10(np.maximum(filters() @ power.T, 1e-10))
    return ((np.maximum(log, log.max() - 8) + 4) / 4).astype(np.float32)


T = weights()


def norm(x: np.ndarray, name: str) -> np.ndarray:
    mean = x.mean(-1, keepdims=True)
    return (x - mean) / np.sqrt(((x - mean) ** 2).mean(-1, keepdims=True) + 1e-5) * T[name + ".weight"] + T[name + ".bias"]


def gelu(x: np.ndarray) -> np.ndarray:
    return (0.5 * x * (1 + np.vectorize(math.erf)(x / math.sqrt(2)))).astype(np.float32)


def linear(x: np.ndarray, name: str) -> np.ndarray:
    y = x @ T[name + ".weight"].T
    return y + T[name + ".bias"] if name + ".bias" in T else y


def attention(x: np.ndarray, memory: np.ndarray, name: str, bias: np.ndarray | float) -> np.ndarray:
    def split(y: np.ndarray) -> np.ndarray:
        return y.reshape(len(y), HEADS, -1).transpose(1, 0, 2)

    q, k, v = (split(linear(y, f"{name}.{part}")) for y, part in ((x, "query"), (memory, "key"), (memory, "value")))
    scores = q @ k.transpose(0, 2, 1) * q.shape[-1] ** -0.5 + bias
    scores = np.exp(scores - scores.max(-1, keepdims=True))
    mixed = scores / scores.sum(-1, keepdims=True) @ v
    return linear(mixed.transpose(1, 0, 2).reshape(len(x), -1), name + ".out")


def feed_forward(x: np.ndarray, name: str) -> np.ndarray:
    return x + linear(gelu(linear(norm(x, name + "mlp_ln"), name + "mlp.0")), name + "mlp.2")


def encode(mel: np.ndarray, keep: np.ndarray, bias: np.ndarray) -> np.ndarray:
    def convolve(x: np.ndarray, name: str, stride: int) -> np.ndarray:
        x = np.lib.stride_tricks.sliding_window_view(np.pad(x, ((0, 0), (1, 1))), 3, axis=1)[:, ::stride]
        return gelu(np.tensordot(T[name + ".weight"], x, axes=([1, 2], [0, 2])) + T[name + ".bias"][:, None])

    x = convolve(convolve(mel, "encoder.conv1", 1), "encoder.conv2", 2).T + T["encoder.positional_embedding"]
    x = x[keep]
    for layer in range(LAYERS):
        name = f"encoder.blocks.{layer}."
        y = norm(x, name + "attn_ln")
        x = feed_forward(x + attention(y, y, name + "attn", bias), name)
    return norm(x, "encoder.ln_post")


def logits(states: np.ndarray, tokens: list[int], bias: np.ndarray) -> np.ndarray:
    n = len(tokens)
    x = T["decoder.token_embedding.weight"][tokens] + T["decoder.positional_embedding"][:n]
    mask = np.triu(np.full((n, n), -np.inf, np.float32), 1)
    for layer in range(LAYERS):
        name = f"decoder.blocks.{layer}."
        y = norm(x, name + "attn_ln")
        x = x + attention(y, y, name + "attn", mask)
        x = feed_forward(x + attention(norm(x, name + "cross_attn_ln"), states, name + "cross_attn", bias), name)
    return norm(x, "decoder.ln") @ T["decoder.token_embedding.weight"].T


def record(mel: np.ndarray, keep: np.ndarray, bias: np.ndarray, rows: list[int]) -> dict:
    states = encode(mel, keep, bias)
    tokens = [50257, 50362]
    for _ in range(16):
        tokens.append(int(logits(states, tokens, bias)[-1][:50256].argmax()))
    last = logits(states, tokens, bias)[-1]
    top = np.argsort(-last)[:12]
    return {
        "rows": rows,
        "states": [[round(float(v), 5) for v in states[row]] for row in rows],
        "tokens": tokens,
        "logits": {str(i): round(float(last[i]), 5) for i in [*top, 0, 1000, 50000, 51863]},
    }


def main() -> None:
    samples = sound()
    mel = spectrum(samples)
    whole = (len(samples) + 319) // 320 + 64
    thinned = np.append(np.arange(whole, WINDOW - 1, 5), WINDOW - 1)
    keep = np.concatenate([np.arange(whole), thinned])
    bias = np.concatenate([np.zeros(whole), np.log(np.diff(thinned, append=WINDOW))]).astype(np.float32)
    frames = [0, 1, 2, 5, *range(9, 175, 12), 169, 170, 171, 172, 173, 200, 2999]
    golden = {
        "samples": [round(float(v), 7) for v in samples[::997]],
        "frames": frames,
        "spectrum": [[round(float(v), 6) for v in mel[:, frame]] for frame in frames],
        "full": record(mel, np.arange(WINDOW), np.zeros(WINDOW, np.float32), [0, 1, 40, 84, 85, 100, 149, 150, 700, 1499]),
        "thinned": record(mel, keep, bias, [0, 1, 40, 84, 85, 100, whole - 1, whole, whole + 50, len(keep) - 2, len(keep) - 1]),
    }
    path = ROOT / "Tests/ParleyWhisperTests/Goldens/tiny-whisper.json"
    path.write_text(json.dumps(golden, separators=(",", ":")) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
