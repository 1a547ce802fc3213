// SPDX-License-Identifier: Apache-2.0
//
// Products with quantised matrices, AVX2: the twin of `matmul_avx512.c`, with half a panel to a register.

#include "kernels_internal.h"

#if PARLEY_X86

#pragma STDC FP_CONTRACT OFF

#include "matmul_avx2.h"

/// How far ahead of their use weights are fetched, in bytes.
#define PREFETCH_DISTANCE 8192

/// More tokens than this go through `matmul_chunks_avx2.c`.
#define FEW_TOKENS 4

/// One panel by `width` tokens, weights unpacked in registers.
PARLEY_AVX2 PARLEY_INLINE void panel_product(parley_type type, size_t width, const uint8_t *panel,
                                             const void *activations, size_t columns, float *y, size_t y_stride,
                                             size_t rows) {
    const parley_unit_layout layout = parley_unit(type);
    const block_form form = form_of(type);
    const size_t unit_blocks = layout.columns / PARLEY_BLOCK_COLUMNS, groups = group_count(form);
    const size_t step = layout.bytes / unit_blocks;
    const uint8_t *ahead = panel + PREFETCH_DISTANCE;
    __m256 acc[2][PARLEY_TILE_TOKENS];
    UNROLL for (size_t t = 0; t < width; t++) acc[0][t] = acc[1][t] = _mm256_setzero_ps();
    for (size_t block = 0; block < columns / PARLEY_BLOCK_COLUMNS; panel += layout.bytes) {
        KEEP_ROLLED for (size_t s = 0; s < unit_blocks; s++, block++) {
            parley_activation_block x = parley_activations_at(activations, columns, 0, width, block);
            UNROLL for (size_t i = 0; i < step; i += 64) _mm_prefetch((const char *)ahead + i, _MM_HINT_T0);
            ahead += step;
            UNROLL for (size_t half = 0; half < 2; half++) {
                weight_source w = {type, panel + layout.planes + s * layout.plane_bytes, half};
                UNROLL for (size_t h = 0; h < groups; h++) {
                    __m256 scale, minimum;
                    group_scales_avx2(type, panel, s * groups + h, half, &scale, &minimum);
                    group_product(form, w, width, h, &x, scale, minimum, acc[half]);
                }
            }
        }
    }
    UNROLL for (size_t half = 0; half < 2; half++) {
        UNROLL for (size_t t = 0; t < width; t++) {
            store_rows(y + t * y_stride + 8 * half, rows_of_half(rows, half), acc[half][t]);
        }
    }
}

PARLEY_AVX2 PARLEY_INLINE void panel_products(parley_type type, size_t width, const parley_matrix *w,
                                              const void *activations, float *y, size_t y_stride, size_t panel_begin,
                                              size_t panel_end) {
    size_t panel_bytes = parley_panel_bytes(type, w->columns);
    for (size_t p = panel_begin; p < panel_end; p++) {
        const uint8_t *panel = (const uint8_t *)w->panels + p * panel_bytes;
        size_t row = p * PARLEY_PANEL_ROWS;
        panel_product(type, width, panel, activations, w->columns, y + row, y_stride, w->rows - row);
    }
}

PARLEY_AVX2 PARLEY_INLINE void few_tokens(parley_type type, const parley_matrix *w, const void *activations,
                                          size_t tokens, float *y, size_t y_stride, size_t begin, size_t end) {
    switch (tokens) {
        case 1: panel_products(type, 1, w, activations, y, y_stride, begin, end); break;
        case 2: panel_products(type, 2, w, activations, y, y_stride, begin, end); break;
        case 3: panel_products(type, 3, w, activations, y, y_stride, begin, end); break;
        case 4: panel_products(type, 4, w, activations, y, y_stride, begin, end); break;
        default: break;
    }
}

#define TYPE_CASE(type)                                                                                                \
    case type: few_tokens(type, w, activations, tokens, y, y_stride, panel_begin, panel_end); break

PARLEY_AVX2 void parley_matmul_avx2(const parley_matrix *w, const void *activations, size_t tokens, float *y,
                                    size_t y_stride, size_t panel_begin, size_t panel_end, void *scratch) {
    if (tokens > FEW_TOKENS) {
        parley_matmul_chunks_avx2(w, activations, tokens, y, y_stride, panel_begin, panel_end, scratch);
        return;
    }
    switch (w->type) {
        TYPE_CASE(PARLEY_Q4_0);
        TYPE_CASE(PARLEY_Q4_1);
        TYPE_CASE(PARLEY_Q5_0);
        TYPE_CASE(PARLEY_Q5_1);
        TYPE_CASE(PARLEY_Q8_0);
        TYPE_CASE(PARLEY_Q2_K);
        TYPE_CASE(PARLEY_Q3_K);
        TYPE_CASE(PARLEY_Q4_K);
        TYPE_CASE(PARLEY_Q5_K);
        TYPE_CASE(PARLEY_Q6_K);
        TYPE_CASE(PARLEY_IQ4_NL);
        TYPE_CASE(PARLEY_IQ4_XS);
        default: break;
    }
}

#endif
