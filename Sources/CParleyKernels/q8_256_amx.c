// SPDX-License-Identifier: Apache-2.0
//
// Products with PARLEY_Q8_256 for AMX; the activations are AVX-512's. Tiles multiply a group's 256 columns by 64 and add
// them up. AVX-512 scales the sums meanwhile: once in 256 columns, where other types need that once in 32.

#include "kernels_internal.h"

#if PARLEY_X86

#pragma STDC FP_CONTRACT OFF

#define LANES_TARGET PARLEY_AMX
#define LANES_KERNEL(operation) LANES_TARGET void parley_##operation##_amx
#define LANES_CHUNKS parley_matmul_chunks_amx

#include "activations_amx.h"
#include "planes_512.h"

LANES_INLINE __m512i finish_weights(parley_type type, __m512i q) { return (void)type, q; }

#include "panel_lanes.h"

#include "tiles_amx.h"

#include "q8_256_layout.h"

/// The groups of two panels that fit into the first-level cache beside a tile of tokens.
#define CHUNK_GROUPS 3
/// The most tokens that are multiplied together, in two tiles. With two panels that makes four sums of tiles, each of which
/// waits for its last product no longer than the other three take.
#define MOST_TOKENS 32
/// The tiles of tokens whose activations and results stay in the second-level cache while all panels are multiplied.
#define BLOCK_TILES 8

/// The integer sums of a group of columns: for each token, 16 rows of each of two panels.
typedef int32_t group_sums[2][MOST_TOKENS][PARLEY_PANEL_ROWS];

/// One or two panels, and the tokens [begin, begin + width), of which tiles hold `half` and the rest.
typedef struct {
    const uint8_t *weights[2];
    size_t rows[2];  // that exist
    const void *activations;
    size_t tokens, columns;  // of all activations
    size_t begin, width, half;
    size_t group;
    float *y;
    size_t y_stride;
} tile_work;

PARLEY_INLINE parley_activation_group activations_of(const tile_work *w, size_t group) {
    parley_activation_group x = parley_activation_group_at(w->activations, w->tokens, w->columns, group);
    x.q += w->begin * x.width;
    x.scale += w->begin;
    x.start += w->begin;
    return x;
}

/// Multiplies a group's columns in tiles, 64 at a time.
LANES_INLINE void multiply_group(const tile_work *w, size_t panels, group_sums sums) {
    const size_t group = w->group;
    const parley_activation_group x = activations_of(w, group);
    const uint8_t *first = w->weights[0] + group * PARLEY_PANEL_GROUP_BYTES;
    const uint8_t *second = w->weights[1] + group * PARLEY_PANEL_GROUP_BYTES;
    _tile_zero(0);
    _tile_zero(1);
    if (panels == 2) _tile_zero(2);
    if (panels == 2) _tile_zero(3);
    for (size_t c = 0; c < x.width; c += 64) {
        _tile_loadd(4, x.q + c, (long)x.width);
        _tile_loadd(6, first + PARLEY_PANEL_ROWS * c, 64);
        _tile_dpbsud(0, 4, 6);
        _tile_loadd(5, x.q + w->half * x.width + c, (long)x.width);
        _tile_dpbsud(1, 5, 6);
        if (panels == 1) continue;
        _tile_loadd(7, second + PARLEY_PANEL_ROWS * c, 64);
        _tile_dpbsud(2, 4, 7);
        _tile_dpbsud(3, 5, 7);
    }
    _tile_stored(0, sums[0], 64);
    _tile_stored(1, sums[0][w->half], 64);
    if (panels == 2) _tile_stored(2, sums[1], 64);
    if (panels == 2) _tile_stored(3, sums[1][w->half], 64);
}

