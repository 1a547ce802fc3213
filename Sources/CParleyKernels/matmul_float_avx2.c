// SPDX-License-Identifier: Apache-2.0
//
// Products with F32, F16 and BF16 matrices, AVX2: two panels by up to three tokens or one panel by up to six, so that
// many chains of fused additions are under way.

#include "kernels_internal.h"

#if PARLEY_X86

#pragma STDC FP_CONTRACT OFF

#include "matmul_avx2.h"

#define MOST_PANELS 2
#define PREFETCH_DISTANCE 4096

/// One column of 8 rows.
PARLEY_AVX2 PARLEY_INLINE __m256 load_column(parley_type type, const uint8_t *column) {
    if (type == PARLEY_F32) return _mm256_loadu_ps((const float *)(const void *)column);
    if (type == PARLEY_F16) return load_halves_avx2(column);
    __m128i halves = _mm_loadu_si128((const __m128i *)(const void *)column);
    return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(halves), 16));
}

PARLEY_AVX2 PARLEY_INLINE void tile_product(parley_type type, size_t panels, size_t width, const parley_matrix *w,
                                            const float *x, size_t x_stride, float *y, size_t y_stride,
                                            size_t first_panel) {
    const size_t panel_bytes = parley_panel_bytes(type, w->columns), column_bytes = type == PARLEY_F32 ? 64 : 32;
    const uint8_t *panel = (const uint8_t *)w->panels + first_panel * panel_bytes;
    const size_t halves = 2 * panels;
    __m256 acc[2 * MOST_PANELS][PARLEY_TILE_TOKENS];
    UNROLL for (size_t i = 0; i < halves; i++) {
        UNROLL for (size_t t = 0; t < width; t++) acc[i][t] = _mm256_setzero_ps();
    }
    for (size_t c = 0; c < w->columns; c++) {
        __m256 weights[2 * MOST_PANELS];
        UNROLL for (size_t i = 0; i < halves; i++) {
            const uint8_t *column = panel + i / 2 * panel_bytes + c * column_bytes;
            weights[i] = load_column(type, column + i % 2 * (column_bytes / 2));
            if (i % 2 == 0) _mm_prefetch((const char *)column + PREFETCH_DISTANCE, _MM_HINT_T0);
        }
        UNROLL for (size_t t = 0; t < width; t++) {
            __m256 value = _mm256_set1_ps(x[t * x_stride + c]);
            UNROLL for (size_t i = 0; i < halves; i++) acc[i][t] = _mm256_fmadd_ps(weights[i], value, acc[i][t]);
        }
    }
    UNROLL for (size_t i = 0; i < halves; i++) {
        size_t row = first_panel * PARLEY_PANEL_ROWS + 8 * i;
        UNROLL for (size_t t = 0; t < width; t++) {
            if (row < w->rows) store_rows(y + t * y_stride + row, w->rows - row, acc[i][t]);
        }
    }
}

PARLEY_AVX2 PARLEY_INLINE void one_panel(parley_type type, size_t width, const parley_matrix *w, const float *x,
                                         size_t x_stride, float *y, size_t y_stride, size_t panel) {
    switch (width) {
        case 1: tile_product(type, 1, 1, w, x, x_stride, y, y_stride, panel); break;
        case 2: tile_product(type, 1, 2, w, x, x_stride, y, y_stride, panel); break;
        case 3: tile_product(type, 1, 3, w, x, x_stride, y, y_stride, panel); break;
        case 4: tile_product(type, 1, 4, w, x, x_stride, y, y_stride, panel); break;
        case 5: tile_product(type, 1, 5, w, x, x_stride, y, y_stride, panel); break;
        case 6: tile_product(type, 1, 6, w, x, x_stride, y, y_stride, panel); break;
        default: break;
    }
}

PARLEY_AVX2 PARLEY_INLINE void two_panels(parley_type type, size_t width, const parley_matrix *w, const float *x,
                                          size_t x_stride, float *y, size_t y_stride, size_t panel) {
    switch (width) {
        case 1: tile_product(type, 2, 1, w, x, x_stride, y, y_stride, panel); break;
        case 2: tile_product(type, 2, 2, w, x, x_stride, y, y_stride, panel); break;
        case 3: tile_product(type, 2, 3, w, x, x_stride, y, y_stride, panel); break;
        default: break;
    }
}

PARLEY_AVX2 PARLEY_INLINE void product(parley_type type, const parley_matrix *w, const float *x, size_t x_stride,
                                       size_t tokens, float *y, size_t y_stride, size_t begin, size_t end) {
    size_t p = begin;
    for (; tokens <= 3 && p + 2 <= end; p += 2) two_panels(type, tokens, w, x, x_stride, y, y_stride, p);
    for (; p < end; p++) {
        for (size_t tile = 0; tile < parley_tile_count(tokens); tile++) {
            size_t first = parley_tile_begin(tokens, tile), width = parley_tile_begin(tokens, tile + 1) - first;
            one_panel(type, width, w, x + first * x_stride, x_stride, y + first * y_stride, y_stride, p);
        }
    }
}

PARLEY_AVX2 void parley_matmul_float_avx2(const parley_matrix *w, const float *x, size_t x_stride, size_t tokens,
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
