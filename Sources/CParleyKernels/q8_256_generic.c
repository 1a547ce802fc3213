// SPDX-License-Identifier: Apache-2.0
//
// PARLEY_Q8_256: packing, which is the same for every instruction set, and the readable reference of its products.

#include <math.h>
#include <string.h>

#include "panel_layout.h"
#include "q8_256_layout.h"

#pragma STDC FP_CONTRACT OFF

size_t parley_q8_256_activation_bytes(size_t tokens, size_t columns) {
    size_t bytes;
    if (tokens > SIZE_MAX / (2 * PARLEY_GROUP_COLUMNS)) return 0;
    const size_t group = parley_activation_group_bytes(tokens, PARLEY_GROUP_COLUMNS);
    return __builtin_mul_overflow(parley_group_count(columns), group, &bytes) ? 0 : bytes;
}

/// The numbers of a group: x * (1 / scale) rounded to nearest, ties to even, and zeros up to the group's width. NaN becomes
/// -127.
PARLEY_INLINE void quantize_group(const float *x, size_t count, size_t width, int8_t *q, float *scale, int32_t *start) {
    float highest = 0;
    for (size_t c = 0; c < count; c++) highest = fabsf(x[c]) > highest ? fabsf(x[c]) : highest;
    const parley_group_factors factors = parley_factors_of(highest);
    int32_t sum = 0;
    for (size_t c = 0; c < count; c++) {
        float scaled = x[c] * factors.inverse;
        scaled = scaled > -127 ? scaled : -127;
        scaled = scaled < 127 ? scaled : 127;
        // The sum rounds to nearest even and has the integer in its low bits, without a call for each number.
        const float shifted = scaled + 0x1.8p+23f;
        uint32_t bits;
        memcpy(&bits, &shifted, sizeof bits);
        q[c] = (int8_t)(uint8_t)bits;
        sum += q[c];
    }
    memset(q + count, 0, width - count);
    *scale = factors.scale;
    *start = -PARLEY_GROUP_OFFSET * sum;
}

#define LANES_KERNEL(operation) void parley_##operation##_generic

#include "q8_256_quantize_lanes.h"

void parley_matmul_q8_256_generic(const parley_matrix *w, const void *activations, size_t tokens, float *y,
                                  size_t y_stride, size_t panel_begin, size_t panel_end, void *scratch) {
    (void)scratch;
    const size_t panel_bytes = parley_panel_bytes(PARLEY_Q8_256, w->columns);
    const size_t row_end = panel_end * PARLEY_PANEL_ROWS < w->rows ? panel_end * PARLEY_PANEL_ROWS : w->rows;
    for (size_t row = panel_begin * PARLEY_PANEL_ROWS; row < row_end; row++) {
        const uint8_t *panel = (const uint8_t *)w->panels + row / PARLEY_PANEL_ROWS * panel_bytes;
        const size_t lane = row % PARLEY_PANEL_ROWS;
        for (size_t t = 0; t < tokens; t++) {
            float acc = 0;
            for (size_t g = 0; g < parley_group_count(w->columns); g++) {
                const parley_activation_group x = parley_activation_group_at(activations, tokens, w->columns, g);
                const uint8_t *q = panel + g * PARLEY_PANEL_GROUP_BYTES;
                int32_t dot = x.start[t];
                for (size_t c = 0; c < x.width; c++) {
                    dot += q[c / 4 * 64 + 4 * lane + c % 4] * x.q[t * x.width + c];
                }
                acc = fmaf((float)dot, parley_group_scales(q, x.width)[lane] * x.scale[t], acc);
            }
            y[t * y_stride + row] = acc;
        }
    }
}

