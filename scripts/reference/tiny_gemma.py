# SPDX-License-Identifier: Apache-2.0
"""What tiny models of Gemma 3n and 4 have of their own: see tiny_models.py."""

import dataclasses

import gguf
import numpy as np
from blocks import Kind, random_tensor


@dataclasses.dataclass
class Gemma:
    """The options of a Gemma whose layers differ; `head_width` and `key_value_heads` are those of layers with windows."""

    full: tuple[int, ...]  # layers that attend to all positions
    full_head_width: int = 0
    full_key_value_heads: int = 0
    keys_as_values: bool = False  # in the layers that attend to all positions
    shared: int = 0  # the last layers attend to the keys of earlier ones
    layer_embedding: int = 0
    joins_gates: bool = True  # gates and ups of experts are one tensor
    softcap: float = 3
    streams: int = 0  # of AltUp, in Gemma 3n
    sparse: int = 0  # so many layers keep one gate in twenty


def metadata(w: gguf.GGUFWriter, m) -> None:
    g = m.gemma
    slides = [layer not in g.full for layer in range(m.layers)]
    width = g.full_head_width or m.head_width
    w.add_head_count_kv([m.key_value_heads if local else g.full_key_value_heads or m.key_value_heads for local in slides])
    w.add_key_length(width)
    w.add_value_length(width)
    w.add_key_length_swa(m.head_width)
    w.add_value_length_swa(m.head_width)
    w.add_rope_dimension_count(width)
    w.add_rope_dimension_count_swa(m.head_width)
    w.add_rope_freq_base_swa(10_000)
    w.add_sliding_window_pattern(slides)
    w.add_shared_kv_layers(g.shared)
    w.add_embedding_length_per_layer_input(g.layer_embedding)
    w.add_final_logit_softcapping(g.softcap)
    if g.streams:
        w.add_altup_num_inputs(g.streams)
        w.add_altup_active_idx(0)
        w.add_activation_sparsity_scale([1.6448533535003662 if layer < g.sparse else -np.inf for layer in range(m.layers)])


def feed_forward_lengths(m) -> list[int]:
    """In Gemma 4, the layers that attend to the keys of earlier ones are twice as wide."""
    if m.gemma.streams:
        return [m.feed_forward] * m.layers
    return [m.feed_forward * (2 if layer >= m.layers - m.gemma.shared else 1) for layer in range(m.layers)]


def whole_tensors(file) -> None:
    m, g = file.model, file.model.gemma
    pairs = (g.full_head_width or m.head_width) // 2
    if g.streams:
        # Kept in F32, as in published files.
        for name in ("altup_proj.weight", "altup_unembd_proj.weight"):
            floats(file, name, (g.streams - 1, file.width, file.width))
    else:
        file._values("rope_freqs.weight", np.where(np.arange(pairs) < pairs // 4, 1, 1e30))
    if g.layer_embedding:
        width = g.layer_embedding * m.layers
        file._matrix("per_layer_token_embd.weight", file.vocabulary, width, gain=np.sqrt(width / g.layer_embedding))
        file._matrix("per_layer_model_proj.weight", width, file.width)
        file._norm("per_layer_proj_norm", g.layer_embedding)


def layer_tensors(file, layer: int) -> None:
    m, g = file.model, file.model.gemma
    is_full = layer in g.full
    width = g.full_head_width if is_full and g.full_head_width else m.head_width
    heads = g.full_key_value_heads if is_full and g.full_key_value_heads else m.key_value_heads
    file._norm("attn_norm")
    file._matrix("attn_q.weight", m.heads * width, file.width)
    # Scores are not scaled: small norms keep attention from looking at one position alone, where the rounding of an f16
    # cache would show.
    file._norm("attn_q_norm", width, mean=0.15)
    # Files of Gemma 3n have keys and values that are not used too.
    if g.streams or layer < m.layers - g.shared:
        file._matrix("attn_k.weight", heads * width, file.width)
        file._norm("attn_k_norm", width)
        if not (is_full and g.keys_as_values):
            file._matrix("attn_v.weight", heads * width, file.width)
    file._matrix("attn_output.weight", file.width, m.heads * width)
    file._norm("post_attention_norm", mean=0.15)
    columns = feed_forward_lengths(m)[layer]
    file._norm("ffn_norm")
    file._matrix("ffn_gate.weight", columns, file.width)
    file._matrix("ffn_up.weight", columns, file.width)
    file._matrix("ffn_down.weight", file.width, columns)
    if m.experts[0]:
        experts(file)
    file._norm("post_ffw_norm", mean=0.3)
    if g.layer_embedding:
        file._matrix("inp_gate.weight", g.layer_embedding, file.width)
        file._matrix("proj.weight", file.width, g.layer_embedding)
        file._norm("post_norm", mean=0.2)
    if g.streams:
        alt_up(file)
        return
    file._values("layer_output_scale.weight", random_tensor(file.random, Kind.F32, (1,), 0.1, 0.9))


def floats(file, name: str, shape: tuple[int, ...], gain: float = 1) -> None:
    """Matrices that are not quantised in published files either."""
    file._values(name, random_tensor(file.random, Kind.F32, shape, gain / np.sqrt(shape[-1])))


def alt_up(file) -> None:
    """Several hidden states, and the residual layer of low rank."""
    count = file.model.gemma.streams
    file._norm("altup_router_norm")
    # The router's input is divided by its width.
    floats(file, "altup_router.weight", (count, file.width), gain=file.width / 2)
    floats(file, "altup_predict_coef.weight", (count * count, count), gain=0.3)
    floats(file, "altup_correct_coef.weight", (count, count), gain=0.5)
    file._norm("altup_correct_scale")
    floats(file, "laurel_l.weight", (64, file.width))
    floats(file, "laurel_r.weight", (file.width, 64))
    file._norm("laurel_post_norm", mean=0.3)


def experts(file) -> None:
    m = file.model
    count, _, width = m.experts
    file._norm("post_ffw_norm_1", mean=0.7)
    file._norm("pre_ffw_norm_2")
    file._norm("post_ffw_norm_2", mean=0.7)
    # The router's input is divided by the square root of its width.
    floats(file, "ffn_gate_inp.weight", (count, file.width), gain=2 * np.sqrt(file.width))
    file._values("ffn_gate_inp.scale", random_tensor(file.random, Kind.F32, (file.width,), 0.2, 1))
    if m.gemma.joins_gates:
        file._matrix("ffn_gate_up_exps.weight", 2 * width, file.width, count=count)
    else:
        file._matrix("ffn_gate_exps.weight", width, file.width, count=count)
        file._matrix("ffn_up_exps.weight", width, file.width, count=count)
    file._matrix("ffn_down_exps.weight", file.width, width, count=count)
    file._values("ffn_down_exps.scale", random_tensor(file.random, Kind.F32, (count,), 0.25, 1))
