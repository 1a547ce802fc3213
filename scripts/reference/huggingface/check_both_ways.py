# SPDX-License-Identifier: Apache-2.0
"""Checks folders against llama.cpp and transformers, both ways, and prints a line for each model.

    scripts/reference/build-llama-cpp, or LLAMA_CPP_SOURCE and LLAMA_CPP_BUILD of one
    python3 -m venv VENV && VENV/bin/pip install torch transformers safetensors gguf numpy tokenizers ml_dtypes sentencepiece protobuf
    VENV/bin/python scripts/reference/huggingface/check_both_ways.py PARLEY SMOLLM2.gguf [--only NAME]

PARLEY is the program. From folders: transformers (5.23.0) makes a tiny random model of every family of record_logits.py, with
SmolLM2's vocabulary. `parley convert` and llama.cpp's converter write it as GGUF files, whose metadata and tensors are
compared entry by entry; llama.cpp runs the first, and the logits are compared with those of transformers and of Parley.
To folders: the GGUF file is written as a folder by gguf_to_folder.py; transformers runs it, and llama.cpp the same weights.
"""
import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import gguf
import numpy
import torch
from safetensors.numpy import load_file, save_file
from transformers import AutoConfig, AutoModelForCausalLM
from transformers.utils import logging

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import record_logits  # noqa: E402
from peer import Peer  # noqa: E402

TEXT = "The capital of France is Paris. Die Hauptstadt von Österreich ist Wien, und 1 + 1 = 2."
# What only describes how the file was made, or what llama.cpp takes as given.
APART = ("general.name", "general.basename", "general.finetune", "general.size_label", "general.type", "GGUF.")


def logits_of(path: Path, columns: int) -> numpy.ndarray:
    return numpy.fromfile(path, dtype="<f4").reshape(-1, columns)


def difference(one: numpy.ndarray, other: numpy.ndarray) -> str:
    return f"{float(numpy.abs(one.astype(numpy.float64) - other).max()):.1e}"


def entries(reader: gguf.GGUFReader) -> dict:
    return {key: field.contents() for key, field in reader.fields.items() if not key.startswith(APART)}


def compared(ours: Path, theirs: Path) -> str:
    one, two = gguf.GGUFReader(ours), gguf.GGUFReader(theirs)
    mine, other = entries(one), entries(two)
    notes = [f"{key} is {mine[key]!r}, not {other[key]!r}"[:160] for key in mine.keys() & other.keys() if mine[key] != other[key]]
    notes += [f"lacks {key} = {other[key]!r}"[:160] for key in other.keys() - mine.keys()]
    more = sorted(mine.keys() - other.keys())
    tensors, others = ({t.name: t for t in reader.tensors} for reader in (one, two))
    notes += [f"lacks the tensor {name}" for name in others.keys() - tensors.keys()]
    notes += [f"has a tensor {name}" for name in tensors.keys() - others.keys()]
    for name in tensors.keys() & others.keys():
        a, b = tensors[name], others[name]
        if a.tensor_type != b.tensor_type or list(a.shape) != list(b.shape) or a.data.tobytes() != b.data.tobytes():
            notes.append(f"{name}: {a.tensor_type.name} {list(a.shape)}, not {b.tensor_type.name} {list(b.shape)}, or other bytes")
    same = len(tensors.keys() & others.keys())
    text = f"{same} tensors and {len(mine.keys() & other.keys())} entries as the converter's"
    return text + (f", more: {', '.join(more)}" if more else "") + "".join(f"\n    {note}" for note in notes)


FAILURES = RuntimeError, subprocess.CalledProcessError


def last_line(error: Exception) -> str:
    return str(error).strip().splitlines()[-1][:160]


