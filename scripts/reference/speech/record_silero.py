#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records what Silero's networks say of a recording: Tests/ParleyWhisperTests/Goldens/silero.json.

    record_silero.py REFERENCES [PACKAGE]    (the cache that scripts/fetch-references fills; the folder of silero_vad)

For both files of the references the network is computed in numpy with their own weights, as the package's
tinygrad_model.py does: 512 samples at a time, with the 64 before them. The one of whisper.cpp has the weights of the
package's ONNX file with the convolutions rounded to 16 bits, so what ONNX Runtime says of that is recorded too. The file in
safetensors is of an earlier version. Needs numpy, onnxruntime and silero-vad 6.2.3.
"""
import importlib.util, io, json, math, pathlib, struct, sys, wave

import numpy
import onnxruntime

OUT = pathlib.Path(__file__).resolve().parents[3] / "Tests" / "ParleyWhisperTests" / "Goldens" / "silero.json"


def safetensors(path):
    data = path.read_bytes()
    length = struct.unpack_from("<Q", data)[0]
    header, body = json.loads(data[8:8 + length]), data[8 + length:]
    return {name: numpy.frombuffer(body[slice(*one["data_offsets"])], numpy.float32).reshape(one["shape"]) for name, one in header.items()}


def ggml(path):
    data, tensors = io.BytesIO(path.read_bytes()), {}
    take = lambda form: struct.unpack("<" + form, data.read(struct.calcsize(form)))
    take("I"), data.read(take("i")[0]), take("3i2ii12i4i")
    while head := data.read(12):
        rank, length, kind = struct.unpack("<3i", head)
        shape, name = take(f"{rank}i"), data.read(length).decode()
        values = numpy.frombuffer(data.read(math.prod(shape) * (2 if kind else 4)), numpy.float16 if kind else numpy.float32)
        tensors[name] = values.astype(numpy.float32).reshape(shape[::-1])
    result = {"stft_conv.weight": tensors["_model.stft.forward_basis_buffer"],
              "final_conv.weight": tensors["_model.decoder.decoder.2.weight"].reshape(1, 128, 1),
              "final_conv.bias": tensors["_model.decoder.decoder.2.bias"].reshape(1)}
    for part in ("weight", "bias"):
        for index in range(4):
            result[f"conv{index + 1}.{part}"] = tensors[f"_model.encoder.{index}.reparam_conv.{part}"]
        for side in ("ih", "hh"):
            result[f"lstm_cell.{part}_{side}"] = tensors[f"_model.decoder.rnn.{part}_{side}"]
    return result


def stretches(sound):
    """Each stretch with the end of the one before."""
    context = numpy.zeros(64, numpy.float32)
    for start in range(0, len(sound), 512):
        stretch = sound[start:start + 512]
        yield numpy.concatenate([context, stretch])
        context = stretch[-64:]


def sigmoid(values):
    return 1 / (1 + numpy.exp(-values))


def computed(weights, sound):
    hidden, cell, values = numpy.zeros(128), numpy.zeros(128), []
    for heard in stretches(sound):
        heard = numpy.pad(heard, (0, 64), "reflect")
        frames = numpy.stack([weights["stft_conv.weight"][:, 0] @ heard[at:at + 256] for at in range(0, 512, 128)], 1)
        x = numpy.sqrt(frames[:129] ** 2 + frames[129:] ** 2)
        for index, step in enumerate((1, 2, 2, 1), 1):
            x, kernel = numpy.pad(x, ((0, 0), (1, 1))), weights[f"conv{index}.weight"]
            outputs = [(kernel * x[None, :, at:at + 3]).sum((1, 2)) for at in range(0, x.shape[1] - 2, step)]
            x = numpy.maximum(0, numpy.stack(outputs, 1) + weights[f"conv{index}.bias"][:, None])
        gates = (weights["lstm_cell.weight_ih"] @ x[:, 0] + weights["lstm_cell.bias_ih"]
                 + weights["lstm_cell.weight_hh"] @ hidden + weights["lstm_cell.bias_hh"])
        entry, kept, new, shown = numpy.split(gates, 4)
        cell = sigmoid(kept) * cell + sigmoid(entry) * numpy.tanh(new)
        hidden = sigmoid(shown) * numpy.tanh(cell)
        total = weights["final_conv.weight"][0, :, 0] @ numpy.maximum(0, hidden) + weights["final_conv.bias"][0]
        values.append(round(float(sigmoid(total)), 6))
    return values


def run(path, sound):
    network, state, values = onnxruntime.InferenceSession(str(path)), numpy.zeros((2, 1, 128), numpy.float32), []
    for heard in stretches(sound):
        value, state = network.run(None, {"input": heard[None], "state": state, "sr": numpy.array(16_000, numpy.int64)})
        values.append(round(float(value[0, 0]), 6))
    return values


def main():
    references = pathlib.Path(sys.argv[1])
    package = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else pathlib.Path(importlib.util.find_spec("silero_vad").origin).parent
    with wave.open(str(references / "whisper" / "jfk.wav")) as file:
        assert (file.getnchannels(), file.getsampwidth(), file.getframerate()) == (1, 2, 16_000)
        sound = numpy.frombuffer(file.readframes(file.getnframes()), "<i2").astype(numpy.float32) / 32_768
    sound = numpy.pad(sound, (0, -len(sound) % 512))
    names = {"silero_vad_16k.safetensors": safetensors, "ggml-silero.bin": ggml}
    recorded = {name: computed(read(references / "silero" / name), sound) for name, read in names.items()}
    recorded["onnx"] = run(package / "data" / "silero_vad.onnx", sound)
    OUT.write_text(json.dumps(recorded) + "\n")


if __name__ == "__main__":
    main()
