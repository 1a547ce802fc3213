// SPDX-License-Identifier: Apache-2.0
//
// Quantises weights to Q8_0, once when they are loaded. The values become floats exactly, and every step is one operation
// of IEEE arithmetic, so that the bits do not depend on how the compiler vectorises it.

#include <math.h>
#include <string.h>

#include "panel_layout.h"

#pragma STDC FP_CONTRACT OFF

/// Reads a block of values as floats. Halves are widened by moving their bits and a multiplication that is exact, in a loop
/// that any instruction set vectorises; infinite ones become 65536, for no weight is infinite.
static void load_block(parley_type type, const uint8_t *source, float *values) {
    if (type == PARLEY_F32) {
        memcpy(values, source, PARLEY_BLOCK_COLUMNS * sizeof *values);
        return;
    }
    uint16_t halves[PARLEY_BLOCK_COLUMNS];
    uint32_t bits[PARLEY_BLOCK_COLUMNS];
    memcpy(halves, source, sizeof halves);
    if (type == PARLEY_BF16) {
        for (int c = 0; c < PARLEY_BLOCK_COLUMNS; c++) bits[c] = (uint32_t)halves[c] << 16;
        memcpy(values, bits, sizeof bits);
        return;
    }
    for (int c = 0; c < PARLEY_BLOCK_COLUMNS; c++) {
        bits[c] = (uint32_t)(halves[c] & 0x8000) << 16 | (uint32_t)(halves[c] & 0x7fff) << 13;
    }
    memcpy(values, bits, sizeof bits);
    for (int c = 0; c < PARLEY_BLOCK_COLUMNS; c++) values[c] *= 0x1p112f;
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
        load_block(type, from, values);
        quantize_block(values, to);
    }
}

void parley_pack_rows_q8_0(const float *x, size_t x_stride, size_t rows, size_t columns, void *panels,
                           size_t panel_begin, size_t panel_end) {
    const size_t panel_bytes = parley_panel_bytes(PARLEY_Q8_0, columns), unit = parley_unit(PARLEY_Q8_0).bytes;
    uint8_t block[34];
    for (size_t p = panel_begin; p < panel_end; p++) {
        uint8_t *panel = (uint8_t *)panels + p * panel_bytes;
        for (size_t lane = 0; lane < PARLEY_PANEL_ROWS; lane++) {
            const size_t row = p * PARLEY_PANEL_ROWS + lane;
            for (size_t b = 0; b < columns / PARLEY_BLOCK_COLUMNS; b++) {
                if (row < rows) quantize_block(x + row * x_stride + b * PARLEY_BLOCK_COLUMNS, block);
                else memset(block, 0, sizeof block);
                parley_pack_block(PARLEY_Q8_0, block, lane, panel + b * unit);
            }
        }
    }
}

void parley_pack_columns_q8_0(const float *x, size_t x_stride, size_t rows, size_t columns, size_t capacity,
                              void *panels, size_t block_begin, size_t block_end) {
    const size_t panel_bytes = parley_panel_bytes(PARLEY_Q8_0, capacity), unit = parley_unit(PARLEY_Q8_0).bytes;
    float values[PARLEY_PANEL_ROWS][PARLEY_BLOCK_COLUMNS];
    uint8_t block[34];
    for (size_t b = block_begin; b < block_end; b++) {
        for (size_t p = 0; p < columns / PARLEY_PANEL_ROWS; p++) {
            for (size_t c = 0; c < PARLEY_BLOCK_COLUMNS; c++) {
                const size_t row = b * PARLEY_BLOCK_COLUMNS + c;
                for (size_t lane = 0; lane < PARLEY_PANEL_ROWS; lane++) {
                    values[lane][c] = row < rows ? x[row * x_stride + p * PARLEY_PANEL_ROWS + lane] : 0;
                }
            }
            uint8_t *panel = (uint8_t *)panels + p * panel_bytes + b * unit;
            for (size_t lane = 0; lane < PARLEY_PANEL_ROWS; lane++) {
                quantize_block(values[lane], block);
                parley_pack_block(PARLEY_Q8_0, block, lane, panel);
            }
        }
    }
}
