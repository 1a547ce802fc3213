// SPDX-License-Identifier: Apache-2.0
//
// Quantises weights to Q8_0, once when they are loaded. The values become floats exactly, and every step is one operation
// of IEEE arithmetic, so that the bits do not depend on how the compiler vectorises it.

#include <math.h>
#include <string.h>

#include "panel_layout.h"

#pragma STDC FP_CONTRACT OFF

static float value_at(parley_type type, const uint8_t *source, size_t index) {
    if (type == PARLEY_F16) return parley_f16_to_f32(parley_load_u16(source + 2 * index));
    uint32_t bits = type == PARLEY_F32 ? parley_load_u32(source + 4 * index)
                                       : (uint32_t)parley_load_u16(source + 2 * index) << 16;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static void quantize_block(const float *values, uint8_t *target) {
    float highest = 0;
    for (int c = 0; c < PARLEY_BLOCK_COLUMNS; c++) highest = fabsf(values[c]) > highest ? fabsf(values[c]) : highest;
    float scale = highest / 127, inverse = scale > 0 ? 1 / scale : 0;
    // The inverse of a subnormal scale may be infinite; such weights are nothing.
    if (!(inverse <= 3.4e38f)) inverse = 0;
    parley_store_u16(target, parley_f32_to_f16(scale));
    for (int c = 0; c < PARLEY_BLOCK_COLUMNS; c++) {
        float scaled = values[c] * inverse;
        scaled = scaled > -127 ? scaled : -127;
        scaled = scaled < 127 ? scaled : 127;
        target[2 + c] = (uint8_t)(int8_t)rintf(scaled);
    }
}

void parley_quantize_q8_0(parley_type type, const void *source, size_t blocks, void *target) {
    if (type != PARLEY_F32 && type != PARLEY_F16 && type != PARLEY_BF16) return;
    const uint8_t *from = source;
    uint8_t *to = target;
    const size_t bytes = type == PARLEY_F32 ? 4 : 2;
    for (size_t b = 0; b < blocks; b++, from += PARLEY_BLOCK_COLUMNS * bytes, to += 34) {
        float values[PARLEY_BLOCK_COLUMNS];
        for (size_t c = 0; c < PARLEY_BLOCK_COLUMNS; c++) values[c] = value_at(type, from, c);
        quantize_block(values, to);
    }
}
