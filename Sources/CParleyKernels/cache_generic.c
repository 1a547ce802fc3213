// SPDX-License-Identifier: Apache-2.0
//
// How keys and values enter the cache, in plain C: the reference, whose bits every other instruction set reproduces.

#include <math.h>
#include <string.h>

#include "attention.h"
#include "elementary.h"
#include "kernels_internal.h"

#pragma STDC FP_CONTRACT OFF

/// Rounds to nearest even. Too large values and infinities become the largest finite number; NaN stays NaN.
static uint16_t saturated_f16(float x) {
    if (x > PARLEY_F16_HIGHEST) x = PARLEY_F16_HIGHEST;
    if (x < -PARLEY_F16_HIGHEST) x = -PARLEY_F16_HIGHEST;
    return parley_f32_to_f16(x);
}

/// Stores the numbers of one position, `stride` apart, in a panel of f16; `panel` points to the first of them.
static void store_f16(const float *x, size_t width, uint8_t *panel, size_t stride) {
    for (size_t d = 0; d < width; d++) {
        uint16_t half = saturated_f16(x[d]);
        memcpy(panel + d * stride * sizeof half, &half, sizeof half);
    }
}

/// Stores the numbers of one position, `stride` apart, in a panel of Q8_0, and the scale of each block of columns, which
/// are 16 apart; `numbers` and `scales` point to the first of them.
static void store_q8_0(const float *x, size_t width, uint8_t *numbers, size_t stride, uint8_t *scales) {
    for (size_t begin = 0; begin < width; begin += PARLEY_CACHE_BLOCK) {
        size_t end = smaller(begin + PARLEY_CACHE_BLOCK, width);
        float highest = 0;
        for (size_t d = begin; d < end; d++) highest = fabsf(x[d]) > highest ? fabsf(x[d]) : highest;
        float inverse;
        uint16_t scale = parley_cache_scale(highest, &inverse);
        memcpy(scales + begin / PARLEY_CACHE_BLOCK * PARLEY_KEY_PANEL * sizeof scale, &scale, sizeof scale);
        for (size_t d = begin; d < end; d++) {
            float scaled = x[d] * inverse;
            // The comparisons send NaN to -127.
            scaled = scaled > -127 ? scaled : -127;
            scaled = scaled < 127 ? scaled : 127;
            numbers[d * stride] = (uint8_t)(int8_t)rintf(scaled);
        }
    }
}

void parley_unpack_keys(parley_type type, const void *panel, size_t width, float *y) {
    const uint16_t *halves = panel;
    const int8_t *numbers =
        (const int8_t *)(halves + (width + PARLEY_CACHE_BLOCK - 1) / PARLEY_CACHE_BLOCK * PARLEY_KEY_PANEL);
    for (size_t d = 0; d < width; d++) {
        for (size_t lane = 0; lane < PARLEY_KEY_PANEL; lane++) {
            const size_t at = d * PARLEY_KEY_PANEL + lane;
            const uint16_t scale = halves[d / PARLEY_CACHE_BLOCK * PARLEY_KEY_PANEL + lane];
            y[at] = type == PARLEY_F16 ? parley_f16_to_f32(halves[at]) : parley_f16_to_f32(scale) * numbers[at];
        }
    }
}

uint16_t parley_cache_scale(float highest, float *inverse) {
    float scale = highest / 127;
    scale = scale < PARLEY_F16_HIGHEST ? scale : PARLEY_F16_HIGHEST;
    *inverse = scale > 0 ? 1 / scale : 0;
    // The inverse of a subnormal scale may be infinite; such numbers are nothing.
    if (!(*inverse <= 3.4e38f)) *inverse = 0;
    return parley_f32_to_f16(scale);
}

void parley_store_key_generic(parley_type type, const float *x, size_t head_dim, void *keys, size_t position) {
    uint8_t *panel = (uint8_t *)keys + position / PARLEY_KEY_PANEL * parley_cache_panel_bytes(type, head_dim);
    size_t lane = position % PARLEY_KEY_PANEL;
    if (type != PARLEY_Q8_0) return store_f16(x, head_dim, panel + lane * sizeof(uint16_t), PARLEY_KEY_PANEL);
    uint8_t *numbers = panel + parley_cache_scale_bytes(type, head_dim) + lane;
    store_q8_0(x, head_dim, numbers, PARLEY_KEY_PANEL, panel + lane * sizeof(uint16_t));
}

void parley_store_value_generic(parley_type type, const float *x, size_t value_dim, void *values, size_t position) {
    uint8_t *panel = (uint8_t *)values + position / PARLEY_KEY_PANEL * parley_cache_panel_bytes(type, value_dim);
    size_t lane = position % PARLEY_KEY_PANEL;
    if (type != PARLEY_Q8_0) return store_f16(x, value_dim, panel + lane * value_dim * sizeof(uint16_t), 1);
    uint8_t *numbers = panel + parley_cache_scale_bytes(type, value_dim) + lane * value_dim;
    store_q8_0(x, value_dim, numbers, 1, panel + lane * sizeof(uint16_t));
}