class Check:
    def __init__(self, options: argparse.Namespace, work: Path) -> None:
        self.parley, self.model, self.work = options.parley.resolve(), options.model.resolve(), work
        self.peer = Peer()
        self.ids = self.work / "ids"
        self.text = self.work / "text"
        self.text.write_text(TEXT)
        self.vocabulary = self.work / "vocabulary"
        self.run(sys.executable, HERE / "gguf_to_folder.py", self.model, self.vocabulary, "--dtype", "f32")
        settings = self.vocabulary / "tokenizer_config.json"
        named = json.loads(settings.read_text()) | {"tokenizer_class": "PreTrainedTokenizerFast"}
        settings.write_text(json.dumps(named))
        self.tokens = self.peer.tokenize(self.model, self.text, self.ids)

    def run(self, *command: object) -> None:
        result = subprocess.run([str(part) for part in command], capture_output=True, text=True)
        if result.returncode != 0:
            raise RuntimeError(f"{command[0]} {command[1]}: {(result.stdout + result.stderr)[-1500:]}")

    def transformers(self, folder: Path) -> numpy.ndarray:
        model = AutoModelForCausalLM.from_pretrained(folder, attn_implementation="eager", dtype=torch.float32).eval()
        with torch.no_grad():
            return model(torch.tensor([self.tokens])).logits[0].to(torch.float32).numpy()

    def llama(self, file: Path, columns: int) -> numpy.ndarray:
        out = self.work / "peer-logits"
        self.peer.logits(file, self.ids, out, exact=True)
        return logits_of(out, columns)

    def own(self, folder: Path, columns: int) -> numpy.ndarray:
        out = self.work / "own-logits"
        out.unlink(missing_ok=True)
        self.run(self.parley, "score", folder, "--file", self.text, "--logits", out)
        return logits_of(out, columns)

    def tiny(self, name: str, options: dict) -> Path:
        """A random model of a family, with a real vocabulary."""
        ends = json.loads((self.vocabulary / "config.json").read_text())
        options = {**options, "vocab_size": ends["vocab_size"], "bos_token_id": ends["bos_token_id"],
                   "eos_token_id": ends["eos_token_id"], "pad_token_id": None}
        folder = self.work / name
        config = AutoConfig.for_model(options.pop("model_type", name), **options)
        config.dtype = "float32"
        torch.manual_seed(1)
        AutoModelForCausalLM.from_config(config, attn_implementation="eager").save_pretrained(folder)
        path = folder / "model.safetensors"
        draw = numpy.random.default_rng(1)
        # As made, all biases are 0 and all norms 1.
        tensors = {key: tensor if tensor.ndim > 1 else tensor + draw.normal(0, 0.1, tensor.shape).astype(numpy.float32)
                   for key, tensor in load_file(path).items()}
        save_file(tensors, path, metadata={"format": "pt"})
        for file in ("tokenizer.json", "tokenizer_config.json", "chat_template.jinja"):
            shutil.copy(self.vocabulary / file, folder)
        return folder

    def from_folder(self, name: str, options: dict) -> None:
        folder = self.tiny(name, options)
        ours, theirs = self.work / f"{name}.gguf", self.work / f"{name}-reference.gguf"
        self.run(self.parley, "convert", folder, ours, "--force")
        exact = self.transformers(folder)
        own = self.own(folder, exact.shape[1])
        text = f"{name}: logits' deviation {exact.std():.2f}, off in Parley by {difference(own, exact)}"
        try:
            text += f", in llama.cpp by {difference(self.llama(ours, exact.shape[1]), exact)}"
        except FAILURES as error:
            text += f"; llama.cpp does not run our file: {last_line(error)}"
        try:
            converter = self.peer.source / "convert_hf_to_gguf.py"
            self.run(sys.executable, converter, folder, "--outfile", theirs, "--outtype", "f32")
            text += f"; {compared(ours, theirs)}"
            text += f"; with its own llama.cpp is off by {difference(self.llama(theirs, exact.shape[1]), exact)}"
        except FAILURES as error:
            text += f"; no file of llama.cpp's own: {last_line(error)}"
        print(text, flush=True)

    def to_folder(self) -> None:
        twin = self.work / "twin.gguf"
        self.run(sys.executable, HERE / "gguf_to_folder.py", self.model, twin, "--gguf", "f32")
        exact = self.transformers(self.vocabulary)
        expected = self.llama(twin, exact.shape[1])
        own = self.own(self.vocabulary, exact.shape[1])
        print(f"{self.model.stem} as a folder: logits' deviation {expected.std():.2f}, off in transformers by "
              f"{difference(exact, expected)}, in Parley by {difference(own, expected)} from llama.cpp with the GGUF file")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parley", type=Path)
    parser.add_argument("model", type=Path)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    with tempfile.TemporaryDirectory() as folder:
        check = Check(options, Path(folder))
        if not options.only:
            check.to_folder()
        for name, settings in record_logits.FAMILIES.items():
            if name.startswith(options.only):
                try:
                    check.from_folder(name, {**record_logits.COMMON, **settings})
                except FAILURES as error:
                    print(f"{name}: {last_line(error)}", flush=True)


main()
