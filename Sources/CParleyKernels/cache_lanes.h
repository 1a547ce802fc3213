// SPDX-License-Identifier: Apache-2.0
//
// How keys and values enter the cache, with vectors of sixteen lanes. Included by `attention_lanes.h`.

#ifndef PARLEY_CACHE_LANES_H
#define PARLEY_CACHE_LANES_H

#include "attention.h"
#include "lanes.h"

#pragma STDC FP_CONTRACT OFF

/// Loads up to sixteen numbers and sets the other lanes to zero.
LANES_INLINE f32x16 lanes_load_some(const float *x, size_t count) {
    return count >= 16 ? lanes_load(x) : lanes_load_part(x, count);
}

/// Rounds sixteen numbers to f16, saturating.
LANES_INLINE f16x16 lanes_narrow(f32x16 lanes) {
    lanes = lanes_select(lanes > PARLEY_F16_HIGHEST, (f32x16)(PARLEY_F16_HIGHEST), lanes);
    lanes = lanes_select(lanes < -PARLEY_F16_HIGHEST, (f32x16)(-PARLEY_F16_HIGHEST), lanes);
    return __builtin_convertvector(lanes, f16x16);
}

/// Rounds sixteen numbers times the inverse of their scale to int8; NaN becomes -127.
LANES_INLINE i8x16 lanes_quantize(f32x16 lanes, float inverse) {
    lanes *= inverse;
    lanes = lanes_select(lanes > -127.0f, lanes, (f32x16)(-127.0f));
    lanes = lanes_select(lanes < 127.0f, lanes, (f32x16)(127.0f));
    // The sum rounds to nearest even and has the integer in its low bits.
    return __builtin_convertvector((i32x16)(lanes + 0x1.8p+23f), i8x16);
}

/// Stores numbers of `size` bytes `stride` numbers apart.
LANES_INLINE void scatter(const void *from, size_t count, const size_t size, uint8_t *to, const size_t stride) {
    if (stride == 1 && count == 16) {
        memcpy(to, from, 16 * size);
        return;
    }
    for (size_t i = 0; i < count; i++) memcpy(to + i * stride * size, (const uint8_t *)from + i * size, size);
}

/// Stores the numbers of one position, `stride` apart, in a panel of f16; `panel` points to the first of them.
LANES_INLINE void store_f16(const float *x, size_t width, uint8_t *panel, const size_t stride) {
    for (size_t d = 0; d < width; d += 16) {
        size_t count = smaller(width - d, 16);
        f16x16 halves = lanes_narrow(lanes_load_some(x + d, count));
        scatter(&halves, count, sizeof(uint16_t), panel + d * stride * sizeof(uint16_t), stride);
    }
}

/// Stores the numbers of one position, `stride` apart, in a panel of Q8_0, and the scale of each block of columns, which
/// are 16 apart; `numbers` and `scales` point to the first of them.
LANES_INLINE void store_q8_0(const float *x, size_t width, uint8_t *numbers, const size_t stride, uint8_t *scales) {
    for (size_t begin = 0; begin < width; begin += PARLEY_CACHE_BLOCK) {
        size_t end = smaller(begin + PARLEY_CACHE_BLOCK, width);
        f32x16 highest = (f32x16)(0.0f);
        for (size_t d = begin; d < end; d += 16)
            highest = lanes_max(__builtin_elementwise_abs(lanes_load_some(x + d, end - d)), highest);
        float inverse;
        uint16_t scale = parley_cache_scale(lanes_highest(highest), &inverse);
        memcpy(scales + begin / PARLEY_CACHE_BLOCK * PARLEY_KEY_PANEL * sizeof scale, &scale, sizeof scale);
        for (size_t d = begin; d < end; d += 16) {
            size_t count = smaller(end - d, 16);
            i8x16 bytes = lanes_quantize(lanes_load_some(x + d, count), inverse);
            scatter(&bytes, count, 1, numbers + d * stride, stride);
        }
    }
}

LANES_KERNEL(store_key)(parley_type type, const float *x, size_t head_dim, void *keys, size_t position) {
    uint8_t *panel = (uint8_t *)keys + position / PARLEY_KEY_PANEL * parley_cache_panel_bytes(type, head_dim);
    size_t lane = position % PARLEY_KEY_PANEL;
    if (type == PARLEY_Q8_0) {
        uint8_t *numbers = panel + parley_cache_scale_bytes(type, head_dim) + lane;
        store_q8_0(x, head_dim, numbers, PARLEY_KEY_PANEL, panel + lane * sizeof(uint16_t));
    } else {
        store_f16(x, head_dim, panel + lane * sizeof(uint16_t), PARLEY_KEY_PANEL);
    }
}

LANES_KERNEL(store_value)(parley_type type, const float *x, size_t value_dim, void *values, size_t position) {
    uint8_t *panel = (uint8_t *)values + position / PARLEY_KEY_PANEL * parley_cache_panel_bytes(type, value_dim);
    size_t lane = position % PARLEY_KEY_PANEL;
    if (type == PARLEY_Q8_0) {
        uint8_t *numbers = panel + parley_cache_scale_bytes(type, value_dim) + lane * value_dim;
        store_q8_0(x, value_dim, numbers, 1, panel + lane * sizeof(uint16_t));
    } else {
        store_f16(x, value_dim, panel + lane * value_dim * sizeof(uint16_t), 1);
    }
}

#endif
