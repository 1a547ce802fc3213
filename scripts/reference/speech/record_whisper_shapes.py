#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records what CTranslate2 makes of tiny random models in the shapes of Whisper's large and distilled models.

    pip install ctranslate2==4.8.5 faster-whisper==1.2.1 numpy==2.4.6
    scripts/reference/speech/record_whisper_shapes.py     writes Tests/ParleyWhisperTests/Goldens/whisper-shapes.json

The weights are the random numbers of `TinyWhisper`, made here once more. faster-whisper computes the spectrum, over silence to
the end of the window, and CTranslate2, in F32, the encoder, the language and the decoder. The numbers of the control tokens are
those of OpenAI's tokenizer (https://github.com/openai/whisper/blob/main/whisper/tokenizer.py).
"""

import json
import pathlib
import tempfile

import ctranslate2
import numpy as np
from ctranslate2.specs import whisper_spec
from faster_whisper.feature_extractor import FeatureExtractor
from record_tiny_whisper import HEADS, ROOT, WIDTH, sound, weights

# Layers of the encoder and of the decoder, bands, tokens: in proportion as the models have them.
SHAPES = {
    "large-v3": (3, 3, 128, 51866), "turbo": (6, 4, 128, 51866), "distil-large-v3": (6, 2, 128, 51866),
    "distil-large-v2": (6, 2, 80, 51865), "distil-small.en": (4, 1, 80, 51864),
}
STEPS = 20
# The languages in the order of OpenAI's tokenizer.
LANGUAGES = """
en zh de es ru ko fr ja pt tr pl ca nl ar sv it id hi fi vi he uk el ms cs ro da hu ta no th ur hr bg lt la mi ml cy
sk te fa lv bn sr az sl kn et mk br eu is hy ne mn bs kk sq sw gl mr pa si km sn yo so af oc ka be tg sd gu am yi lo
uz fo ht ps tk nn mt sa lb my bo tl mg as tt haw ln ha ba jw su yue
""".split()


def spec(tensors: dict[str, np.ndarray], audio_layers: int, text_layers: int) -> whisper_spec.WhisperSpec:
    result = whisper_spec.WhisperSpec(audio_layers, HEADS, text_layers, HEADS)

    def linear(target, *names: str) -> None:
        target.weight = np.concatenate([tensors[name + ".weight"] for name in names])
        target.bias = np.concatenate([tensors.get(name + ".bias", np.zeros(WIDTH, np.float32)) for name in names])

    def norm(target, name: str) -> None:
        target.gamma, target.beta = tensors[name + ".weight"], tensors[name + ".bias"]

    for side, name in ((result.encoder, "encoder"), (result.decoder, "decoder")):
        side.position_encodings.encodings = tensors[name + ".positional_embedding"]
        norm(side.layer_norm, "encoder.ln_post" if name == "encoder" else "decoder.ln")
        for index, layer in enumerate(side.layer):
            old = f"{name}.blocks.{index}."
            norm(layer.self_attention.layer_norm, old + "attn_ln")
            linear(layer.self_attention.linear[0], *(old + "attn." + part for part in ("query", "key", "value")))
            linear(layer.self_attention.linear[1], old + "attn.out")
            if name == "decoder":
                norm(layer.attention.layer_norm, old + "cross_attn_ln")
                linear(layer.attention.linear[0], old + "cross_attn.query")
                linear(layer.attention.linear[1], old + "cross_attn.key", old + "cross_attn.value")
                linear(layer.attention.linear[2], old + "cross_attn.out")
            norm(layer.ffn.layer_norm, old + "mlp_ln")
            linear(layer.ffn.linear_0, old + "mlp.0")
            linear(layer.ffn.linear_1, old + "mlp.2")
    for conv in ("conv1", "conv2"):
        part = getattr(result.encoder, conv)
        part.weight, part.bias = tensors[f"encoder.{conv}.weight"], tensors[f"encoder.{conv}.bias"]
    result.decoder.embeddings.weight = tensors["decoder.token_embedding.weight"]
    result.decoder.projection.weight = tensors["decoder.token_embedding.weight"]
    return result


def vocabulary(size: int) -> list[str]:
    is_multilingual = size > 51864
    languages = size - 51765 - is_multilingual
    # The empty token is that by which CTranslate2 knows models of several languages.
    tokens = [f"text {index}" for index in range(50256)] + [""] * is_multilingual
    tokens += ["<|endoftext|>", "<|startoftranscript|>"] + [f"<|{code}|>" for code in LANGUAGES[:languages]]
    tokens += ["<|translate|>", "<|transcribe|>", "<|startoflm|>", "<|startofprev|>", "<|nospeech|>", "<|notimestamps|>"]
    tokens += [f"<|{index * 0.02:.2f}|>" for index in range(1501)]
    assert len(tokens) == size
    return tokens


def record(audio_layers: int, text_layers: int, mels: int, size: int) -> dict:
    samples = np.zeros(480000, np.float32)
    samples[: len(sound())] = sound()
    spectrum = FeatureExtractor(feature_size=mels)(samples, padding=0).astype(np.float32)
    assert spectrum.shape == (mels, 3000)
    tokens = vocabulary(size)
    model_spec = spec(weights(audio_layers, text_layers, mels, size), audio_layers, text_layers)
    model_spec.register_vocabulary(tokens)
    first = tokens.index("<|en|>")
    model_spec.config.lang_ids = list(range(first, tokens.index("<|translate|>")))
    model_spec.validate()
    model_spec.optimize()
    with tempfile.TemporaryDirectory() as folder:
        model_spec.save(folder)
        model = ctranslate2.models.Whisper(folder, device="cpu", compute_type="float32")
        features = ctranslate2.StorageView.from_array(np.ascontiguousarray(spectrum[None]))
        states = np.array(model.encode(features))[0]
        task = ["<|de|>", "<|transcribe|>"] if model.is_multilingual else []
        prompt = [tokens.index(name) for name in ["<|startoftranscript|>", *task, "<|notimestamps|>"]]
        result = model.generate(features, [prompt], beam_size=1, max_length=len(prompt) + STEPS, suppress_blank=False,
                                suppress_tokens=[], return_logits_vocab=True)[0]
        language = model.detect_language(features)[0][0] if model.is_multilingual else None
    written = result.sequences_ids[0]
    last = np.array(result.logits[0][len(written) - 1]).ravel()
    top = np.argsort(-last)[:12]
    frames, rows = [0, 9, 81, 169, 171, 172, 2999], [0, 40, 85, 100, 1499]
    return {
        "audioLayers": audio_layers, "textLayers": text_layers, "mels": mels, "vocabulary": size,
        "frames": frames, "spectrum": [[round(float(v), 6) for v in spectrum[:, frame]] for frame in frames],
        "rows": rows, "states": [[round(float(v), 5) for v in states[row]] for row in rows],
        "tokens": prompt + written[:-1], "greedy": written,
        "logits": {str(i): round(float(last[i]), 5) for i in [*top, 0, 1000, 50000, size - 1]},
        "language": language and {"code": language[0].strip("<|>"), "probability": round(language[1], 6)},
    }


def main() -> None:
    golden = {name: record(*shape) for name, shape in SHAPES.items()}
    path = pathlib.Path(ROOT) / "Tests/ParleyWhisperTests/Goldens/whisper-shapes.json"
    path.write_text(json.dumps(golden, separators=(",", ":")) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
