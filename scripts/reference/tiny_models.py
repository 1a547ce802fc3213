#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes tiny models with random weights, one for each architecture and its variants, the same bits on every machine.

    tiny_models.py OUT_DIRECTORY [--all] [--only NAME]

Writes NAME-F32.gguf for every model of MODELS, and for the quantised ones NAME-KIND.gguf with NAME-KIND-exact.gguf,
the same weights in F32. --all makes every model in every kind (for a local check against a build of llama.cpp).
They have a byte-level vocabulary of 307 ids, a chat template, and widths that every block format divides.
Needs numpy and gguf (GGUF_VERSION below: its writer decides the bytes of the file).
"""

import argparse
import dataclasses
import zlib
from pathlib import Path

import gguf
import numpy as np
import tiny_gemma
from blocks import FORMATS, Kind, Random, quants, random_tensor

GGUF_VERSION = "0.19.0"
VOCABULARY = 307
CONTEXT = 512
WIDTH = 256
CHAT_TEMPLATE = (
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n{{ message['content'] }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


@dataclasses.dataclass
class Model:
    """One tiny model: an architecture with certain options."""

    architecture: str
    layers: int = 2
    feed_forward: int = 512
    heads: int = 4
    key_value_heads: int = 2
    head_width: int = 64
    tied: bool = False
    biases: tuple[str, ...] = ()
    head_norms: bool = False
    rope_width: int | None = None
    rope_base: float = 10_000
    rope_scaling: dict = dataclasses.field(default_factory=dict)
    rope_factors: str | None = None
    sliding_window: int | None = None
    convolutions: tuple[int, ...] = ()
    kinds: tuple[str, ...] = ()
    # Names of norms after the branches; those before them are left out if `inputs_normed` is false.
    result_norms: tuple[str, ...] = ()
    inputs_normed: bool = True
    row_norms: bool = False  # queries and keys are normalised as whole rows
    factors: dict = dataclasses.field(default_factory=dict)
    # Layers of experts: their number, how many compute a token, their width; the first layers are dense.
    experts: tuple[int, int, int] = (0, 0, 0)
    shared_expert: int = 0
    shared_gate: bool = False
    dense_layers: int = 0
    expert_biases: bool = False
    # Experts with biases of all their products, and of the router.
    product_biases: bool = False
    sinks: bool = False
    # The spread of what experts are activated by.
    expert_gain: float = 1
    feed_forward_norm: str = "ffn_norm"
    # Linear attention: heads of values, of keys, and their width; and all but every how many layers have it (0: all have,
    # beside attention).
    recurrence: tuple[int, int, int] = (0, 0, 0)
    attention_interval: int = 0
    # Whether a few rows with other experts make up most of the mean divergence, so that its median is compared.
    measures_median: bool = False
    # What Gemma 3n and 4 have of their own; None for other architectures.
    gemma: tiny_gemma.Gemma | None = None


MODELS = {
    "llama": Model("llama", kinds=("Q4_0", "Q4_1", "Q4_K", "F16")),
    "llama-factors": Model(
        "llama", tied=True, biases=("attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down"),
        rope_base=500_000, rope_factors="llama3",
    ),
    "llama-linear": Model("llama", rope_scaling={"type": "linear", "factor": 4.0}),
    "llama-yarn": Model("llama", rope_scaling={"type": "yarn", "factor": 4.0, "original": 128}),
    "gemma3": Model(
        "gemma3", layers=6, feed_forward=256, key_value_heads=1, head_width=128, tied=True, head_norms=True,
        rope_base=1_000_000, sliding_window=8, kinds=("Q5_0", "Q6_K", "Q8_0", "BF16"),
    ),
    "gemma3-linear": Model(
        "gemma3", layers=6, feed_forward=256, key_value_heads=1, head_width=128, tied=True, head_norms=True,
        rope_base=1_000_000, rope_scaling={"type": "linear", "factor": 8.0}, sliding_window=24,
    ),
    "qwen2": Model(
        "qwen2", tied=True, biases=("attn_q", "attn_k", "attn_v"), rope_base=1_000_000,
        kinds=("Q2_K", "Q5_1", "IQ4_XS"),
    ),
    "qwen3": Model(
        "qwen3", head_width=128, head_norms=True, rope_base=1_000_000, kinds=("Q3_K", "Q5_K", "IQ4_NL"),
    ),
    "lfm2": Model(
        "lfm2", layers=4, feed_forward=256, tied=True, head_norms=True, rope_base=1_000_000, convolutions=(0, 2),
        kinds=("Q4_0", "Q6_K", "Q8_0"),
    ),
    "phi3": Model("phi3", key_value_heads=4, kinds=("Q4_K", "Q5_K", "IQ4_NL")),
    "phi3-short": Model(
        "phi3", tied=True, rope_width=48, rope_factors="longrope",
        rope_scaling={"original": CONTEXT, "attention": 1.0},
    ),
    "phi3-long": Model(
        "phi3", tied=True, rope_width=48, rope_factors="longrope",
        rope_scaling={"original": 64, "attention": 1.2247449},
    ),
    "smollm3": Model("smollm3", layers=5, tied=True, rope_base=5_000_000, kinds=("Q4_K",)),
    "olmo2": Model(
        "olmo2", row_norms=True, inputs_normed=False, result_norms=("post_attention_norm", "post_ffw_norm"),
        rope_base=500_000, kinds=("Q4_K",),
    ),
    "olmo2-windows": Model(
        "olmo2", layers=4, row_norms=True, inputs_normed=False, result_norms=("post_attention_norm", "post_ffw_norm"),
        rope_base=500_000, rope_scaling={"type": "yarn", "factor": 8.0, "original": 64}, sliding_window=16,
    ),
    "granite": Model(
        "granite", tied=True, kinds=("Q4_K",),
        factors={"embedding_scale": 3.0, "residual_scale": 0.75, "attention.scale": 0.0625, "logit_scale": 2.0},
    ),
    "granite-unrotated": Model(
        "granite", tied=True, factors={"logit_scale": 2.0}, rope_scaling={"finetuned": False},
    ),
    "ernie4_5": Model("ernie4_5", tied=True, rope_base=500_000, kinds=("Q4_K",)),
    "exaone4": Model(
        "exaone4", head_norms=True, inputs_normed=False, result_norms=("post_attention_norm", "post_ffw_norm"),
        rope_base=1_000_000, rope_factors="llama3", kinds=("Q4_K",),
    ),
    "qwen3moe": Model(
        "qwen3moe", head_width=128, head_norms=True, rope_base=1_000_000, experts=(16, 4, 256), kinds=("Q4_K", "Q8_0"),
    ),
    "granitemoe": Model(
        "granitemoe", feed_forward=256, tied=True, experts=(8, 3, 256), shared_expert=512, kinds=("Q4_K",),
        factors={"embedding_scale": 3.0, "residual_scale": 0.75, "attention.scale": 0.0625, "logit_scale": 2.0},
    ),
    "lfm2moe": Model(
        "lfm2moe", layers=4, tied=True, head_norms=True, rope_base=1_000_000, convolutions=(0, 2), experts=(8, 2, 256),
        dense_layers=1, expert_biases=True, kinds=("Q4_K",),
    ),
    "gpt_oss": Model(
        "gpt-oss", layers=3, feed_forward=256, biases=("attn_q", "attn_k", "attn_v", "attn_output"),
        rope_base=150_000, rope_scaling={"type": "yarn", "factor": 4.0, "original": 128}, sliding_window=16, sinks=True,
        experts=(8, 3, 256), product_biases=True, expert_gain=4, feed_forward_norm="post_attention_norm",
        measures_median=True, kinds=("MXFP4", "Q8_0"),
    ),
    "mistral3": Model(
        "mistral3", rope_base=1_000_000, factors={"attention.temperature_scale": 0.25}, kinds=("Q4_K",),
        rope_scaling={
            "type": "yarn", "factor": 4.0, "original": 128, "beta_fast": 16.0, "beta_slow": 2.0, "log_multiplier": 0.5,
        },
    ),
    "gemma4": Model(
        "gemma4", layers=8, feed_forward=256, key_value_heads=1, tied=True, rope_base=1_000_000, sliding_window=16,
        gemma=tiny_gemma.Gemma(full=(2, 4, 7), full_head_width=128, shared=3, layer_embedding=256),
        kinds=("Q4_K", "Q8_0"),
    ),
    "gemma4-dense": Model(
        "gemma4", layers=3, tied=True, rope_base=1_000_000, sliding_window=16, kinds=("Q6_K",),
        gemma=tiny_gemma.Gemma(full=(2,), full_head_width=128, full_key_value_heads=1, keys_as_values=True, softcap=30),
    ),
    "gemma4-moe": Model(
        "gemma4", layers=3, tied=True, rope_base=1_000_000, sliding_window=16, experts=(16, 4, 256), kinds=("Q4_K",),
        gemma=tiny_gemma.Gemma(full=(2,), full_head_width=128, full_key_value_heads=1, keys_as_values=True),
    ),
    "gemma4-moe-separate": Model(
        "gemma4", layers=2, tied=True, rope_base=1_000_000, sliding_window=16, experts=(8, 2, 256),
        gemma=tiny_gemma.Gemma(full=(1,), full_head_width=128, joins_gates=False),
    ),
    # As many layers as llama.cpp has before those without keys of their own, and two such.
    "gemma3n": Model(
        "gemma3n", layers=22, feed_forward=256, key_value_heads=1, head_width=32, tied=True, rope_base=1_000_000,
        sliding_window=16, kinds=("Q4_0",),
        gemma=tiny_gemma.Gemma(full=(4, 9, 14, 19, 21), shared=2, layer_embedding=256, streams=4, sparse=10, softcap=30),
    ),
    "llama-grids": Model("llama", kinds=("IQ2_XXS", "IQ2_S", "IQ3_XXS", "IQ3_S", "IQ1_S")),
    "qwen35": Model(
        "qwen35", layers=4, tied=True, head_norms=True, rope_width=32, rope_base=10_000_000, recurrence=(4, 2, 64),
        attention_interval=4, feed_forward_norm="post_attention_norm", kinds=("Q4_K", "Q8_0"),
    ),
    "qwen35moe": Model(
        "qwen35moe", layers=4, head_norms=True, rope_width=32, rope_base=10_000_000, recurrence=(4, 2, 64),
        attention_interval=4, feed_forward_norm="post_attention_norm", experts=(8, 3, 256), shared_expert=512,
        shared_gate=True, kinds=("Q4_K",),
    ),
    "falcon_h1": Model(
        "falcon-h1", layers=3, rope_base=100_000_000_000, recurrence=(8, 2, 32),
        kinds=("Q4_K", "Q8_0"),
    ),
    "llama-experts": Model("llama", feed_forward=256, experts=(4, 2, 256)),
}


def vocabulary() -> tuple[list[str], list[int], list[str]]:
    """Three control tokens, the 256 bytes in GPT-2's spelling, and 48 merges of frequent strings."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in printable]
    names = {byte: chr(byte) for byte in printable} | {byte: chr(256 + i) for i, byte in enumerate(others)}
    space = names[0x20]
    pairs = [(space, letter) for letter in "tasowhibcmfdp"] + [tuple(pair) for pair in (
        "th he in er an re on at en nd ti es or te of ed is it al ar st to nt ng se ha as ou io le ve co me de hi"
    ).split()]
    tokens = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"] + [names[byte] for byte in range(256)]
    tokens += ["".join(pair) for pair in pairs]
    assert len(tokens) == VOCABULARY and len(set(tokens)) == VOCABULARY
    types = [gguf.TokenType.CONTROL] * 3 + [gguf.TokenType.NORMAL] * (VOCABULARY - 3)
    return tokens, [int(kind) for kind in types], [" ".join(pair) for pair in pairs]


