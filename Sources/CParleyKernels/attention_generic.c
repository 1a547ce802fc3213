// SPDX-License-Identifier: Apache-2.0
//
// Attention in plain C, one query at a time: the reference, whose bits every other instruction set reproduces.

#include "attention.h"
#include "elementary.h"
#include "kernels_internal.h"

#pragma STDC FP_CONTRACT OFF

size_t parley_attention_scratch_bytes(size_t positions) {
    size_t panels = (positions + PARLEY_KEY_PANEL - 1) / PARLEY_KEY_PANEL;
    return panels * PARLEY_KEY_PANEL * PARLEY_ATTENTION_TILE * sizeof(float);
}

size_t parley_cache_panel_bytes(parley_type type, size_t width) {
    if (type != PARLEY_F16 && type != PARLEY_Q8_0) return 0;
    return parley_cache_scale_bytes(type, width) + width * PARLEY_KEY_PANEL * parley_cached_size(type);
}

static float load_f16(const uint8_t *from) {
    uint16_t half;
    memcpy(&half, from, sizeof half);
    return parley_f16_to_f32(half);
}

/// The number at `index` behind the scales of a panel, without its scale.
static float cached(parley_type type, size_t width, const uint8_t *panel, size_t index) {
    const uint8_t *numbers = panel + parley_cache_scale_bytes(type, width);
    return type == PARLEY_Q8_0 ? (float)(int8_t)numbers[index] : load_f16(numbers + index * sizeof(uint16_t));
}

/// The scale of a panel's numbers of one position, for the block of columns that `column` is in.
static float cached_scale(const uint8_t *panel, size_t column, size_t lane) {
    return load_f16(panel + (column / PARLEY_CACHE_BLOCK * PARLEY_KEY_PANEL + lane) * sizeof(uint16_t));
}

/// q . k for the key at `position`, scaled and capped.
static float score(const parley_attention *a, const float *q, const uint8_t *keys, size_t position) {
    const parley_type type = a->cache_type;
    const size_t width = a->head_dim, lane = position % PARLEY_KEY_PANEL;
    const uint8_t *panel = keys + position / PARLEY_KEY_PANEL * parley_cache_panel_bytes(type, width);
    const size_t block = type == PARLEY_Q8_0 ? PARLEY_CACHE_BLOCK : width;
    float total = 0.0f;
    for (size_t begin = 0; begin < width; begin += block) {
        float sum = 0.0f;
        for (size_t d = begin; d < width && d < begin + block; d++)
            sum = fmaf(q[d], cached(type, width, panel, d * PARLEY_KEY_PANEL + lane), sum);
        total = type == PARLEY_Q8_0 ? fmaf(sum, cached_scale(panel, begin, lane), total) : sum;
    }
    float scaled = total * a->scale;
    return a->softcap == 0.0f ? scaled : a->softcap * parley_tanh(scaled / a->softcap);
}

/// The sum of the values of one column at positions [begin, end) by their weights.
static float weighted_values(const parley_attention *a, const float *weights, const uint8_t *values, size_t column,
                             size_t begin, size_t end) {
    const parley_type type = a->cache_type;
    float sum = 0.0f;
    for (size_t p = begin; p < end; p++) {
        const size_t width = a->value_dim, lane = p % PARLEY_KEY_PANEL;
        const uint8_t *panel = values + p / PARLEY_KEY_PANEL * parley_cache_panel_bytes(type, width);
        float weight = weights[p - begin];
        if (type == PARLEY_Q8_0) weight *= cached_scale(panel, column, lane);
        sum = fmaf(weight, cached(type, width, panel, lane * width + column), sum);
    }
    return sum;
}

static void attend_one(const parley_attention *a, size_t row, size_t head, float *scores) {
    const float *q = a->q + row * a->q_stride + head * a->head_dim;
    float *y = a->y + row * a->y_stride + head * a->value_dim;
    size_t kv_head = head / (a->heads / a->kv_heads);
    const uint8_t *keys = (const uint8_t *)a->keys + kv_head * a->key_stride;
    const uint8_t *values = (const uint8_t *)a->values + kv_head * a->value_stride;
    size_t end = parley_end_visible(a, row);
    size_t begin = parley_first_visible(a, row);

    float sink = parley_sink(a, head), highest = sink;
    for (size_t p = begin; p < end; p++) {
        float s = score(a, q, keys, p);
        if (a->key_bias) s += a->key_bias[p];
        scores[p - begin] = s;
        highest = s > highest ? s : highest;
    }
    float lanes[PARLEY_KEY_PANEL] = {0};
    for (size_t p = begin; p < end; p++) {
        float e = parley_exp(scores[p - begin] - highest);
        scores[p - begin] = e;
        lanes[p % PARLEY_KEY_PANEL] += e;
    }
    float sum = parley_lane_sum(lanes) + parley_exp(sink - highest);
    for (size_t d = 0; d < a->value_dim; d++) y[d] = weighted_values(a, scores, values, d, begin, end) / sum;
}

void parley_attend_generic(const parley_attention *a, size_t row_begin, size_t row_end, size_t head_begin,
                           size_t head_end, void *scratch) {
    for (size_t row = row_begin; row < row_end; row++)
        for (size_t head = head_begin; head < head_end; head++) attend_one(a, row, head, scratch);
}
