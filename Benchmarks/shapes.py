#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes model files with the shapes of known models and random weights, to compare speed on them.

    Benchmarks/shapes.py [MODEL-KIND…] [--layers N] [--out DIRECTORY] [--list]
    Benchmarks/compare.py $(Benchmarks/shapes.py llama-3.2-1b-q4_k_m qwen3-4b-q4_0)

Values do not matter for speed, as long as they are neither huge nor NaN. Prints the path of each file, and makes those
that are missing; without names every model in every kind, which takes far more than 100 GB. --layers shortens models
that do not fit into memory; the share of the language head grows by it. Tokenizers are the models' own where the cache
has them (scripts/fetch-references), else as many strings that mean nothing. Needs what scripts/fetch-references has
installed: numpy and gguf.
"""

import argparse
import dataclasses
import os
import sys
import zlib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CACHE = Path(os.environ.get("PARLEY_REFERENCES") or ROOT / ".build" / "references")
sys.path[:0] = [str(CACHE / "python"), str(ROOT / "scripts" / "reference")]

import needs  # noqa: E402

with needs.packages("scripts/fetch-references installs it."):
    import gguf
    import numpy as np
    from blocks import Kind, Random, random_tensor
    from tiny_models import vocabulary

KINDS = ("q4_k_m", "q4_0", "q8_0", "f16")
# The weights that are drawn; larger tensors repeat them, because drawing billions takes long.
DRAWN_ROWS = 256


@dataclasses.dataclass
class Shape:
    """The sizes of a model, as its authors publish them. All of these share the embedding with the head."""

    architecture: str
    layers: int
    width: int
    feed_forward: int
    heads: int
    key_value_heads: int
    head_width: int
    vocabulary: int
    context: int
    rope_base: float
    head_norms: bool = False
    rope_width: int | None = None
    rope_factors: str | None = None
    sliding_window: int | None = None
    rope_scale: float | None = None
    # Of layers with short convolutions in place of attention: those that attend.
    attending: tuple[int, ...] | None = None
    # The number of experts, how many compute a token, their width; the first layers are dense.
    experts: tuple[int, int, int] = (0, 0, 0)
    dense_layers: int = 0
    factors: dict[str, float] = dataclasses.field(default_factory=dict)
    # A file of the cache with the model's tokenizer.
    tokenizer: str | None = None


LLAMA, QWEN = "vocabularies/ggml-vocab-llama-bpe.gguf", "vocabularies/ggml-vocab-qwen2.gguf"
GEMMA = "models/gemma3-270m-q4_k_m.gguf"
GRANITE = {"embedding_scale": 12.0, "residual_scale": 0.22, "attention.scale": 0.015625, "logit_scale": 6.0}

SHAPES = {
    "llama-3.2-1b": Shape(
        "llama", 16, 2048, 8192, 32, 8, 64, 128_256, 131_072, 500_000, rope_factors="llama3", tokenizer=LLAMA),
    "qwen3-0.6b": Shape(
        "qwen3", 28, 1024, 3072, 16, 8, 128, 151_936, 40_960, 1_000_000, head_norms=True, tokenizer=QWEN),
    "qwen3-4b": Shape(
        "qwen3", 36, 2560, 9728, 32, 8, 128, 151_936, 40_960, 1_000_000, head_norms=True, tokenizer=QWEN),
    "gemma-3-1b": Shape(
        "gemma3", 26, 1152, 6912, 4, 1, 256, 262_144, 32_768, 1_000_000, head_norms=True, sliding_window=512,
        tokenizer=GEMMA),
    "gemma-3-4b": Shape(
        "gemma3", 34, 2560, 10_240, 8, 4, 256, 262_144, 131_072, 1_000_000, head_norms=True, sliding_window=1024,
        rope_scale=8, tokenizer=GEMMA),
    "lfm2-1.2b": Shape(
        "lfm2", 16, 2048, 8192, 32, 8, 64, 65_536, 128_000, 1_000_000, head_norms=True,
        attending=(2, 5, 8, 10, 12, 14)),
    "phi-4-mini": Shape(
        "phi3", 32, 3072, 8192, 24, 8, 128, 200_064, 131_072, 10_000, rope_width=96, rope_factors="longrope"),
    "granite-3.1-1b-a400m": Shape(
        "granitemoe", 24, 1024, 512, 16, 8, 64, 49_155, 131_072, 1_500_000, experts=(32, 8, 512), factors=GRANITE),
    "lfm2-8b-a1b": Shape(
        "lfm2moe", 24, 2048, 7168, 32, 8, 64, 65_536, 128_000, 1_000_000, head_norms=True,
        attending=(2, 6, 10, 14, 18, 21), experts=(32, 4, 1792), dense_layers=2),
    "qwen3-30b-a3b": Shape(
        "qwen3moe", 48, 2048, 6144, 32, 4, 128, 151_936, 40_960, 1_000_000, head_norms=True, experts=(128, 8, 768),
        tokenizer=QWEN),
}  # fmt: skip


class ShapeFile:
    """Writes one model in one kind."""

    def __init__(self, name: str, shape: Shape, mix: str, path: Path) -> None:
        self.shape, self.mix = shape, mix
        self.random = Random(zlib.crc32(f"{name}-{mix}".encode()))
        self.writer = gguf.GGUFWriter(path, shape.architecture)
        # The drawn weights of each tensor, and its shape in bytes or floats, which they fill when it is written.
        self.tensors: list[tuple[np.ndarray, tuple[int, ...]]] = []
        self._metadata(name)
        self._tensors()
        self.writer.write_header_to_file()
        self.writer.write_kv_data_to_file()
        self.writer.write_ti_data_to_file()
        for drawn, shape in self.tensors:
            self.writer.write_tensor_data(np.resize(drawn, shape))
        self.writer.close()

    def _metadata(self, name: str) -> None:
        w, s = self.writer, self.shape
        w.add_name(f"Random weights in the shape of {name}")
        w.add_context_length(s.context)
        w.add_embedding_length(s.width)
        w.add_block_count(s.layers)
        w.add_feed_forward_length(s.feed_forward)
        w.add_head_count(s.heads)
        attends = [s.attending is None or layer in s.attending for layer in range(s.layers)]
        w.add_head_count_kv(
            s.key_value_heads if all(attends) else [s.key_value_heads if attend else 0 for attend in attends])
        w.add_key_length(s.head_width)
        w.add_value_length(s.head_width)
        w.add_layer_norm_rms_eps(1e-6)
        w.add_rope_freq_base(s.rope_base)
        w.add_rope_dimension_count(s.rope_width or s.head_width)
        w.add_vocab_size(s.vocabulary)
        if s.rope_scale:
            w.add_rope_scaling_type(gguf.RopeScalingType.LINEAR)
            w.add_rope_scaling_factor(s.rope_scale)
        if s.rope_factors == "longrope":
            w.add_rope_scaling_orig_ctx_len(4096)
            w.add_rope_scaling_attn_factors(1.19)
        if s.sliding_window:
            w.add_sliding_window(s.sliding_window)
        if s.attending is not None:
            w.add_shortconv_l_cache(3)
        count, used, width = s.experts
        if count:
            w.add_expert_count(count)
            w.add_expert_used_count(used)
            w.add_expert_feed_forward_length(width)
        if s.architecture == "lfm2moe":
            w.add_leading_dense_block_count(s.dense_layers)
            w.add_expert_gating_func(gguf.ExpertGatingFuncType.SIGMOID)
        for key, factor in s.factors.items():
            w.add_float32(f"{s.architecture}.{key}", factor)
        w.add_quantization_version(gguf.GGML_QUANT_VERSION)
        if s.tokenizer and (CACHE / s.tokenizer).exists():
            self._copied_tokenizer(CACHE / s.tokenizer)
        else:
            self._made_tokenizer()

    def _copied_tokenizer(self, source: Path) -> None:
        for key, field in gguf.GGUFReader(source).fields.items():
            if key.startswith("tokenizer.ggml."):
                kind, *inner = field.types
                self.writer.add_key_value(key, field.contents(), kind, inner[-1] if inner else None)

    def _made_tokenizer(self) -> None:
        w = self.writer
        tokens, types, merges = vocabulary()
        unused = range(len(tokens), self.shape.vocabulary)
        w.add_tokenizer_model("gpt2")
        w.add_tokenizer_pre("gpt-2")
        w.add_token_list(tokens + [f"<unused{number}>" for number in unused])
        w.add_token_types(types + [int(gguf.TokenType.UNUSED)] * len(unused))
        w.add_token_merges(merges)
        w.add_bos_token_id(1)
        w.add_eos_token_id(2)
        w.add_add_bos_token(False)

    def _tensors(self) -> None:
        s = self.shape
        queries, keys = s.heads * s.head_width, s.key_value_heads * s.head_width
        self._matrix("token_embd.weight", s.vocabulary, s.width, better=True)
        self._factors()
        for layer in range(s.layers):
            self.prefix = f"blk.{layer}."
            # As llama.cpp's quantiser does: Q6_K for the first and last eighths of the layers, and each third between.
            eighth = s.layers // 8
            better = layer < eighth or layer >= 7 * s.layers // 8 or (layer - eighth) % 3 == 2
            self._norm("attn_norm", s.width)
            if s.attending is not None and layer not in s.attending:
                self._values("shortconv.conv.weight", self.random.near_normal(s.width * 3).reshape(s.width, 3) * 0.6)
                self._matrix("shortconv.in_proj.weight", 3 * s.width, s.width)
                self._matrix("shortconv.out_proj.weight", s.width, s.width)
            else:
                if s.architecture == "phi3":
                    self._matrix("attn_qkv.weight", queries + 2 * keys, s.width)
                else:
                    self._matrix("attn_q.weight", queries, s.width)
                    self._matrix("attn_k.weight", keys, s.width)
                    self._matrix("attn_v.weight", keys, s.width, better=better)
                self._matrix("attn_output.weight", s.width, queries)
                if s.head_norms:
                    self._norm("attn_q_norm", s.head_width)
                    self._norm("attn_k_norm", s.head_width)
            if s.architecture == "gemma3":
                self._norm("post_attention_norm", s.width)
                self._norm("post_ffw_norm", s.width)
            self._norm("ffn_norm", s.width)
            self._feed_forward(layer, better)
        self.prefix = ""
        self._norm("token_embd_norm" if s.architecture.startswith("lfm2") else "output_norm", s.width)

    def _factors(self) -> None:
        s = self.shape
        pairs = np.arange((s.rope_width or s.head_width) // 2)
        if s.rope_factors == "llama3":
            self._values("rope_freqs.weight", 1 + pairs)
        elif s.rope_factors == "longrope":
            self._values("rope_factors_long.weight", 1 + pairs * 0.75)
            self._values("rope_factors_short.weight", 1 + pairs * 0)

    def _feed_forward(self, layer: int, better: bool) -> None:
        s = self.shape
        count, _, width = s.experts
        if count and layer >= s.dense_layers:
            self._matrix("ffn_gate_inp.weight", count, s.width, kind=Kind.F32)
            if s.architecture == "lfm2moe":
                self._values("exp_probs_b.bias", self.random.near_normal(count) / 10)
            self._matrix("ffn_gate_exps.weight", width, s.width, count=count)
            self._matrix("ffn_up_exps.weight", width, s.width, count=count)
            self._matrix("ffn_down_exps.weight", s.width, width, better=better, count=count)
            return
        if s.architecture == "phi3":
            self._matrix("ffn_up.weight", 2 * s.feed_forward, s.width)
        else:
            self._matrix("ffn_gate.weight", s.feed_forward, s.width)
            self._matrix("ffn_up.weight", s.feed_forward, s.width)
        self._matrix("ffn_down.weight", s.width, s.feed_forward, better=better)

    prefix = ""

    def _kind(self, columns: int, better: bool) -> Kind:
        """The kind of a matrix; K types need rows of whole blocks of 256, and fall back as llama.cpp's quantiser does."""
        match self.mix:
            case "q4_k_m" if columns % 256 == 0:
                return Kind.Q6_K if better else Kind.Q4_K
            case "q4_k_m":
                return Kind.Q8_0 if better else Kind.Q5_0
            case "q4_0" if better and columns == self.shape.width and columns % 256 == 0:
                return Kind.Q6_K  # the embedding that is also the head
            case mix:
                return Kind[mix.upper()]

    def _matrix(
        self, name: str, rows: int, columns: int, better: bool = False, kind: Kind | None = None, count: int = 1
    ) -> None:
        """A matrix, or `count` of them in one tensor; `better` if a mixed kind spends more on it."""
        if self.mix == "q4_0" and name != "token_embd.weight":
            better = False
        kind = kind or self._kind(columns, better)
        drawn = random_tensor(self.random, kind, (min(rows * count, DRAWN_ROWS), columns), 1 / np.sqrt(columns))
        self._add(name, drawn, (count, rows, drawn.shape[1]) if count > 1 else (rows, drawn.shape[1]), kind)

    def _values(self, name: str, values: np.ndarray) -> None:
        self._add(name, values.astype(np.float32), values.shape, Kind.F32)

    def _norm(self, name: str, width: int) -> None:
        self._values(name + ".weight", random_tensor(self.random, Kind.F32, (width,), 0.1, 1))

    def _add(self, name: str, drawn: np.ndarray, shape: tuple[int, ...], kind: Kind) -> None:
        size = int(np.prod(shape)) * drawn.itemsize
        self.writer.add_tensor_info(self.prefix + name, shape, drawn.dtype, size, raw_dtype=kind)
        self.tensors.append((drawn, shape))


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    every = [f"{name}-{kind}" for name in SHAPES for kind in KINDS]
    parser.add_argument("names", nargs="*", metavar="MODEL-KIND")
    parser.add_argument("--layers", type=int, help="make models of at most so many layers")
    parser.add_argument("--out", type=Path, default=CACHE / "benchmarks")
    parser.add_argument("--list", action="store_true", help="print the names and make nothing")
    options = parser.parse_args()
    if unknown := set(options.names) - set(every):
        parser.error(f"unknown: {', '.join(sorted(unknown))}; --list prints the names")
    options.names = options.names or every
    return options


def main() -> None:
    options = arguments()
    if options.list:
        print("\n".join(options.names))
        return
    options.out.mkdir(parents=True, exist_ok=True)
    for file in options.names:
        name, kind = file.rsplit("-", 1)
        shape = SHAPES[name]
        if options.layers and options.layers < shape.layers:
            shape = dataclasses.replace(shape, layers=options.layers)
            file += f"-{options.layers}-layers"
        path = options.out / f"{file}.gguf"
        if not path.exists():
            part = path.with_suffix(".part")
            ShapeFile(name, shape, kind, part)
            part.rename(path)
        print(path, flush=True)


if __name__ == "__main__":
    main()