/// Scales a group's sums and adds them to those of earlier groups in y.
LANES_INLINE void add_sums(const tile_work *w, size_t panels, const group_sums sums) {
    const size_t group = w->group;
    const parley_activation_group x = activations_of(w, group);
    for (size_t p = 0; p < panels; p++) {
        const uint8_t *weights = w->weights[p] + group * PARLEY_PANEL_GROUP_BYTES;
        const f32_rows scales = load_f32(parley_group_scales(weights, x.width));
        float *y = w->y + w->begin * w->y_stride + PARLEY_PANEL_ROWS * p;
        const __mmask16 earlier = group == 0 ? 0 : row_mask(w->rows[p]), kept = row_mask(w->rows[p]);
        _Pragma("clang loop unroll_count(4)") for (size_t t = 0; t < w->width; t++, y += w->y_stride) {
            const i32_rows dot = (i32_rows)_mm512_load_si512(sums[p][t]) + x.start[t];
            const f32_rows acc = _mm512_maskz_loadu_ps(earlier, y);
            _mm512_mask_storeu_ps(y, kept, __builtin_elementwise_fma(as_floats(dot), scales * x.scale[t], acc));
        }
    }
}

/// Multiplies the groups [begin, end) of the panels with the tokens of tiles [tile_begin, tile_end) of `tiles`.
LANES_INLINE void panels_product(tile_work w, size_t panels, size_t begin, size_t end, size_t tile_begin,
                                 size_t tile_end, size_t tiles) {
    _Alignas(64) group_sums sums[2];
    tile_work before = w;
    size_t count = 0;
    for (size_t tile = tile_begin; tile < tile_end; tile++) {
        w.begin = parley_tile_begin(w.tokens, MOST_TOKENS, tile);
        w.width = w.tokens * (tile + 1) / tiles - w.begin;
        for (w.group = begin; w.group < end; w.group++, count++) {
            // Tiles are always a group ahead of the sums.
            multiply_group(&w, panels, sums[count % 2]);
            if (count > 0) add_sums(&before, panels, sums[(count + 1) % 2]);
            before = w;
        }
    }
    if (count > 0) add_sums(&before, panels, sums[(count + 1) % 2]);
}

LANES_KERNEL(matmul_q8_256)(const parley_matrix *w, const void *activations, size_t tokens, float *y, size_t y_stride,
                            size_t panel_begin, size_t panel_end, void *scratch) {
    if (!parley_amx_multiplies(tokens)) {
        parley_matmul_q8_256_avx512(w, activations, tokens, y, y_stride, panel_begin, panel_end, scratch);
        return;
    }
    const size_t panel_bytes = parley_panel_bytes(PARLEY_Q8_256, w->columns), groups = parley_group_count(w->columns);
    const size_t tiles = parley_tile_count(tokens, MOST_TOKENS), widest = (tokens + tiles - 1) / tiles;
    tile_work work = {
        .activations = activations, .tokens = tokens, .columns = w->columns, .half = (widest + 1) / 2,
        .y_stride = y_stride,
    };
    // In a tile that is narrower than the widest the last row is the next token's, for the last tile is never narrower, and
    // its sums are not used.
    const parley_tile_sizes sizes = parley_sizes_of_tiles(work.half, widest - work.half, 64);
    _tile_loadconfig(&sizes);
    for (size_t tile = 0, next; tile < tiles; tile = next) {
        next = tile + BLOCK_TILES < tiles ? tile + BLOCK_TILES : tiles;
        for (size_t p = panel_begin; p < panel_end; p += 2) {
            const size_t row = p * PARLEY_PANEL_ROWS, left = w->rows - row;
            work.y = y + row;
            for (size_t i = 0; i < 2; i++) {
                work.weights[i] = (const uint8_t *)w->panels + (p + i) * panel_bytes;
                work.rows[i] = rows_of_part(left, i);
            }
            for (size_t begin = 0, end; begin < groups; begin = end) {
                end = begin + CHUNK_GROUPS < groups ? begin + CHUNK_GROUPS : groups;
                if (panel_end - p < 2 || left <= PARLEY_PANEL_ROWS) {
                    panels_product(work, 1, begin, end, tile, next, tiles);
                } else {
                    panels_product(work, 2, begin, end, tile, next, tiles);
                }
            }
        }
    }
    _tile_release();
}

#endif
