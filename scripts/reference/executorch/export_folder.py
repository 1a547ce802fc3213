# SPDX-License-Identifier: Apache-2.0
"""Exports a folder in the form of Hugging Face (architecture llama) as a folder of ExecuTorch: model.pte, whose method
`forward` turns tokens and a position into logits, with the folder's configuration, tokenizer and chat template beside it.

    python3 -m venv VENV && VENV/bin/pip install executorch torch torchao safetensors
    VENV/bin/python scripts/reference/executorch/export_folder.py FOLDER OUT [--context 2048] [--rows 256]
        [--all-logits] [--bits 4|8] [--portable]

Made with executorch 1.5.1, torch 2.13 and torchao 0.18; torch alone takes some GB.

The network is written so that nothing but the storing of keys and values, one row a token, is left to ExecuTorch's own
kernels: all else is delegated to XNNPACK. ExecuTorch's exporter for llama copies all keys and values several times for
each token instead.
"""
import argparse
import json
import shutil
import sys
from pathlib import Path

import torch
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.exir import EdgeCompileConfig, ExecutorchBackendConfig, to_edge_transform_and_lower
from executorch.exir.passes import MemoryPlanningPass
from executorch.exir.passes.sym_shape_eval_pass import ConstraintBasedSymShapeEvalPass
from safetensors.torch import load_file
from torch import Tensor, nn

BESIDE = ("config.json", "generation_config.json", "tokenizer.json", "tokenizer_config.json", "chat_template.jinja")


class Norm(nn.Module):
    def __init__(self, config: dict):
        super().__init__()
        width = config["hidden_size"]
        self.weight = nn.Parameter(torch.empty(width))
        self.epsilon = config["rms_norm_eps"]
        # XNNPACK has no mean of rows, but products.
        self.register_buffer("shares", torch.full((1, width), 1 / width), persistent=False)

    def forward(self, x: Tensor) -> Tensor:
        return x * torch.rsqrt(nn.functional.linear(x * x, self.shares) + self.epsilon) * self.weight


