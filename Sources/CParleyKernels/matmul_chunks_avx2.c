// SPDX-License-Identifier: Apache-2.0
//
// The steps of `parley_matmul_chunks` for AVX2. A tile is 8 rows by up to 6 tokens.

#include "kernels_internal.h"

#if PARLEY_X86

#pragma STDC FP_CONTRACT OFF

#include "matmul_avx2.h"

PARLEY_AVX2 PARLEY_INLINE void unpack_blocks(parley_type type, const uint8_t *panel, size_t begin, size_t end,
                                             uint8_t *out, size_t stride) {
    const parley_unit_layout layout = parley_unit(type);
    const size_t unit_blocks = layout.columns / PARLEY_BLOCK_COLUMNS, groups = layout.halves ? 2 : 1;
    const uint8_t *unit = panel + begin / unit_blocks * layout.bytes;
    for (size_t block = begin; block < end; unit += layout.bytes) {
        for (size_t s = 0; s < unit_blocks; s++, block++, out += stride) {
            const uint8_t *planes = unit + layout.planes + s * layout.plane_bytes;
            UNROLL for (size_t i = 0; i < 16; i++) {
                _mm256_store_si256((__m256i *)(void *)(out + 32 * i), unpack_columns_avx2(type, planes, i / 2, i % 2));
            }
            UNROLL for (size_t i = 0; i < 2 * groups; i++) {
                __m256 scale, minimum;
                group_scales_avx2(type, unit, s * groups + i / 2, i % 2, &scale, &minimum);
                _mm256_store_ps((float *)(void *)(out + PARLEY_UNPACKED_SCALES + 32 * i), scale);
                _mm256_store_ps((float *)(void *)(out + PARLEY_UNPACKED_MINIMA + 32 * i), minimum);
            }
        }
    }
}

#define UNPACK_BLOCKS(type)                                                                                            \
    case type: unpack_blocks(type, panel, begin, end, out, stride); break

PARLEY_AVX2 static void unpack(parley_type type, const uint8_t *panel, size_t begin, size_t end, uint8_t *out,
                               size_t stride) {
    switch (type) {
        UNPACK_BLOCKS(PARLEY_Q4_0);
        UNPACK_BLOCKS(PARLEY_Q4_1);
        UNPACK_BLOCKS(PARLEY_Q5_0);
        UNPACK_BLOCKS(PARLEY_Q5_1);
        UNPACK_BLOCKS(PARLEY_Q8_0);
        UNPACK_BLOCKS(PARLEY_Q2_K);
        UNPACK_BLOCKS(PARLEY_Q3_K);
        UNPACK_BLOCKS(PARLEY_Q4_K);
        UNPACK_BLOCKS(PARLEY_Q5_K);
        UNPACK_BLOCKS(PARLEY_Q6_K);
        UNPACK_BLOCKS(PARLEY_IQ4_NL);
        UNPACK_BLOCKS(PARLEY_IQ4_XS);
        default: break;
    }
}

/// The `rows` (at most 8) rows of half `half` of the chunk by `width` tokens.
PARLEY_AVX2 PARLEY_INLINE void half_product(block_form form, size_t width, parley_chunk *c, size_t tile_begin,
                                            size_t half, size_t rows) {
    float *y = c->y + tile_begin * c->y_stride + 8 * half;
    const uint8_t *weights = c->weights + half / 2 * PARLEY_UNPACKED_BYTES;
    __m256 acc[PARLEY_TILE_TOKENS];
    UNROLL for (size_t t = 0; t < width; t++) {
        acc[t] = c->begin == 0 ? _mm256_setzero_ps() : load_rows(y + t * c->y_stride, rows);
    }
    for (size_t block = c->begin; block < c->end; block++, weights += c->panels * PARLEY_UNPACKED_BYTES) {
        parley_activation_block x = parley_activations_at(c->activations, c->columns, tile_begin, width, block);
        weight_source w = {c->type, true, weights, half % 2};
        UNROLL for (size_t h = 0; h < group_count(form); h++) {
            const float *scales = (const float *)(const void *)(weights + PARLEY_UNPACKED_SCALES) + 16 * h;
            __m256 scale = _mm256_load_ps(scales + 8 * (half % 2)), minimum = _mm256_setzero_ps();
            if (form.has_minimum) minimum = _mm256_load_ps(scales + 32 + 8 * (half % 2));
            group_product(form, w, width, h, &x, scale, minimum, acc);
        }
    }
    UNROLL for (size_t t = 0; t < width; t++) store_rows(y + t * c->y_stride, rows, acc[t]);
}

PARLEY_AVX2 PARLEY_INLINE void tile_product(block_form form, size_t width, parley_chunk *c, size_t tile_begin) {
    for (size_t half = 0; half < 2 * c->panels && c->rows > 8 * half; half++) {
        half_product(form, width, c, tile_begin, half, rows_of_half(c->rows, half));
        for (size_t block = c->begin; block < c->end; block += 2) parley_prefetch(c);
    }
}

/// More than four tokens make tiles of three to six.
PARLEY_AVX2 PARLEY_INLINE void widths(block_form form, parley_chunk *c, size_t tile_begin, size_t width) {
    switch (width) {
        case 3: tile_product(form, 3, c, tile_begin); break;
        case 4: tile_product(form, 4, c, tile_begin); break;
        case 5: tile_product(form, 5, c, tile_begin); break;
        case 6: tile_product(form, 6, c, tile_begin); break;
        default: break;
    }
}

PARLEY_AVX2 static void product(parley_chunk *c, size_t tile_begin, size_t width) {
    switch (c->type) {
        case PARLEY_Q4_0: widths(form_of(PARLEY_Q4_0), c, tile_begin, width); break;
        case PARLEY_Q4_1:
        case PARLEY_Q4_K: widths(form_of(PARLEY_Q4_K), c, tile_begin, width); break;
        case PARLEY_Q5_0: widths(form_of(PARLEY_Q5_0), c, tile_begin, width); break;
        case PARLEY_Q5_1:
        case PARLEY_Q5_K: widths(form_of(PARLEY_Q5_K), c, tile_begin, width); break;
        case PARLEY_Q8_0:
        case PARLEY_IQ4_NL:
        case PARLEY_IQ4_XS: widths(form_of(PARLEY_Q8_0), c, tile_begin, width); break;
        case PARLEY_Q2_K: widths(form_of(PARLEY_Q2_K), c, tile_begin, width); break;
        case PARLEY_Q3_K: widths(form_of(PARLEY_Q3_K), c, tile_begin, width); break;
        case PARLEY_Q6_K: widths(form_of(PARLEY_Q6_K), c, tile_begin, width); break;
        default: break;
    }
}

void parley_matmul_chunks_avx2(const parley_matrix *w, const void *activations, size_t tokens, float *y,
                               size_t y_stride, size_t panel_begin, size_t panel_end, void *scratch) {
    static const parley_matmul_steps steps = {unpack, product};
    parley_matmul_chunks(&steps, w, activations, tokens, y, y_stride, panel_begin, panel_end, scratch);
}

#endif
