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

/// q . k for the key at `position`, scaled and capped.
static float score(const parley_attention *a, const float *q, const uint16_t *keys, size_t position) {
    size_t panel = position / PARLEY_KEY_PANEL, lane = position % PARLEY_KEY_PANEL;
    const uint16_t *column = keys + panel * a->head_dim * PARLEY_KEY_PANEL + lane;
    float sum = 0.0f;
    for (size_t d = 0; d < a->head_dim; d++) sum = fmaf(q[d], parley_f16_to_f32(column[d * PARLEY_KEY_PANEL]), sum);
    float scaled = sum * a->scale;
    return a->softcap == 0.0f ? scaled : a->softcap * parley_tanh(scaled / a->softcap);
}

static void attend_one(const parley_attention *a, size_t row, size_t head, float *scores) {
    const float *q = a->q + row * a->q_stride + head * a->head_dim;
    float *y = a->y + row * a->y_stride + head * a->value_dim;
    size_t kv_head = head / (a->heads / a->kv_heads);
    const uint16_t *keys = a->keys + kv_head * a->key_stride;
    const uint16_t *values = a->values + kv_head * a->value_stride;
    size_t end = parley_end_visible(a, row);
    size_t begin = parley_first_visible(a, row);

    float highest = -INFINITY;
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
    float sum = parley_lane_sum(lanes);
    for (size_t d = 0; d < a->value_dim; d++) {
        float weighted = 0.0f;
        for (size_t p = begin; p < end; p++)
            weighted = fmaf(scores[p - begin], parley_f16_to_f32(values[p * a->value_dim + d]), weighted);
        y[d] = weighted / sum;
    }
}

void parley_attend_generic(const parley_attention *a, size_t row_begin, size_t row_end, size_t head_begin,
                           size_t head_end, void *scratch) {
    for (size_t row = row_begin; row < row_end; row++)
        for (size_t head = head_begin; head < head_end; head++) attend_one(a, row, head, scratch);
}
