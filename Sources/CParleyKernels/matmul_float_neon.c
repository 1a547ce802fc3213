// SPDX-License-Identifier: Apache-2.0
//
// Products with F32, F16 and BF16 matrices, NEON: one panel by up to six tokens at a time.

#include "kernels_internal.h"

#if PARLEY_ARM

#pragma STDC FP_CONTRACT OFF

#include "matmul_neon.h"

/// Rows 4 * quarter.. of one column.
PARLEY_NEON PARLEY_INLINE float32x4_t load_column(parley_type type, const uint8_t *column, size_t quarter) {
    if (type == PARLEY_F32) return vld1q_f32((const float *)(const void *)column + 4 * quarter);
    if (type == PARLEY_F16) return load_halves_neon(column + 8 * quarter);
    uint16x4_t halves = vreinterpret_u16_u8(vld1_u8(column + 8 * quarter));
    return vreinterpretq_f32_u32(vshll_n_u16(halves, 16));
}

PARLEY_NEON PARLEY_INLINE void tile_product(parley_type type, size_t width, const parley_matrix *w, const float *x,
                                            size_t x_stride, float *y, size_t y_stride, size_t p) {
    const uint8_t *column = (const uint8_t *)w->panels + p * parley_panel_bytes(type, w->columns);
    const size_t column_bytes = type == PARLEY_F32 ? 64 : 32, rows = w->rows - p * PARLEY_PANEL_ROWS;
    float32x4_t acc[4][PARLEY_TILE_TOKENS];
    UNROLL for (size_t i = 0; i < 4; i++) {
        UNROLL for (size_t t = 0; t < width; t++) acc[i][t] = vdupq_n_f32(0);
    }
    for (size_t c = 0; c < w->columns; c++, column += column_bytes) {
        float32x4_t weights[4];
        UNROLL for (size_t i = 0; i < 4; i++) weights[i] = load_column(type, column, i);
        UNROLL for (size_t t = 0; t < width; t++) {
            float value = x[t * x_stride + c];
            UNROLL for (size_t i = 0; i < 4; i++) acc[i][t] = vfmaq_n_f32(acc[i][t], weights[i], value);
        }
    }
    UNROLL for (size_t i = 0; i < 4; i++) {
        UNROLL for (size_t t = 0; t < width; t++) {
            store_rows(y + t * y_stride + p * PARLEY_PANEL_ROWS + 4 * i, rows_of_quarter(rows, i), acc[i][t]);
        }
    }
}

PARLEY_NEON PARLEY_INLINE void widths(parley_type type, size_t width, const parley_matrix *w, const float *x,
                                      size_t x_stride, float *y, size_t y_stride, size_t p) {
    switch (width) {
        case 1: tile_product(type, 1, w, x, x_stride, y, y_stride, p); break;
        case 2: tile_product(type, 2, w, x, x_stride, y, y_stride, p); break;
        case 3: tile_product(type, 3, w, x, x_stride, y, y_stride, p); break;
        case 4: tile_product(type, 4, w, x, x_stride, y, y_stride, p); break;
        case 5: tile_product(type, 5, w, x, x_stride, y, y_stride, p); break;
        case 6: tile_product(type, 6, w, x, x_stride, y, y_stride, p); break;
        default: break;
    }
}

PARLEY_NEON PARLEY_INLINE void product(parley_type type, const parley_matrix *w, const float *x, size_t x_stride,
                                       size_t tokens, float *y, size_t y_stride, size_t begin, size_t end) {
    for (size_t p = begin; p < end; p++) {
        for (size_t tile = 0; tile < parley_tile_count(tokens); tile++) {
            size_t first = parley_tile_begin(tokens, tile), width = parley_tile_begin(tokens, tile + 1) - first;
            widths(type, width, w, x + first * x_stride, x_stride, y + first * y_stride, y_stride, p);
        }
    }
}

PARLEY_NEON void parley_matmul_float_neon(const parley_matrix *w, const float *x, size_t x_stride, size_t tokens,
                                          float *y, size_t y_stride, size_t panel_begin, size_t panel_end,
                                          void *scratch) {
    (void)scratch;
    switch (w->type) {
        case PARLEY_F32: product(PARLEY_F32, w, x, x_stride, tokens, y, y_stride, panel_begin, panel_end); break;
        case PARLEY_F16: product(PARLEY_F16, w, x, x_stride, tokens, y, y_stride, panel_begin, panel_end); break;
        case PARLEY_BF16: product(PARLEY_BF16, w, x, x_stride, tokens, y, y_stride, panel_begin, panel_end); break;
        default: break;
    }
}

#endif
