// SPDX-License-Identifier: Apache-2.0
//
// The steps of `parley_matmul_chunks` for AVX-512 with VNNI. The tile of 32 rows by 6 tokens keeps 12 integer and 12
// float accumulators in registers.

#include "kernels_internal.h"

#if PARLEY_X86

#pragma STDC FP_CONTRACT OFF

#include "matmul_avx512.h"

PARLEY_AVX512 PARLEY_INLINE void unpack_blocks(parley_type type, const uint8_t *panel, size_t begin, size_t end,
                                               uint8_t *out, size_t stride) {
    const parley_unit_layout layout = parley_unit(type);
    const size_t unit_blocks = layout.columns / PARLEY_BLOCK_COLUMNS, groups = layout.halves ? 2 : 1;
    const uint8_t *unit = panel + begin / unit_blocks * layout.bytes;
    for (size_t block = begin; block < end; unit += layout.bytes) {
        __m512 d = load_halves_avx512(unit), m = unit_minima_avx512(type, unit);
        for (size_t s = 0; s < unit_blocks; s++, block++, out += stride) {
            __m512i q[8];
            unpack_columns_avx512(type, unit + layout.planes + s * layout.plane_bytes, q);
            UNROLL for (int g = 0; g < 8; g++) _mm512_store_si512(out + 64 * g, q[g]);
            UNROLL for (size_t h = 0; h < groups; h++) {
                __m512 scale, minimum;
                group_scales_avx512(type, unit, s * groups + h, d, m, &scale, &minimum);
                _mm512_store_ps(out + PARLEY_UNPACKED_SCALES + 64 * h, scale);
                if (layout.has_minimum) _mm512_store_ps(out + PARLEY_UNPACKED_MINIMA + 64 * h, minimum);
            }
        }
    }
}

#define UNPACK_BLOCKS(type)                                                                                            \
    case type: unpack_blocks(type, panel, begin, end, out, stride); break

PARLEY_AVX512 static void unpack(parley_type type, const uint8_t *panel, size_t begin, size_t end, uint8_t *out,
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

/// One group of columns of a block: `panels` unpacked panels by `width` tokens.
PARLEY_AVX512 PARLEY_INLINE void group_product(parley_block_kind kind, size_t panels, size_t width, size_t h,
                                               const uint8_t *weights, const parley_activation_block *x,
                                               __m512i shift, __m512 acc[2][PARLEY_TILE_TOKENS]) {
    __m512i dot[2][PARLEY_TILE_TOKENS];
    UNROLL for (size_t t = 0; t < width; t++) {
        UNROLL for (size_t p = 0; p < panels; p++) dot[p][t] = first_sum(kind, x, t, h, shift);
    }
    UNROLL for (size_t g = group_begin(kind, h); g < group_end(kind, h); g++) {
        __m512i q[2];
        UNROLL for (size_t p = 0; p < panels; p++) {
            q[p] = _mm512_load_si512(weights + p * PARLEY_UNPACKED_BYTES + 64 * g);
        }
        UNROLL for (size_t t = 0; t < width; t++) {
            __m512i four = broadcast_columns(x, width, t, g);
            UNROLL for (size_t p = 0; p < panels; p++) dot[p][t] = _mm512_dpbusd_epi32(dot[p][t], q[p], four);
        }
    }
    UNROLL for (size_t p = 0; p < panels; p++) {
        const uint8_t *block = weights + p * PARLEY_UNPACKED_BYTES + 64 * h;
        __m512 scale = _mm512_load_ps(block + PARLEY_UNPACKED_SCALES), minimum = _mm512_setzero_ps();
        if (kind.has_minimum) minimum = _mm512_load_ps(block + PARLEY_UNPACKED_MINIMA);
        UNROLL for (size_t t = 0; t < width; t++) {
            acc[p][t] = add_group(kind, x, t, h, dot[p][t], scale, minimum, acc[p][t]);
        }
    }
}

PARLEY_AVX512 PARLEY_INLINE void tile_product(parley_block_kind kind, size_t panels, size_t width, parley_chunk *c,
                                              size_t tile_begin) {
    const __m512i shift = _mm512_set1_epi32(offset_shift(c->type));
    const __mmask16 rows[2] = {row_mask(c->rows), row_mask(c->rows > 16 ? c->rows - 16 : 0)};
    float *y = c->y + tile_begin * c->y_stride;
    __m512 acc[2][PARLEY_TILE_TOKENS];
    UNROLL for (size_t p = 0; p < panels; p++) {
        UNROLL for (size_t t = 0; t < width; t++) {
            __mmask16 kept = c->begin == 0 ? 0 : rows[p];
            acc[p][t] = _mm512_maskz_loadu_ps(kept, y + t * c->y_stride + 16 * p);
        }
    }
    const uint8_t *weights = c->weights;
    for (size_t block = c->begin; block < c->end; block++, weights += panels * PARLEY_UNPACKED_BYTES) {
        parley_activation_block x = parley_activations_at(c->activations, c->columns, tile_begin, width, block);
        parley_prefetch(c);
        UNROLL for (size_t h = 0; h < group_count(kind); h++) {
            group_product(kind, panels, width, h, weights, &x, shift, acc);
        }
    }
    UNROLL for (size_t p = 0; p < panels; p++) {
        UNROLL for (size_t t = 0; t < width; t++) {
            _mm512_mask_storeu_ps(y + t * c->y_stride + 16 * p, rows[p], acc[p][t]);
        }
    }
}

/// More than six tokens make tiles of three to six.
PARLEY_AVX512 PARLEY_INLINE void widths(parley_block_kind kind, size_t panels, parley_chunk *c, size_t tile_begin,
                                        size_t width) {
    switch (width) {
        case 3: tile_product(kind, panels, 3, c, tile_begin); break;
        case 4: tile_product(kind, panels, 4, c, tile_begin); break;
        case 5: tile_product(kind, panels, 5, c, tile_begin); break;
        case 6: tile_product(kind, panels, 6, c, tile_begin); break;
        default: break;
    }
}

PARLEY_AVX512 PARLEY_INLINE void kinds(size_t panels, parley_chunk *c, size_t tile_begin, size_t width) {
    parley_block_kind kind = parley_kind(c->type);
    if (kind.halves && kind.has_minimum) {
        widths((parley_block_kind){true, true}, panels, c, tile_begin, width);
    } else if (kind.halves) {
        widths((parley_block_kind){true, false}, panels, c, tile_begin, width);
    } else if (kind.has_minimum) {
        widths((parley_block_kind){false, true}, panels, c, tile_begin, width);
    } else {
        widths((parley_block_kind){false, false}, panels, c, tile_begin, width);
    }
}

PARLEY_AVX512 static void product(parley_chunk *c, size_t tile_begin, size_t width) {
    if (c->panels == 2) {
        kinds(2, c, tile_begin, width);
    } else {
        kinds(1, c, tile_begin, width);
    }
}

void parley_matmul_chunks_avx512(const parley_matrix *w, const void *activations, size_t tokens, float *y,
                                 size_t y_stride, size_t panel_begin, size_t panel_end, void *scratch) {
    static const parley_matmul_steps steps = {PARLEY_UNPACKED_BYTES, unpack, product};
    parley_matmul_chunks(&steps, w, activations, tokens, y, y_stride, panel_begin, panel_end, scratch);
}

#endif