/// Writes a group of row `lane` of a panel: the numbers, of which `count` exist, and the scale.
static void store_group(const float *x, size_t count, size_t width, size_t lane, uint8_t *out) {
    int8_t q[PARLEY_GROUP_COLUMNS];
    float scale;
    int32_t start;
    quantize_group(x, count, width, q, &scale, &start);
    for (size_t c = 0; c < width; c += 4) {
        uint32_t four;
        memcpy(&four, q + c, sizeof four);
        parley_store_u32(out + c * PARLEY_PANEL_ROWS + 4 * lane, four ^ 0x80808080);
    }
    memcpy(out + PARLEY_PANEL_ROWS * width + sizeof scale * lane, &scale, sizeof scale);
}

void parley_pack_q8_256(parley_type type, const void *source, size_t stride, size_t rows, size_t columns, void *panels,
                        size_t panel_begin, size_t panel_end) {
    const size_t panel_bytes = parley_panel_bytes(PARLEY_Q8_256, columns), size = type == PARLEY_F32 ? 4 : 2;
    if (type != PARLEY_F32 && type != PARLEY_F16 && type != PARLEY_BF16) return;
    float values[PARLEY_GROUP_COLUMNS];
    for (size_t p = panel_begin; p < panel_end; p++) {
        for (size_t g = 0; g < parley_group_count(columns); g++) {
            uint8_t *out = (uint8_t *)panels + p * panel_bytes + g * PARLEY_PANEL_GROUP_BYTES;
            const size_t width = parley_group_width(columns, g), count = parley_group_columns(columns, g);
            for (size_t lane = 0; lane < PARLEY_PANEL_ROWS; lane++) {
                const size_t row = p * PARLEY_PANEL_ROWS + lane;
                const uint8_t *from = (const uint8_t *)source + (row * stride + g * PARLEY_GROUP_COLUMNS) * size;
                if (row < rows) parley_load_floats(type, from, count, values);
                store_group(values, row < rows ? count : 0, width, lane, out);
            }
        }
    }
}

void parley_pack_q8_256_transposed(const float *x, size_t stride, size_t rows, size_t columns, void *panels,
                                   size_t group_begin, size_t group_end) {
    const size_t panel_bytes = parley_panel_bytes(PARLEY_Q8_256, rows);
    float values[PARLEY_PANEL_ROWS][PARLEY_GROUP_COLUMNS];
    for (size_t g = group_begin; g < group_end; g++) {
        const size_t width = parley_group_width(rows, g), count = parley_group_columns(rows, g);
        for (size_t p = 0; p < (columns + PARLEY_PANEL_ROWS - 1) / PARLEY_PANEL_ROWS; p++) {
            const size_t first = p * PARLEY_PANEL_ROWS;
            const size_t lanes = columns - first < PARLEY_PANEL_ROWS ? columns - first : PARLEY_PANEL_ROWS;
            for (size_t c = 0; c < count; c++) {
                const float *from = x + (g * PARLEY_GROUP_COLUMNS + c) * stride + first;
                for (size_t lane = 0; lane < lanes; lane++) values[lane][c] = from[lane];
            }
            uint8_t *out = (uint8_t *)panels + p * panel_bytes + g * PARLEY_PANEL_GROUP_BYTES;
            for (size_t lane = 0; lane < PARLEY_PANEL_ROWS; lane++) {
                store_group(values[lane], lane < lanes ? count : 0, width, lane, out);
            }
        }
    }
}

void parley_unpack_q8_256_row(const parley_matrix *w, size_t row, float *y) {
    const size_t panel_bytes = parley_panel_bytes(PARLEY_Q8_256, w->columns), lane = row % PARLEY_PANEL_ROWS;
    const uint8_t *panel = (const uint8_t *)w->panels + row / PARLEY_PANEL_ROWS * panel_bytes;
    for (size_t c = 0; c < w->columns; c++) {
        const size_t g = c / PARLEY_GROUP_COLUMNS, column = c % PARLEY_GROUP_COLUMNS;
        const uint8_t *q = panel + g * PARLEY_PANEL_GROUP_BYTES;
        const int number = q[column / 4 * 64 + 4 * lane + column % 4] - PARLEY_GROUP_OFFSET;
        y[c] = (float)number * parley_group_scales(q, parley_group_width(w->columns, g))[lane];
    }
}
