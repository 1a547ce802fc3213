// SPDX-License-Identifier: Apache-2.0
//
// Products with quantised matrices for AMX. With few tokens memory is the limit, and the products are AVX-512's. With
// more, `parley_matmul_chunks` unpacks the weights to bytes, centred, because tiles multiply signed numbers; a block's
// [8][16 rows][4] bytes are the right operand of a tile product, its tokens' [w][32] the left one, and the result is
// s32[w][16 rows]. AVX-512 scales and adds it, with three instructions for the 16 rows of a token, or four. A product and
// its storing take a tile's unit in turns, which also holds up half of the instructions of 512 bits, so that the times of
// tiles and of scaling nearly add up; the accumulators stay in registers, and the tiles work ahead of them.

#include "kernels_internal.h"

#if PARLEY_X86

#pragma STDC FP_CONTRACT OFF

#define LANES_TARGET PARLEY_AMX
#define LANES_KERNEL(operation) LANES_TARGET void parley_##operation##_amx
#define LANES_CHUNKS parley_matmul_chunks_amx
#define LANES_TILE_TOKENS PARLEY_AMX_TOKENS

#include "activations_amx.h"
#include "planes_512.h"

/// Centres the weights.
LANES_INLINE __m512i finish_weights(parley_type type, __m512i q) {
    const char offset = (char)parley_offset(type);
    const int8_t *codebook = parley_codebook(type);
    if (!codebook) return offset ? _mm512_sub_epi8(q, _mm512_set1_epi8(offset)) : q;
    __m128i values = _mm_loadu_si128((const __m128i *)(const void *)codebook);
    values = _mm_sub_epi8(values, _mm_set1_epi8(offset));
    return _mm512_shuffle_epi8(_mm512_broadcast_i32x4(values), q);
}

#include "panel_lanes.h"

#include "tiles_amx.h"

/// The integer sums of a group of columns: 16 rows of each of two panels for every token of a tile.
typedef int32_t group_sums[2][PARLEY_AMX_TOKENS][PARLEY_PANEL_ROWS];

/// A tile of tokens and a chunk of weights, whose groups of columns are numbered from the chunk's begin.
typedef struct {
    parley_block_kind kind;
    size_t panels;
    size_t width;
    size_t tile_begin;
    parley_chunk *chunk;
} tile_work;

PARLEY_INLINE parley_amx_block activations_of(tile_work w, size_t group) {
    const parley_chunk *c = w.chunk;
    return parley_amx_activations_at(c->activations, c->tokens, c->columns, w.tile_begin, w.width,
                                     c->begin + group / group_count(w.kind));
}

PARLEY_INLINE const uint8_t *weights_of(tile_work w, size_t group) {
    return w.chunk->weights + group / group_count(w.kind) * w.panels * PARLEY_UNPACKED_BYTES;
}

/// Multiplies the tokens in tile `a` with the weights of a panel. The numbers of tiles have to be literals; `sums` and
/// `b` are overwritten.
#define MULTIPLY_PANEL(sums, a, b, weights, to)                                                                        \
    _tile_zero(sums);                                                                                                  \
    _tile_loadd(b, weights, 64);                                                                                       \
    _tile_dpbssd(sums, a, b);                                                                                          \
    _tile_stored(sums, to, 64)

/// Multiplies a group's columns in tiles. Even groups have other tiles than odd ones, so that none waits for the last.
LANES_INLINE void multiply_group(tile_work w, size_t group, size_t parity, group_sums sums) {
    const size_t h = w.kind.halves ? parity : 0;
    const uint8_t *weights = weights_of(w, group) + 64 * group_begin(w.kind, h);
    const int8_t *q = activations_of(w, group).q + 16 * h;
    if (parity == 0) {
        _tile_loadd(4, q, PARLEY_BLOCK_COLUMNS);
        MULTIPLY_PANEL(0, 4, 6, weights, sums[0]);
        if (w.panels == 2) {
            MULTIPLY_PANEL(1, 4, 7, weights + PARLEY_UNPACKED_BYTES, sums[1]);
        }
    } else {
        _tile_loadd(5, q, PARLEY_BLOCK_COLUMNS);
        MULTIPLY_PANEL(2, 5, 6, weights, sums[0]);
        if (w.panels == 2) {
            MULTIPLY_PANEL(3, 5, 7, weights + PARLEY_UNPACKED_BYTES, sums[1]);
        }
    }
}