class TinyModelFile:
    """Writes one model in one kind; `exact` writes the same weights dequantised to F32."""

    vocabulary, width = VOCABULARY, WIDTH

    def __init__(self, name: str, model: Model, kind: Kind, path: Path, exact: bool) -> None:
        self.model, self.kind, self.exact = model, kind, exact
        self.random = Random(zlib.crc32(f"{name}-{kind.name}".encode()))
        self.writer = gguf.GGUFWriter(path, model.architecture)
        self._metadata()
        self._tensors()
        self.writer.write_header_to_file()
        self.writer.write_kv_data_to_file()
        self.writer.write_tensors_to_file()
        self.writer.close()

    def _metadata(self) -> None:
        w, m = self.writer, self.model
        w.add_name("Tiny random model")  # llama.cpp gives models whose name says phi3 tokens of their own
        w.add_context_length(CONTEXT)
        w.add_embedding_length(WIDTH)
        w.add_block_count(m.layers)
        w.add_feed_forward_length(tiny_gemma.feed_forward_lengths(m) if m.gemma else m.feed_forward)
        w.add_head_count(m.heads)
        if m.gemma:
            tiny_gemma.metadata(w, m)
        else:
            heads_by_layer = [0 if layer in m.convolutions else m.key_value_heads for layer in range(m.layers)]
            w.add_head_count_kv(heads_by_layer if m.convolutions else m.key_value_heads)
            w.add_key_length(m.head_width)
            w.add_value_length(m.head_width)
        w.add_layer_norm_rms_eps(1e-6)
        w.add_rope_freq_base(m.rope_base)
        if not m.gemma:
            w.add_rope_dimension_count(m.rope_width or m.head_width)
        w.add_vocab_size(VOCABULARY)
        scaling = m.rope_scaling
        if "type" in scaling:
            w.add_rope_scaling_type(gguf.RopeScalingType(scaling["type"]))
            w.add_rope_scaling_factor(scaling["factor"])
        if "original" in scaling:
            w.add_rope_scaling_orig_ctx_len(scaling["original"])
        if "attention" in scaling:
            w.add_rope_scaling_attn_factors(scaling["attention"])
        if "finetuned" in scaling:
            w.add_rope_scaling_finetuned(scaling["finetuned"])
        for name in ("beta_fast", "beta_slow", "log_multiplier"):
            if name in scaling:
                w.add_float32(f"{m.architecture}.rope.scaling.yarn_{name}", scaling[name])
        count, used, width = m.experts
        if count:
            w.add_expert_count(count)
            w.add_expert_used_count(used)
            if m.architecture in ("qwen3moe", "lfm2moe", "gpt-oss", "gemma4", "qwen35moe"):
                w.add_expert_feed_forward_length(width)
            if m.shared_expert:
                w.add_expert_shared_feed_forward_length(m.shared_expert)
            if m.dense_layers:
                w.add_leading_dense_block_count(m.dense_layers)
            if m.expert_biases:
                w.add_expert_gating_func(gguf.ExpertGatingFuncType.SIGMOID)
        for name, factor in m.factors.items():
            w.add_float32(f"{m.architecture}.{name}", factor)
        if m.sliding_window:
            w.add_sliding_window(m.sliding_window)
        if m.convolutions:
            w.add_shortconv_l_cache(3)
        heads, groups, width = m.recurrence
        if heads:
            w.add_ssm_conv_kernel(4)
            w.add_ssm_state_size(width)
            w.add_ssm_time_step_rank(heads)
            w.add_ssm_group_count(groups)
            w.add_ssm_inner_size(heads * width)
        if m.attention_interval:
            w.add_full_attention_interval(m.attention_interval)
            w.add_rope_dimension_sections([6, 5, 5, 0])
        tokens, types, merges = vocabulary()
        w.add_tokenizer_model("gpt2")
        w.add_tokenizer_pre("gpt-2")
        w.add_token_list(tokens)
        w.add_token_types(types)
        w.add_token_merges(merges)
        w.add_bos_token_id(1)
        w.add_eos_token_id(2)
        w.add_unk_token_id(0)
        w.add_pad_token_id(0)
        w.add_add_bos_token(False)
        w.add_chat_template(CHAT_TEMPLATE)
        w.add_quantization_version(gguf.GGML_QUANT_VERSION)

    def _tensors(self) -> None:
        m = self.model
        # Spreads that make each block count and leave logits near 0.75: not flat, and not so wide that the rounding of
        # an f16 cache (or of the peer's f16 table of GELU) would show. A tied head is the embedding: its norm makes up
        # for the difference.
        is_gemma = m.architecture.startswith("gemma")
        embedding = 1 if is_gemma else 8 if m.tied else np.sqrt(WIDTH)
        self._matrix("token_embd.weight", VOCABULARY, WIDTH, gain=embedding)
        if m.rope_factors == "llama3":
            self._values("rope_freqs.weight", 1 + np.arange(m.head_width // 2) * 0.25)
        elif m.rope_factors == "longrope":
            steps = np.arange((m.rope_width or m.head_width) // 2)
            self._values("rope_factors_long.weight", 1 + steps * 0.75)
            self._values("rope_factors_short.weight", 1 + steps * 0.125)
        if m.gemma:
            tiny_gemma.whole_tensors(self)
        for layer in range(m.layers):
            self.prefix = f"blk.{layer}."
            if m.gemma:
                tiny_gemma.layer_tensors(self, layer)
                continue
            if m.inputs_normed:
                self._norm("attn_norm")
            if layer in m.convolutions:
                self._convolution()
            elif m.attention_interval and (layer + 1) % m.attention_interval:
                self._delta_net()
            else:
                self._attention()
                if m.recurrence[0] and not m.attention_interval:
                    self._state_space()
            if m.experts[0] and layer >= m.dense_layers:
                self._experts()
            else:
                self._feed_forward()
        self.prefix = ""
        name = "token_embd_norm" if m.architecture.startswith("lfm2") else "output_norm"
        self._norm(name, mean=0.4 if is_gemma else 0.75 / embedding if m.tied else 1)
        if not m.tied:
            self._matrix("output.weight", VOCABULARY, WIDTH, gain=0.75)

    def _attention(self) -> None:
        m = self.model
        queries, keys = m.heads * m.head_width, m.key_value_heads * m.head_width
        if m.architecture == "phi3":
            self._matrix("attn_qkv.weight", queries + 2 * keys, WIDTH)
        else:
            # With a gate, each head has as many rows for it.
            self._matrix("attn_q.weight", 2 * queries if m.attention_interval else queries, WIDTH)
            self._matrix("attn_k.weight", keys, WIDTH)
            self._matrix("attn_v.weight", keys, WIDTH)
        self._matrix("attn_output.weight", WIDTH, queries, gain=0.3)
        for name, width in (("attn_q", queries), ("attn_k", keys), ("attn_v", keys), ("attn_output", WIDTH)):
            self._bias(name, width)
        if m.sinks:
            self._values("attn_sinks.weight", random_tensor(self.random, Kind.F32, (m.heads,), 1))
        if m.head_norms:
            self._norm("attn_q_norm", m.head_width)
            self._norm("attn_k_norm", m.head_width)
        if m.row_norms:
            self._norm("attn_q_norm", queries)
            self._norm("attn_k_norm", keys)
        if m.architecture == "gemma3" or "post_attention_norm" in m.result_norms:
            self._norm("post_attention_norm", mean=0.2)

    def _convolution(self) -> None:
        self._values("shortconv.conv.weight", self.random.near_normal(WIDTH * 3).reshape(WIDTH, 3) * 0.6)
        self._matrix("shortconv.in_proj.weight", 3 * WIDTH, WIDTH, gain=1.25)
        self._matrix("shortconv.out_proj.weight", WIDTH, WIDTH)

    def _delta_net(self) -> None:
        heads, groups, width = self.model.recurrence
        channels = (2 * groups + heads) * width
        self._matrix("attn_qkv.weight", channels, WIDTH)
        self._matrix("attn_gate.weight", heads * width, WIDTH)
        self._matrix("ssm_beta.weight", heads, WIDTH)
        self._matrix("ssm_alpha.weight", heads, WIDTH)
        self._values("ssm_conv1d.weight", self.random.near_normal(channels * 4).reshape(channels, 4) * 0.6)
        # Heads that remember a few tokens, and hundreds.
        self._values("ssm_a", -(0.5 ** (2 * np.arange(heads))))
        self._values("ssm_dt.bias", random_tensor(self.random, Kind.F32, (heads,), 0.5, -1))
        self._norm("ssm_norm", width)
        self._matrix("ssm_out.weight", WIDTH, heads * width)

    def _state_space(self) -> None:
        heads, groups, width = self.model.recurrence
        inner = heads * width
        channels = inner + 2 * groups * width
        self._matrix("ssm_in.weight", inner + channels + heads, WIDTH)
        self._values("ssm_conv1d.weight", self.random.near_normal(channels * 4).reshape(channels, 4) * 0.6)
        self._values("ssm_conv1d.bias", random_tensor(self.random, Kind.F32, (channels,), 0.25))
        self._values("ssm_dt.bias", random_tensor(self.random, Kind.F32, (heads,), 0.5, -1))
        # Heads that remember a few tokens, and hundreds.
        self._values("ssm_a", -(0.5 ** np.arange(heads)).reshape(heads, 1))
        self._values("ssm_d", random_tensor(self.random, Kind.F32, (heads, 1), 0.25, 1))
        self._values("ssm_norm.weight", random_tensor(self.random, Kind.F32, (groups, inner // groups), 0.125, 1))
        self._matrix("ssm_out.weight", WIDTH, inner, gain=0.5)

    def _feed_forward(self) -> None:
        m = self.model
        if m.inputs_normed:
            self._norm(m.feed_forward_norm)
        if m.architecture == "phi3":
            self._matrix("ffn_up.weight", 2 * m.feed_forward, WIDTH)
        else:
            self._matrix("ffn_gate.weight", m.feed_forward, WIDTH)
            self._matrix("ffn_up.weight", m.feed_forward, WIDTH)
        self._matrix("ffn_down.weight", WIDTH, m.feed_forward, gain=1.5)
        for name, width in (("ffn_gate", m.feed_forward), ("ffn_up", m.feed_forward), ("ffn_down", WIDTH)):
            self._bias(name, width)
        if m.architecture == "gemma3" or "post_ffw_norm" in m.result_norms:
            self._norm("post_ffw_norm", mean=0.3)

    def _experts(self) -> None:
        m = self.model
        count, _, width = m.experts
        self._norm(m.feed_forward_norm)
        self._matrix("ffn_gate_inp.weight", count, WIDTH, gain=2, kind=Kind.F32)
        if m.expert_biases:
            self._values("exp_probs_b.bias", random_tensor(self.random, Kind.F32, (count,), 0.1))
        gain = m.expert_gain
        self._matrix("ffn_gate_exps.weight", width, WIDTH, gain=gain, count=count)
        self._matrix("ffn_up_exps.weight", width, WIDTH, gain=gain, count=count)
        self._matrix("ffn_down_exps.weight", WIDTH, width, gain=1.5 / gain**2, count=count)
        if m.product_biases:
            self._values("ffn_gate_inp.bias", random_tensor(self.random, Kind.F32, (count,), 0.25))
            for name, columns in (("gate", width), ("up", width), ("down", WIDTH)):
                values = random_tensor(self.random, Kind.F32, (count, columns), 0.25)
                self._values(f"ffn_{name}_exps.bias", values)
        if m.shared_gate:
            self._values("ffn_gate_inp_shexp.weight", random_tensor(self.random, Kind.F32, (WIDTH,), WIDTH**-0.5))
        if m.shared_expert:
            self._matrix("ffn_gate_shexp.weight", m.shared_expert, WIDTH)
            self._matrix("ffn_up_shexp.weight", m.shared_expert, WIDTH)
            self._matrix("ffn_down_shexp.weight", WIDTH, m.shared_expert, gain=1.5)

    # The random contents of tensors. `gain` is the spread of the product with a row of spread 1.

    prefix = ""

    def _matrix(
        self, name: str, rows: int, columns: int, gain: float = 1, kind: Kind | None = None, count: int = 1
    ) -> None:
        """A matrix, or `count` of them in one tensor, in the model's kind unless another one is told."""
        kind = kind or self.kind
        data = random_tensor(self.random, kind, (count * rows, columns), gain / np.sqrt(columns))
        if self.exact:
            data, kind = quants.dequantize(data, kind), Kind.F32
        if count > 1:
            data = data.reshape(count, rows, -1)
        self.writer.add_tensor(self.prefix + name, data, raw_dtype=kind)

    def _values(self, name: str, values: np.ndarray) -> None:
        self.writer.add_tensor(self.prefix + name, values.astype(np.float32))

    def _norm(self, name: str, width: int = WIDTH, mean: float = 1) -> None:
        # Falcon-H1 has one name without an ending.
        ending = "" if self.model.architecture == "falcon-h1" and name == "ffn_norm" else ".weight"
        self._values(name + ending, random_tensor(self.random, Kind.F32, (width,), mean / 8, mean))

    def _bias(self, name: str, width: int) -> None:
        if name in self.model.biases:
            self._values(name + ".bias", random_tensor(self.random, Kind.F32, (width,), 0.25))


def files(every: bool = False) -> dict[str, tuple[str, Kind, bool]]:
    """File names with the model, the kind, and whether it is the exact twin of a quantised file."""
    all_kinds = [kind.name for kind in (Kind.F16, Kind.BF16, *FORMATS)]
    made = {}
    for name, model in MODELS.items():
        made[f"{name}-F32.gguf"] = (name, Kind.F32, False)
        for kind in all_kinds if every else model.kinds:
            made[f"{name}-{kind}.gguf"] = (name, Kind[kind], False)
            made[f"{name}-{kind}-exact.gguf"] = (name, Kind[kind], True)
    return made


def make(directory: Path, every: bool = False, only: str = "") -> None:
    directory.mkdir(parents=True, exist_ok=True)
    for file, (name, kind, exact) in files(every).items():
        if file.startswith(only):
            TinyModelFile(name, MODELS[name], kind, directory / file, exact)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", type=Path)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--only", default="")
    arguments = parser.parse_args()
    make(arguments.directory, arguments.all, arguments.only)
