// SPDX-License-Identifier: Apache-2.0
//
// Products with F32, F16 and BF16 matrices, AVX-512: up to four panels by six tokens at a time, so that many chains of
// fused additions are under way.

#include "kernels_internal.h"

#if PARLEY_X86

#pragma STDC FP_CONTRACT OFF

#include "matmul_avx512.h"

#define MOST_PANELS 4
#define PREFETCH_DISTANCE 4096

/// One column of 16 rows.
PARLEY_AVX512 PARLEY_INLINE __m512 load_column(parley_type type, const uint8_t *column) {
    if (type == PARLEY_F32) return _mm512_loadu_ps(column);
    if (type == PARLEY_F16) return load_halves_avx512(column);
    __m256i halves = _mm256_loadu_si256((const __m256i *)(const void *)column);
    return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(halves), 16));
}

PARLEY_AVX512 PARLEY_INLINE void tile_product(parley_type type, size_t panels, size_t width, const parley_matrix *w,
                                              const float *x, size_t x_stride, float *y, size_t y_stride,
                                              size_t first_panel) {
    const size_t panel_bytes = parley_panel_bytes(type, w->columns), panel_column_bytes = type == PARLEY_F32 ? 64 : 32;
    const uint8_t *panel = (const uint8_t *)w->panels + first_panel * panel_bytes;
    __m512 acc[MOST_PANELS][PARLEY_TILE_TOKENS];
    UNROLL for (size_t p = 0; p < panels; p++) {
        UNROLL for (size_t t = 0; t < width; t++) acc[p][t] = _mm512_setzero_ps();
    }
    for (size_t c = 0; c < w->columns; c++) {
        __m512 weights[MOST_PANELS];
        UNROLL for (size_t p = 0; p < panels; p++) {
            const uint8_t *column = panel + p * panel_bytes + c * panel_column_bytes;
            weights[p] = load_column(type, column);
            _mm_prefetch((const char *)column + PREFETCH_DISTANCE, _MM_HINT_T0);
        }
        UNROLL for (size_t t = 0; t < width; t++) {
            __m512 value = _mm512_set1_ps(x[t * x_stride + c]);
            UNROLL for (size_t p = 0; p < panels; p++) acc[p][t] = _mm512_fmadd_ps(weights[p], value, acc[p][t]);
        }
    }
    UNROLL for (size_t p = 0; p < panels; p++) {
        size_t row = (first_panel + p) * PARLEY_PANEL_ROWS;
        UNROLL for (size_t t = 0; t < width; t++) {
            _mm512_mask_storeu_ps(y + t * y_stride + row, row_mask(w->rows - row), acc[p][t]);
        }
    }
}

PARLEY_AVX512 PARLEY_INLINE void widths(parley_type type, size_t panels, size_t width, const parley_matrix *w,
                                        const float *x, size_t x_stride, float *y, size_t y_stride, size_t panel) {
    switch (width) {
        case 1: tile_product(type, panels, 1, w, x, x_stride, y, y_stride, panel); break;
        case 2: tile_product(type, panels, 2, w, x, x_stride, y, y_stride, panel); break;
        case 3: tile_product(type, panels, 3, w, x, x_stride, y, y_stride, panel); break;
        case 4: tile_product(type, panels, 4, w, x, x_stride, y, y_stride, panel); break;
        case 5: tile_product(type, panels, 5, w, x, x_stride, y, y_stride, panel); break;
        case 6: tile_product(type, panels, 6, w, x, x_stride, y, y_stride, panel); break;
        default: break;
    }
}

PARLEY_AVX512 PARLEY_INLINE void product(parley_type type, const parley_matrix *w, const float *x, size_t x_stride,
                                         size_t tokens, float *y, size_t y_stride, size_t begin, size_t end) {
    for (size_t p = begin; p < end;) {
        size_t panels = end - p >= MOST_PANELS ? MOST_PANELS : 1;
        for (size_t tile = 0; tile < parley_tile_count(tokens); tile++) {
            size_t first = parley_tile_begin(tokens, tile), width = parley_tile_begin(tokens, tile + 1) - first;
            const float *tile_x = x + first * x_stride;
            float *tile_y = y + first * y_stride;
            if (panels == MOST_PANELS) {
                widths(type, MOST_PANELS, width, w, tile_x, x_stride, tile_y, y_stride, p);
            } else {
                widths(type, 1, width, w, tile_x, x_stride, tile_y, y_stride, p);
            }
        }
        p += panels;
    }
}

PARLEY_AVX512 void parley_matmul_float_avx512(const parley_matrix *w, const float *x, size_t x_stride, size_t tokens,
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