/// Scales a group's sums, and adds them and its minima to the accumulators.
LANES_INLINE void add_sums(tile_work w, size_t group, size_t parity, const group_sums sums,
                           f32_rows acc[2][PARLEY_AMX_TOKENS]) {
    const size_t h = w.kind.halves ? parity : 0;
    const parley_amx_block x = activations_of(w, group);
    const float *scaled_sum = w.kind.halves ? x.scaled_half[h] : x.scaled_sum;
    row_factors factors[2];
    UNROLL for (size_t p = 0; p < w.panels; p++) {
        factors[p] = unpacked_factors(w.kind, weights_of(w, group) + p * PARLEY_UNPACKED_BYTES, h, 0);
    }
    UNROLL for (size_t t = 0; t < PARLEY_AMX_TOKENS; t++) {
        if (t >= w.width) continue;
        UNROLL for (size_t p = 0; p < w.panels; p++) {
            const f32_rows dot = as_floats((i32_rows)_mm512_load_si512(sums[p][t]));
            acc[p][t] = __builtin_elementwise_fma(dot, factors[p].scale * x.scale[t], acc[p][t]);
            if (!w.kind.has_minimum) continue;
            acc[p][t] = __builtin_elementwise_fma(factors[p].minimum, splat(scaled_sum[t]), acc[p][t]);
        }
    }
}

LANES_INLINE void panels_product(tile_work w) {
    parley_chunk *c = w.chunk;
    const size_t rows[2] = {rows_of_part(c->rows, 0), rows_of_part(c->rows, 1)};
    const size_t groups = (c->end - c->begin) * group_count(w.kind);
    float *y = c->y + w.tile_begin * c->y_stride;
    _Alignas(64) group_sums even, odd;
    f32_rows acc[2][PARLEY_AMX_TOKENS];
    UNROLL for (size_t t = 0; t < PARLEY_AMX_TOKENS; t++) {
        UNROLL for (size_t p = 0; p < w.panels; p++) {
            const size_t kept = c->begin == 0 || t >= w.width ? 0 : rows[p];
            acc[p][t] = load_rows(y + t * c->y_stride + 16 * p, kept);
        }
    }
    // The tiles are always a group ahead of the registers.
    multiply_group(w, 0, 0, even);
    KEEP_ROLLED for (size_t group = 0; group < groups; group += 2) {
        parley_prefetch(c);
        if (group + 1 < groups) multiply_group(w, group + 1, 1, odd);
        add_sums(w, group, 0, even, acc);
        if (group + 1 == groups) break;
        if (!w.kind.halves) parley_prefetch(c);
        if (group + 2 < groups) multiply_group(w, group + 2, 0, even);
        add_sums(w, group + 1, 1, odd, acc);
    }
    UNROLL for (size_t t = 0; t < PARLEY_AMX_TOKENS; t++) {
        if (t >= w.width) continue;
        UNROLL for (size_t p = 0; p < w.panels; p++) {
            store_rows(y + t * c->y_stride + 16 * p, rows[p], acc[p][t]);
        }
    }
}

LANES_INLINE void tile_product(parley_block_kind kind, size_t width, parley_chunk *c, size_t tile_begin) {
    if (c->panels == 2) {
        panels_product((tile_work){kind, 2, width, tile_begin, c});
    } else {
        panels_product((tile_work){kind, 1, width, tile_begin, c});
    }
}

#include "matmul_chunks_lanes.h"

LANES_KERNEL(matmul)(const parley_matrix *w, const void *activations, size_t tokens, float *y, size_t y_stride,
                     size_t panel_begin, size_t panel_end, void *scratch) {
    if (!parley_amx_multiplies(tokens)) {
        parley_matmul_avx512(w, activations, tokens, y, y_stride, panel_begin, panel_end, scratch);
        return;
    }
    const size_t tiles = parley_tile_count(tokens, PARLEY_AMX_TOKENS), widest = (tokens + tiles - 1) / tiles;
    const size_t columns = parley_unit(w->type).halves ? PARLEY_BLOCK_COLUMNS / 2 : PARLEY_BLOCK_COLUMNS;
    // In a tile of tokens that is narrower than the widest, by one, the last row is the next token's, or made of the factors
    // that follow the last token, and its sums are not used.
    const parley_tile_sizes sizes = parley_sizes_of_tiles(widest, widest, columns);
    _tile_loadconfig(&sizes);
    LANES_CHUNKS(w, activations, tokens, y, y_stride, panel_begin, panel_end, scratch);
    _tile_release();
}

#endif
