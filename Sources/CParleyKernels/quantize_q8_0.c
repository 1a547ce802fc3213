// SPDX-License-Identifier: Apache-2.0
//
// Quantises weights to Q8_0, once when they are loaded. The values become floats exactly, and every step is one operation
// of IEEE arithmetic, so that the bits do not depend on how the compiler vectorises it.

#include <math.h>
#include <string.h>

#include "panel_layout.h"

#pragma STDC FP_CONTRACT OFF

void parley_load_floats(parley_type type, const uint8_t *source, size_t count, float *values) {
    if (type == PARLEY_F32) {
        memcpy(values, source, count * sizeof *values);
        return;
    }
    // Halves are widened by moving their bits and a multiplication that is exact, in a loop that any instruction set
    // vectorises.
    for (size_t c = 0; c < count; c++) {
        const uint32_t half = parley_load_u16(source + 2 * c);
        const uint32_t bits = type == PARLEY_BF16 ? half << 16 : (half & 0x8000) << 16 | (half & 0x7fff) << 13;
        memcpy(values + c, &bits, sizeof bits);
        if (type == PARLEY_F16) values[c] *= 0x1p112f;
    }
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
        // The sum rounds to nearest even and has the integer in its low bits, without a call for each value.
        float shifted = scaled + 0x1.8p+23f;
        uint32_t bits;
        memcpy(&bits, &shifted, sizeof bits);
        target[2 + c] = (uint8_t)bits;
    }
}

void parley_quantize_q8_0(parley_type type, const void *source, size_t blocks, void *target) {
    if (type != PARLEY_F32 && type != PARLEY_F16 && type != PARLEY_BF16) return;
    const uint8_t *from = source;
    uint8_t *to = target;
    const size_t bytes = type == PARLEY_F32 ? 4 : 2;
    for (size_t b = 0; b < blocks; b++, from += PARLEY_BLOCK_COLUMNS * bytes, to += 34) {
        float values[PARLEY_BLOCK_COLUMNS];
        parley_load_floats(type, from, PARLEY_BLOCK_COLUMNS, values);
        quantize_block(values, to);
    }
}
