# SPDX-License-Identifier: Apache-2.0
"""Makes tiny models of every family with transformers (5.23.0), and records their logits.

    python3 -m venv VENV && VENV/bin/pip install torch transformers safetensors numpy
    VENV/bin/python scripts/reference/huggingface/record_logits.py Tests/ParleyEngineTests/Goldens/folder-logits.json

The weights are a function of their names, which the tests make as well: only shapes and logits are recorded.
"""
import base64
import json
import sys
import tempfile
from pathlib import Path

import numpy
import torch
from safetensors.numpy import load_file, save_file
from transformers import AutoConfig, AutoModelForCausalLM

TOKENS = [(7 * place * place + 11 * place + 3) % 300 for place in range(24)]
COMMON = {
    "vocab_size": 512, "hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 3, "num_attention_heads": 4,
    "num_key_value_heads": 2, "max_position_embeddings": 128, "tie_word_embeddings": False, "bos_token_id": 0,
    "eos_token_id": 1, "pad_token_id": 2}
FAMILIES = {
    "llama": {"rope_theta": 10000.0, "rms_norm_eps": 1e-5},
    "llama-3.1": {
        "model_type": "llama", "rms_norm_eps": 1e-5, "tie_word_embeddings": True, "rope_theta": 500000.0, "rope_scaling": {
            "rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
            "original_max_position_embeddings": 32}},
    "mistral": {"sliding_window": None, "head_dim": 16},
    "qwen2": {"rope_theta": 1000000.0},
    "qwen3": {"head_dim": 16, "rope_theta": 1000000.0},
    "gemma3_text": {
        "head_dim": 16, "query_pre_attn_scalar": 16, "sliding_window": 8, "num_hidden_layers": 6,
        "tie_word_embeddings": True, "layer_types": ["sliding_attention"] * 5 + ["full_attention"]},
    "phi3": {"sliding_window": None, "rope_theta": 10000.0},
    "lfm2": {
        "layer_types": ["conv", "full_attention", "conv"], "conv_L_cache": 3, "block_auto_adjust_ff_dim": False,
        "tie_word_embeddings": True},
    "smollm3": {"num_hidden_layers": 4},
    "granite": {
        "attention_multiplier": 0.25, "embedding_multiplier": 12.0, "residual_multiplier": 0.22, "logits_scaling": 8.0},
    "ernie4_5": {"use_bias": False, "head_dim": 16},
    "olmo2": {},
    "exaone4": {"num_hidden_layers": 4, "sliding_window": 8, "sliding_window_pattern": 4, "head_dim": 16},
    "mixtral": {"num_local_experts": 4, "num_experts_per_tok": 2, "sliding_window": None},
    "qwen3_moe": {
        "num_experts": 8, "num_experts_per_tok": 3, "moe_intermediate_size": 32, "norm_topk_prob": True,
        "head_dim": 16, "mlp_only_layers": [], "decoder_sparse_step": 1},
    "granitemoe": {
        "num_local_experts": 4, "num_experts_per_tok": 2, "attention_multiplier": 0.25, "embedding_multiplier": 12.0,
        "residual_multiplier": 0.22, "logits_scaling": 8.0},
    "granitemoeshared": {
        "num_local_experts": 4, "num_experts_per_tok": 2, "shared_intermediate_size": 64, "logits_scaling": 8.0,
        "tie_word_embeddings": True},
    "granitemoehybrid": {
        "num_local_experts": 0, "num_experts_per_tok": 0, "shared_intermediate_size": 64, "logits_scaling": 8.0,
        "layer_types": ["attention"] * 3, "position_embedding_type": "rope", "intermediate_size": 64},
    "lfm2_moe": {
        "num_experts": 8, "num_experts_per_tok": 3, "moe_intermediate_size": 32, "num_dense_layers": 1,
        "layer_types": ["conv", "full_attention", "conv"], "conv_L_cache": 3, "tie_word_embeddings": True},
    "gpt_oss": {
        "num_local_experts": 4, "num_experts_per_tok": 2, "head_dim": 16, "sliding_window": 8, "num_hidden_layers": 4,
        "layer_types": ["sliding_attention", "full_attention"] * 2, "intermediate_size": 64, "rope_scaling": {
            "rope_type": "yarn", "factor": 4.0, "beta_fast": 32.0, "beta_slow": 1.0, "truncate": True,
            "original_max_position_embeddings": 32}},
    "ministral3": {
        "head_dim": 16, "rope_parameters": {
            "rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 16, "mscale": 1.0,
            "mscale_all_dim": 1.0, "llama_4_scaling_beta": 0.5, "beta_fast": 32.0, "beta_slow": 1.0,
            "rope_theta": 1000000.0}},
}


def values(name: str, shape: tuple[int, ...], family: str) -> numpy.ndarray:
    seed = 0x811C9DC5
    for byte in name.encode():
        seed = (seed ^ byte) * 0x01000193 & 0xFFFFFFFF
    with numpy.errstate(over="ignore"):
        state = (numpy.arange(int(numpy.prod(shape)), dtype=numpy.uint32) + numpy.uint32(seed)) * numpy.uint32(2654435761)
        state ^= state >> numpy.uint32(15)
        state *= numpy.uint32(0x2C1B3C6D)
        state ^= state >> numpy.uint32(12)
    made = (state >> numpy.uint32(8)).astype(numpy.float32) / numpy.float32(2 ** 23) - numpy.float32(1)
    made /= numpy.float32(8)
    if len(shape) == 1 and "norm" in name and not family.startswith("gemma"):
        made += numpy.float32(1)
    return made.reshape(shape)


def record(name: str, options: dict) -> dict:
    options = {**COMMON, **options}
    config = AutoConfig.for_model(options.pop("model_type", name), **options)
    config.dtype = "float32"
    model = AutoModelForCausalLM.from_config(config, attn_implementation="eager")
    with tempfile.TemporaryDirectory() as folder:
        model.save_pretrained(folder)
        path = Path(folder) / "model.safetensors"
        tensors = {key: values(key, tensor.shape, name) for key, tensor in load_file(path).items()}
        save_file(tensors, path, metadata={"format": "pt"})
        model = AutoModelForCausalLM.from_pretrained(folder, attn_implementation="eager", dtype=torch.float32).eval()
        with torch.no_grad():
            logits = model(torch.tensor([TOKENS])).logits[0, -1].to(torch.float32).numpy()
        settings = json.loads((Path(folder) / "config.json").read_text())
    shapes = [[key, list(tensor.shape)] for key, tensor in sorted(tensors.items())]
    spread = float(logits.std())
    print(f"{name}: {len(shapes)} tensors, logits' deviation {spread:.3f}")
    return {"name": name, "config": settings, "tensors": shapes, "logits": base64.b64encode(logits.tobytes()).decode()}


def main() -> None:
    cases = [record(name, options) for name, options in FAMILIES.items()]
    golden = {"transformers": __import__("transformers").__version__, "tokens": TOKENS, "cases": cases}
    Path(sys.argv[1]).write_text(json.dumps(golden, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