class Attention(nn.Module):
    def __init__(self, config: dict, context: int):
        super().__init__()
        width, heads = config["hidden_size"], config["num_attention_heads"]
        self.groups, self.head = config["num_key_value_heads"], config.get("head_dim") or width // heads
        self.shared = heads // self.groups
        self.q_proj = nn.Linear(width, heads * self.head, bias=False)
        self.k_proj = nn.Linear(width, self.groups * self.head, bias=False)
        self.v_proj = nn.Linear(width, self.groups * self.head, bias=False)
        self.o_proj = nn.Linear(heads * self.head, width, bias=False)
        self.register_buffer("keys", torch.zeros(self.groups, context, self.head), persistent=False)
        self.register_buffer("values", torch.zeros(self.groups, context, self.head), persistent=False)
        # Exchanges the halves of a head, and the sign of the first one, again as a product.
        half = torch.eye(self.head // 2)
        turn = torch.cat((torch.cat((0 * half, -half), 1), torch.cat((half, 0 * half), 1)))
        self.register_buffer("turn", turn, persistent=False)

    def rotated(self, x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        """Rotary embedding; x [n, heads, width], cos and sin [n, 1, width]."""
        return x * cos + nn.functional.linear(x, self.turn) * sin

    def forward(self, x: Tensor, positions: Tensor, cos: Tensor, sin: Tensor, mask: Tensor) -> Tensor:
        groups, shared, head = self.groups, self.shared, self.head
        # The number of rows is -1 in views: XNNPACK takes no others.
        q = self.rotated(self.q_proj(x).view(-1, groups * shared, head), cos, sin)
        k = self.rotated(self.k_proj(x).view(-1, groups, head), cos, sin)
        v = self.v_proj(x).view(-1, groups, head)
        self.keys[:, positions] = k.permute(1, 0, 2)
        self.values[:, positions] = v.permute(1, 0, 2)
        # The heads that share keys are rows of one product, so that no key is copied; and the keys are its left side,
        # which XNNPACK reads as it lies there.
        q = q.view(-1, groups, shared, head).permute(1, 3, 2, 0).contiguous().view(groups, head, -1)
        scores = torch.bmm(self.keys, q).permute(0, 2, 1).contiguous().view(groups, shared, -1, self.keys.shape[1])
        weights = torch.softmax(scores + mask, -1).view(groups, -1, self.keys.shape[1])
        mixed = torch.bmm(weights, self.values).view(groups, shared, -1, head)
        return self.o_proj(mixed.permute(2, 0, 1, 3).contiguous().view(-1, groups * shared * head))


class FeedForward(nn.Module):
    def __init__(self, config: dict):
        super().__init__()
        width, inner = config["hidden_size"], config["intermediate_size"]
        self.gate_proj = nn.Linear(width, inner, bias=False)
        self.up_proj = nn.Linear(width, inner, bias=False)
        self.down_proj = nn.Linear(inner, width, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        gate = self.gate_proj(x)
        return self.down_proj(gate * torch.sigmoid(gate) * self.up_proj(x))


class Layer(nn.Module):
    def __init__(self, config: dict, context: int):
        super().__init__()
        self.input_layernorm, self.self_attn = Norm(config), Attention(config, context)
        self.post_attention_layernorm, self.mlp = Norm(config), FeedForward(config)

    def forward(self, x: Tensor, *others: Tensor) -> Tensor:
        x = x + self.self_attn(self.input_layernorm(x), *others)
        return x + self.mlp(self.post_attention_layernorm(x))


class Network(nn.Module):
    def __init__(self, config: dict, context: int, all_logits: bool):
        super().__init__()
        width, vocabulary = config["hidden_size"], config["vocab_size"]
        self.all_logits = all_logits
        self.embed_tokens = nn.Embedding(vocabulary, width)
        self.layers = nn.ModuleList(Layer(config, context) for _ in range(config["num_hidden_layers"]))
        self.norm, self.lm_head = Norm(config), nn.Linear(width, vocabulary, bias=False)
        head = config.get("head_dim") or width // config["num_attention_heads"]
        periods = config["rope_theta"] ** (torch.arange(0, head, 2, dtype=torch.float64) / head)
        angles = (torch.arange(context, dtype=torch.float64)[:, None, None] / periods).repeat(1, 1, 2)
        self.register_buffer("cos", angles.cos().float(), persistent=False)
        self.register_buffer("sin", angles.sin().float(), persistent=False)
        self.register_buffer("places", torch.arange(context), persistent=False)

    def forward(self, tokens: Tensor, position: Tensor) -> Tensor:
        positions = torch.arange(tokens.shape[1]) + position
        mask = torch.where(self.places <= positions[:, None], 0.0, float("-inf"))
        cos, sin = self.cos[positions], self.sin[positions]
        x = self.embed_tokens(tokens.view(-1)).float()
        for layer in self.layers:
            x = layer(x, positions, cos, sin, mask)
        return self.lm_head(self.norm(x if self.all_logits else x[-1:])[None])


def loaded(folder: Path, context: int, all_logits: bool) -> Network:
    """The network with the weights of a folder."""
    config = json.loads((folder / "config.json").read_text())
    if config.get("model_type") != "llama" or config.get("rope_scaling") or config.get("attention_bias"):
        sys.exit("Only networks of the type llama without biases and a scaling of contexts are exported.")
    network = Network(config, context, all_logits)
    tensors = {}
    for file in sorted(folder.glob("*.safetensors")):
        tensors |= {name.removeprefix("model."): values.float() for name, values in load_file(file).items()}
    tensors.setdefault("lm_head.weight", tensors["embed_tokens.weight"])
    network.load_state_dict(tensors)
    for layer in network.layers:
        # The scale of scores.
        layer.self_attn.q_proj.weight.data *= layer.self_attn.head ** -0.5
    return network.eval()


def quantize(network: Network, bits: int) -> None:
    """Makes the layers' matrices ones of 4 bits in groups of 32, or of 8, the language head one of 8, and the embeddings
    ones of 16."""
    from torchao.quantization import Int8DynamicActivationIntxWeightConfig, quantize_
    from torchao.quantization.granularity import PerAxis, PerGroup

    head = Int8DynamicActivationIntxWeightConfig(weight_dtype=torch.int8, weight_granularity=PerAxis(0))
    layers = head if bits == 8 else Int8DynamicActivationIntxWeightConfig(
        weight_dtype=torch.int4, weight_granularity=PerGroup(32))
    quantize_(network, layers, lambda module, name: isinstance(module, nn.Linear) and name != "lm_head")
    quantize_(network, head, lambda module, name: name == "lm_head")
    network.embed_tokens.half()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("output", type=Path)
    parser.add_argument("--context", type=int, default=2048)
    parser.add_argument("--rows", type=int, default=256)
    parser.add_argument("--all-logits", action="store_true")
    parser.add_argument("--bits", type=int, choices=[4, 8])
    # Without XNNPACK: every operator by a kernel of ExecuTorch.
    parser.add_argument("--portable", action="store_true")
    options = parser.parse_args()
    network = loaded(options.folder, options.context, options.all_logits)
    if options.bits:
        quantize(network, options.bits)
    rows = torch.export.Dim("rows", min=1, max=options.rows)
    example = (torch.zeros(1, 3, dtype=torch.int64), torch.zeros(1, dtype=torch.int64))
    with torch.no_grad():
        exported = torch.export.export(network, example, dynamic_shapes=({1: rows}, None))
        partitioners = [] if options.portable else [XnnpackPartitioner()]
        program = to_edge_transform_and_lower(
            exported, partitioner=partitioners, compile_config=EdgeCompileConfig(_check_ir_validity=False),
            constant_methods={"get_max_context_len": options.context, "get_max_seq_len": options.rows})
        program = program.to_executorch(ExecutorchBackendConfig(
            extract_delegate_segments=True, run_reinplace_pass=True, do_quant_fusion_and_const_prop=True,
            memory_planning_pass=MemoryPlanningPass(alloc_graph_input=False),
            sym_shape_eval_pass=ConstraintBasedSymShapeEvalPass()))
    options.output.mkdir(parents=True, exist_ok=True)
    with open(options.output / "model.pte", "wb") as file:
        program.write_to_file(file)
    for name in BESIDE:
        if (options.folder / name).exists():
            shutil.copy(options.folder / name, options.output / name)


main()
