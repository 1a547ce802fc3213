# SPDX-License-Identifier: Apache-2.0
"""Writes a GGUF file of the architecture llama with byte-level BPE as a folder in the form of Hugging Face's
transformers: config.json, model.safetensors, tokenizer.json, tokenizer_config.json, chat_template.jinja.

    python3 -m venv VENV && VENV/bin/pip install gguf safetensors numpy tokenizers ml_dtypes
    VENV/bin/python scripts/reference/huggingface/gguf_to_folder.py MODEL.gguf FOLDER [--dtype f32|f16|bf16]
    VENV/bin/python scripts/reference/huggingface/gguf_to_folder.py MODEL.gguf OUT.gguf --gguf f32|f16

The second form writes the same weights as a GGUF file, to compare with.
"""
import argparse
import json
from pathlib import Path

import gguf
import ml_dtypes
import numpy
from safetensors.numpy import save_file
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, pre_tokenizers

LLAMA3 = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+"
    r"|\s+(?!\S)|\s+")
LAYER = {
    "attn_norm": "input_layernorm", "ffn_norm": "post_attention_layernorm", "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj", "attn_v": "self_attn.v_proj", "attn_output": "self_attn.o_proj",
    "ffn_gate": "mlp.gate_proj", "ffn_up": "mlp.up_proj", "ffn_down": "mlp.down_proj"}
OUTER = {"token_embd": "model.embed_tokens", "output_norm": "model.norm", "output": "lm_head"}
TYPES = {"f32": numpy.float32, "f16": numpy.float16, "bf16": ml_dtypes.bfloat16}


def unpaired(weights: numpy.ndarray, heads: int) -> numpy.ndarray:
    shape = weights.shape
    return weights.reshape(heads, shape[0] // heads // 2, 2, *shape[1:]).swapaxes(1, 2).reshape(shape)


def byte_pairs(tokens: list[str], kinds: list[int], merges: list[str], pre: str) -> Tokenizer:
    vocabulary = {token: number for number, token in enumerate(tokens)}
    model = models.BPE(vocab=vocabulary, merges=[tuple(merge.split(" ")) for merge in merges], ignore_merges=pre == "llama-bpe")
    tokenizer = Tokenizer(model)
    last = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=pre in ("gpt-2", "smollm"))
    first = {
        "gpt-2": [], "smollm": [pre_tokenizers.Digits(individual_digits=True)],
        "llama-bpe": [pre_tokenizers.Split(Regex(LLAMA3), "isolated")],
        "qwen2": [pre_tokenizers.Split(Regex(LLAMA3.replace("{1,3}", "")), "isolated")]}[pre]
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([*first, last]) if first else last
    tokenizer.decoder = decoders.ByteLevel()
    for number, kind in enumerate(kinds):
        if kind in (3, 4):
            tokenizer.add_tokens([AddedToken(tokens[number], special=kind == 3, normalized=False)])
    return tokenizer


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("model", type=Path)
    parser.add_argument("output", type=Path)
    parser.add_argument("--dtype", choices=TYPES, default="bf16")
    parser.add_argument("--gguf", choices=["f32", "f16"])
    options = parser.parse_args()
    reader = gguf.GGUFReader(options.model)
    values = {key: field.contents() for key, field in reader.fields.items()}
    weights = {t.name: gguf.dequantize(t.data, t.tensor_type).astype(numpy.float32) for t in reader.tensors}
    kind = TYPES[options.gguf or options.dtype]
    weights = {n: w.astype(kind) if w.ndim > 1 else w for n, w in weights.items()}
    if options.gguf:
        write_gguf(reader, weights, options.output)
    else:
        write_folder(values, weights, options)


def write_gguf(reader: gguf.GGUFReader, weights: dict[str, numpy.ndarray], output: Path) -> None:
    writer = gguf.GGUFWriter(output, "llama")
    for key, field in reader.fields.items():
        if key.startswith("GGUF.") or key in ("general.architecture", "general.file_type"):
            continue
        sub = field.types[-1] if field.types[0] == gguf.GGUFValueType.ARRAY else None
        writer.add_key_value(key, field.contents(), field.types[0], sub)
    for name, tensor in weights.items():
        writer.add_tensor(name, tensor)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def write_folder(values: dict, weights: dict[str, numpy.ndarray], options: argparse.Namespace) -> None:
    def llama(key: str, default=None):
        return values.get("llama." + key, default)

    heads, kv_heads = llama("attention.head_count"), llama("attention.head_count_kv")
    tensors = {}
    for name, tensor in weights.items():
        parts = name.split(".")
        if parts[0] == "blk":
            if parts[2] in ("attn_q", "attn_k"):
                tensor = unpaired(tensor, heads if parts[2] == "attn_q" else kv_heads)
            tensors[f"model.layers.{parts[1]}.{LAYER[parts[2]]}.{parts[3]}"] = numpy.ascontiguousarray(tensor)
        else:
            tensors[f"{OUTER[parts[0]]}.{parts[1]}"] = tensor
    if options.dtype != "f32":
        tensors = {name: tensor.astype(TYPES[options.dtype]) for name, tensor in tensors.items()}
    options.output.mkdir(parents=True, exist_ok=True)
    save_file(tensors, options.output / "model.safetensors", metadata={"format": "pt"})
    tokens, kinds = values["tokenizer.ggml.tokens"], values["tokenizer.ggml.token_type"]
    config = {
        "architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_act": "silu",
        "_name_or_path": values.get("general.name", "model"), "hidden_size": llama("embedding_length"),
        "intermediate_size": llama("feed_forward_length"), "num_hidden_layers": llama("block_count"),
        "num_attention_heads": heads, "num_key_value_heads": kv_heads,
        "max_position_embeddings": llama("context_length"), "rope_theta": llama("rope.freq_base", 10000.0),
        "rms_norm_eps": llama("attention.layer_norm_rms_epsilon"), "vocab_size": len(tokens),
        "tie_word_embeddings": "output.weight" not in weights, "bos_token_id": values["tokenizer.ggml.bos_token_id"],
        "eos_token_id": values["tokenizer.ggml.eos_token_id"]}
    special = {role: tokens[values[f"tokenizer.ggml.{name}_token_id"]] for role, name in (
        ("bos_token", "bos"), ("eos_token", "eos"), ("unk_token", "unknown"), ("pad_token", "padding"))
        if f"tokenizer.ggml.{name}_token_id" in values}
    (options.output / "config.json").write_text(json.dumps(config, indent=2))
    (options.output / "tokenizer_config.json").write_text(json.dumps(special, indent=2))
    (options.output / "generation_config.json").write_text(json.dumps({"eos_token_id": config["eos_token_id"]}))
    if "tokenizer.chat_template" in values:
        (options.output / "chat_template.jinja").write_text(values["tokenizer.chat_template"])
    merges = values["tokenizer.ggml.merges"]
    byte_pairs(tokens, kinds, merges, values["tokenizer.ggml.pre"]).save(str(options.output / "tokenizer.json"))


main()
