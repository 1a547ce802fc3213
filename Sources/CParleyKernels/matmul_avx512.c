// SPDX-License-Identifier: Apache-2.0
//
// Products with quantised matrices, AVX-512 with VNNI. One lane is one row, so the sums of a (row, token) are formed in
// the same order whatever the shape of the work. With few tokens (decoding) memory is the limit: weights go from the
// panel through registers, once. With more, `matmul_chunks_avx512.c` takes over.

#include "kernels_internal.h"

#if PARLEY_X86

#pragma STDC FP_CONTRACT OFF

#include "matmul_avx512.h"

/// How far ahead of their use weights are fetched, in bytes. The parts of a unit are not read in order, which defeats
/// the hardware's own foresight: from memory, this much ahead reads a third faster than none.
#define PREFETCH_DISTANCE 8192

/// One panel by `width` tokens, weights unpacked in registers.
PARLEY_AVX512 PARLEY_INLINE void panel_product(parley_type type, size_t width, const uint8_t *panel,
                                               const void *activations, size_t columns, float *y, size_t y_stride,
                                               __mmask16 rows) {
    const parley_unit_layout layout = parley_unit(type);
    const parley_block_kind kind = parley_kind(type);
    const size_t unit_blocks = layout.columns / PARLEY_BLOCK_COLUMNS, groups = group_count(kind);
    const __m512i shift = _mm512_set1_epi32(offset_shift(type));
    const size_t step = layout.bytes / unit_blocks;
    const uint8_t *ahead = panel + PREFETCH_DISTANCE;
    __m512 acc[PARLEY_TILE_TOKENS];
    UNROLL for (size_t t = 0; t < width; t++) acc[t] = _mm512_setzero_ps();
    for (size_t block = 0; block < columns / PARLEY_BLOCK_COLUMNS; panel += layout.bytes) {
        __m512 d = load_halves_avx512(panel), m = unit_minima_avx512(type, panel);
        KEEP_ROLLED for (size_t s = 0; s < unit_blocks; s++, block++) {
            parley_activation_block x = parley_activations_at(activations, columns, 0, width, block);
            UNROLL for (size_t i = 0; i < step; i += 64) _mm_prefetch((const char *)ahead + i, _MM_HINT_T0);
            ahead += step;
            __m512i q[8];
            unpack_columns_avx512(type, panel + layout.planes + s * layout.plane_bytes, q);
            UNROLL for (size_t h = 0; h < groups; h++) {
                __m512 scale, minimum;
                group_scales_avx512(type, panel, s * groups + h, d, m, &scale, &minimum);
                UNROLL for (size_t t = 0; t < width; t++) {
                    __m512i dot = first_sum(kind, &x, t, h, shift);
                    UNROLL for (size_t g = group_begin(kind, h); g < group_end(kind, h); g++) {
                        dot = _mm512_dpbusd_epi32(dot, q[g], broadcast_columns(&x, width, t, g));
                    }
                    acc[t] = add_group(kind, &x, t, h, dot, scale, minimum, acc[t]);
                }
            }
        }
    }
    UNROLL for (size_t t = 0; t < width; t++) _mm512_mask_storeu_ps(y + t * y_stride, rows, acc[t]);
}

PARLEY_AVX512 PARLEY_INLINE void panel_products(parley_type type, size_t width, const parley_matrix *w,
                                                const void *activations, float *y, size_t y_stride,
                                                size_t panel_begin, size_t panel_end) {
    size_t panel_bytes = parley_panel_bytes(type, w->columns);
    for (size_t p = panel_begin; p < panel_end; p++) {
        const uint8_t *panel = (const uint8_t *)w->panels + p * panel_bytes;
        size_t row = p * PARLEY_PANEL_ROWS;
        panel_product(type, width, panel, activations, w->columns, y + row, y_stride, row_mask(w->rows - row));
    }
}

PARLEY_AVX512 PARLEY_INLINE void few_tokens(parley_type type, const parley_matrix *w, const void *activations,
                                            size_t tokens, float *y, size_t y_stride, size_t begin, size_t end) {
    switch (tokens) {
        case 1: panel_products(type, 1, w, activations, y, y_stride, begin, end); break;
        case 2: panel_products(type, 2, w, activations, y, y_stride, begin, end); break;
        case 3: panel_products(type, 3, w, activations, y, y_stride, begin, end); break;
        case 4: panel_products(type, 4, w, activations, y, y_stride, begin, end); break;
        case 5: panel_products(type, 5, w, activations, y, y_stride, begin, end); break;
        case 6: panel_products(type, 6, w, activations, y, y_stride, begin, end); break;
        default: break;
    }
}

#define FEW_TOKENS(type)                                                                                               \
    case type: few_tokens(type, w, activations, tokens, y, y_stride, panel_begin, panel_end); break

PARLEY_AVX512 void parley_matmul_avx512(const parley_matrix *w, const void *activations, size_t tokens, float *y,
                                        size_t y_stride, size_t panel_begin, size_t panel_end, void *scratch) {
    if (tokens > PARLEY_TILE_TOKENS) {
        parley_matmul_chunks_avx512(w, activations, tokens, y, y_stride, panel_begin, panel_end, scratch);
        return;
    }
    switch (w->type) {
        FEW_TOKENS(PARLEY_Q4_0);
        FEW_TOKENS(PARLEY_Q4_1);
        FEW_TOKENS(PARLEY_Q5_0);
        FEW_TOKENS(PARLEY_Q5_1);
        FEW_TOKENS(PARLEY_Q8_0);
        FEW_TOKENS(PARLEY_Q2_K);
        FEW_TOKENS(PARLEY_Q3_K);
        FEW_TOKENS(PARLEY_Q4_K);
        FEW_TOKENS(PARLEY_Q5_K);
        FEW_TOKENS(PARLEY_Q6_K);
        FEW_TOKENS(PARLEY_IQ4_NL);
        FEW_TOKENS(PARLEY_IQ4_XS);
        default: break;
    }
}

#endif
