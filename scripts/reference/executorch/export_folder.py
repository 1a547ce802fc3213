# SPDX-License-Identifier: Apache-2.0
"""Exports a folder in the form of Hugging Face (architecture llama) as a folder of ExecuTorch: model.pte, made by
ExecuTorch's own exporter for llama, with the folder's configuration, tokenizer and chat template beside it.

    python3 -m venv VENV && VENV/bin/pip install executorch torch safetensors
    VENV/bin/python scripts/reference/executorch/export_folder.py FOLDER OUT [--context 2048] [--rows 257]
        [--all-logits] [--mode 8da4w] [--portable]

Made with executorch 1.5.1 and torch 2.13; torch alone takes some GB.
"""
import argparse
import json
import shutil
import sys
import tempfile
from pathlib import Path

import torch
from executorch.examples.models.llama.export_llama_lib import export_llama
from executorch.extension.llm.export.config.llm_config import LlmConfig, ModelType
from safetensors.torch import load_file

LAYER = {
    "self_attn.q_proj": "attention.wq", "self_attn.k_proj": "attention.wk", "self_attn.v_proj": "attention.wv",
    "self_attn.o_proj": "attention.wo", "mlp.gate_proj": "feed_forward.w1", "mlp.down_proj": "feed_forward.w2",
    "mlp.up_proj": "feed_forward.w3", "input_layernorm": "attention_norm", "post_attention_layernorm": "ffn_norm"}
OUTER = {"model.embed_tokens": "tok_embeddings", "model.norm": "norm", "lm_head": "output"}
BESIDE = ("config.json", "generation_config.json", "tokenizer.json", "tokenizer_config.json", "chat_template.jinja")


def checkpoint(folder: Path) -> dict[str, torch.Tensor]:
    """The tensors under the names of the exporter."""
    tensors = {}
    for file in sorted(folder.glob("*.safetensors")):
        for name, values in load_file(file).items():
            path = name.removesuffix(".weight")
            if path in OUTER:
                tensors[f"{OUTER[path]}.weight"] = values
            elif path.startswith("model.layers."):
                _, _, number, stem = path.split(".", 3)
                tensors[f"layers.{number}.{LAYER[stem]}.weight"] = values
            else:
                sys.exit(f"There is no place for {name}.")
    tensors.setdefault("output.weight", tensors["tok_embeddings.weight"].clone())
    return tensors


def parameters(config: dict) -> dict:
    """The sizes of the network under the names of the exporter."""
    if config.get("model_type") != "llama" or config.get("rope_scaling"):
        sys.exit("Only networks of the type llama without a scaling of contexts are exported.")
    return {
        "dim": config["hidden_size"], "hidden_dim": config["intermediate_size"],
        "n_heads": config["num_attention_heads"], "n_kv_heads": config["num_key_value_heads"],
        "head_dim": config.get("head_dim", config["hidden_size"] // config["num_attention_heads"]),
        "n_layers": config["num_hidden_layers"], "norm_eps": config["rms_norm_eps"],
        "rope_theta": config["rope_theta"], "use_scaled_rope": False, "vocab_size": config["vocab_size"],
        "use_hf_rope": True}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("output", type=Path)
    parser.add_argument("--context", type=int, default=2048)
    # A step has one token less.
    parser.add_argument("--rows", type=int, default=257)
    parser.add_argument("--all-logits", action="store_true")
    parser.add_argument("--mode", choices=["8da4w"])
    # Without XNNPACK: every operator by a kernel of ExecuTorch.
    parser.add_argument("--portable", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as work:
        torch.save(checkpoint(options.folder), f"{work}/checkpoint.pth")
        Path(work, "params.json").write_text(json.dumps(parameters(json.loads((options.folder / "config.json").read_text()))))
        config = LlmConfig()
        config.base.model_class = ModelType.smollm2
        config.base.checkpoint, config.base.params = f"{work}/checkpoint.pth", f"{work}/params.json"
        # The parts that a program needs another library for stay off: its own attention (`llama::custom_sdpa`).
        config.model.use_kv_cache, config.model.use_sdpa_with_kv_cache = True, False
        config.model.enable_dynamic_shape = options.rows > 1
        config.export.max_context_length, config.export.max_seq_length = options.context, max(options.rows, 1)
        config.export.output_name = f"{work}/model.pte"
        config.debug.generate_full_logits = options.all_logits
        config.backend.xnnpack.enabled = not options.portable
        config.backend.xnnpack.extended_ops = not options.portable
        if options.mode:
            config.quantization.qmode, config.quantization.group_size = options.mode, 32
            config.quantization.embedding_quantize = "8,0"
        export_llama(config)
        options.output.mkdir(parents=True, exist_ok=True)
        shutil.move(f"{work}/model.pte", options.output / "model.pte")
    for name in BESIDE:
        if (options.folder / name).exists():
            shutil.copy(options.folder / name, options.output / name)


main()
