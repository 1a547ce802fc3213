// SPDX-License-Identifier: Apache-2.0
//
// The steps of `parley_matmul_chunks` for AVX2: one pair of functions for weights of up to 7 bits, unpacked to 8 bits,
// and one for weights of 8 bits, unpacked to 16 bits.

#include "kernels_internal.h"

#if PARLEY_X86

#pragma STDC FP_CONTRACT OFF

#include "matmul_tile_avx2.h"

#define LANES_FORM block_form
#define LANES_UNPACKED_BYTES(form) ((form).bits == 8 ? WIDE_BYTES : PARLEY_UNPACKED_BYTES)

/// Unpacks block `s` of a unit to the layout of `matmul_chunks.h`, or to the 16-bit layout of `matmul_tile_avx2.h`.
LANES_INLINE void unpack_block(parley_type type, const uint8_t *unit, size_t s, uint8_t *out) {
    const parley_unit_layout layout = parley_unit(type);
    const bool wide = form_of(type).bits == 8;
    UNROLL for (size_t i = 0; i < 16; i++) {
        const __m256i q = unpack_columns(type, unit + layout.planes + s * layout.plane_bytes, i / 2, i % 2);
        uint8_t *to = out + (wide ? 128 : 64) * (i / 2) + 32 * (i % 2);
        _mm256_store_si256((__m256i *)(void *)to, wide ? widen_columns(q, 0) : q);
        if (wide) _mm256_store_si256((__m256i *)(void *)(to + 64), widen_columns(q, 1));
    }
    unpack_factors(type, unit, s, out + (wide ? WIDE_SCALES : PARLEY_UNPACKED_SCALES));
}

LANES_INLINE void bytes_product(block_form form, size_t width, parley_chunk *c, size_t tile_begin) {
    for (size_t panel = 0; panel < c->panels; panel++) {
        const uint8_t *weights = c->weights + panel * PARLEY_UNPACKED_BYTES;
        const size_t rows = c->rows - PARLEY_PANEL_ROWS * panel;
        float *y = c->y + tile_begin * c->y_stride + PARLEY_PANEL_ROWS * panel;
        tile_sums sums;
        load_sums(c, width, y, rows, &sums);
        for (size_t block = c->begin; block < c->end; block++, weights += c->panels * PARLEY_UNPACKED_BYTES) {
            const parley_activation_block x =
                parley_activations_at(c->activations, c->columns, tile_begin, width, block);
            if (panel == 0) parley_prefetch(c);
            UNROLL for (size_t h = 0; h < group_count(form.kind); h++) bytes_group(form, width, h, weights, &x, &sums);
        }
        store_sums(c, width, y, rows, &sums);
    }
}

LANES_INLINE void words_product(block_form form, size_t width, parley_chunk *c, size_t tile_begin) {
    _Alignas(32) int16_t wide[WIDE_BLOCKS][PARLEY_TILE_TOKENS * PARLEY_BLOCK_COLUMNS];
    for (size_t block = c->begin; block < c->end; block++) {
        const parley_activation_block x = parley_activations_at(c->activations, c->columns, tile_begin, width, block);
        widen_block(&x, width, wide[block - c->begin]);
    }
    for (size_t panel = 0; panel < c->panels; panel++) {
        const uint8_t *weights = c->weights + panel * WIDE_BYTES;
        const size_t rows = c->rows - PARLEY_PANEL_ROWS * panel;
        float *y = c->y + tile_begin * c->y_stride + PARLEY_PANEL_ROWS * panel;
        tile_sums sums;
        load_sums(c, width, y, rows, &sums);
        for (size_t block = c->begin; block < c->end; block++, weights += c->panels * WIDE_BYTES) {
            const parley_activation_block x =
                parley_activations_at(c->activations, c->columns, tile_begin, width, block);
            if (panel == 0) parley_prefetch(c);
            words_block(form, width, weights, wide[block - c->begin], &x, &sums);
        }
        store_sums(c, width, y, rows, &sums);
    }
}

LANES_INLINE void tile_product(block_form form, size_t width, parley_chunk *c, size_t tile_begin) {
    if (form.bits == 8) {
        words_product(form, width, c, tile_begin);
    } else {
        bytes_product(form, width, c, tile_begin);
    }
}

#include "matmul_chunks_lanes.h"

LANES_TARGET static void product(parley_chunk *c, size_t tile_begin, size_t width) {
    switch (c->type) {
        case PARLEY_Q4_0: widths(form_of(PARLEY_Q4_0), c, tile_begin, width); break;
        case PARLEY_Q4_1:
        case PARLEY_Q4_K: widths(form_of(PARLEY_Q4_K), c, tile_begin, width); break;
        case PARLEY_Q5_0:
        case PARLEY_MXFP4: widths(form_of(PARLEY_Q5_0), c, tile_begin, width); break;
        case PARLEY_Q5_1:
        case PARLEY_Q5_K: widths(form_of(PARLEY_Q5_K), c, tile_begin, width); break;
        case PARLEY_Q8_0:
        case PARLEY_IQ4_NL:
        case PARLEY_IQ4_XS: widths(form_of(PARLEY_Q8_0), c, tile_begin, width); break;
        case PARLEY_Q2_K: widths(form_of(PARLEY_Q2_K), c, tile_begin, width); break;
        case PARLEY_Q3_K: widths(form_of(PARLEY_Q3_K), c, tile_begin, width); break;
        case PARLEY_Q6_K: widths(form_of(PARLEY_Q6_K), c, tile_begin, width); break;
        case PARLEY_IQ2_XXS:
        case PARLEY_IQ3_XXS:
        case PARLEY_IQ3_S: widths(form_of(PARLEY_IQ3_S), c, tile_begin, width); break;
        case PARLEY_IQ2_XS: widths(form_of(PARLEY_IQ2_XS), c, tile_begin, width); break;
        default: break;
    }
}

void parley_matmul_chunks_avx2(const parley_matrix *w, const void *activations, size_t tokens, float *y,
                               size_t y_stride, size_t panel_begin, size_t panel_end, void *scratch) {
    const block_form form = form_of(parley_panel_type(w->type));
    const parley_matmul_steps steps = {LANES_UNPACKED_BYTES(form), PARLEY_TILE_TOKENS, unpack, product};
    parley_matmul_chunks(&steps, w, activations, tokens, y, y_stride, panel_begin, panel_end, scratch);
}

#endif
