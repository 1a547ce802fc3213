// SPDX-License-Identifier: Apache-2.0
//
// Products with PARLEY_Q8_256, the body of `q8_256_<isa>.c`, which includes `panel_lanes.h` before. A strip of two
// registers of rows is multiplied with a tile of up to six tokens: 12 sums of integers, which the float accumulators join
// once in 256 columns.
//
// That file defines LANES_CHUNK_GROUPS, the number of groups of two panels that fit into the first-level cache beside a
// tile, and `add_products`, which adds the products of the bytes of four columns; or, with LANES_GROUP_DOTS, its own
// `group_dots`. With LANES_CENTRED the products are those of weights from which the offset has been taken.
//
// If it multiplies copies of the weights in another form, it defines LANES_COPIES(tokens), whether that pays with so many
// tokens, and `copy_weights`, which copies a panel's group; if it needs copies of the activations too, LANES_COPIES_TOKENS
// and `copy_tokens`, which copies a tile's group; if the numbers of copies are not of one byte, LANES_NUMBER_BYTES.

#pragma STDC FP_CONTRACT OFF

#include "q8_256_layout.h"

#ifndef LANES_NUMBER_BYTES
#define LANES_NUMBER_BYTES 1
#endif

/// The distances between copies of a panel's group, and of a tile's.
#define LANES_WEIGHT_COPY (LANES_NUMBER_BYTES * PARLEY_PANEL_ROWS * PARLEY_GROUP_COLUMNS)
#define LANES_TOKENS_COPY (LANES_NUMBER_BYTES * PARLEY_TILE_TOKENS * PARLEY_GROUP_COLUMNS)

/// The groups [begin, end) of one or two panels, and the tokens.
typedef struct {
    const parley_matrix *w;
    const uint8_t *weights[2];  // of group `begin`, as they are packed
    uint8_t *copied;            // with LANES_COPIES: panel p's of group `begin` + i at 2i + p copies
    size_t begin, end;
    const void *activations;
    size_t tokens;
    float *y;                   // the first row of the panels, token 0
    size_t y_stride;
    size_t rows;                // that exist
} group_chunk;

#ifndef LANES_GROUP_DOTS

/// Adds the products of all columns of a group.
LANES_INLINE void group_dots(size_t width, size_t registers, const uint8_t *const q[2], const uint8_t *x,
                             size_t columns, i32_rows dot[2][PARLEY_TILE_TOKENS]) {
    const size_t bytes = LANES_NUMBER_BYTES * columns;
    _Pragma("clang loop unroll_count(2)") for (size_t k = 0; k < bytes; k += 4) {
        plane_bytes weights[2];
        UNROLL for (size_t i = 0; i < registers; i++) weights[i] = load_bytes(q[i] + PARLEY_PANEL_ROWS * k);
        UNROLL for (size_t t = 0; t < width; t++) {
            int32_t word;
            __builtin_memcpy(&word, x + t * bytes + k, sizeof word);
            UNROLL for (size_t i = 0; i < registers; i++) dot[i][t] = add_products(dot[i][t], weights[i], word);
        }
    }
}

#endif

/// Multiplies the registers of rows from number `first` on with the tile of `width` tokens at `tile_begin`.
LANES_INLINE void strip_product(size_t width, size_t registers, const group_chunk *c, size_t tile_begin, size_t first,
                                const uint8_t *copied_tokens) {
    float *y = c->y + tile_begin * c->y_stride + first * LANES_ROWS;
    const size_t rows = c->rows - first * LANES_ROWS;
    f32_rows acc[2][PARLEY_TILE_TOKENS];
    UNROLL for (size_t i = 0; i < registers; i++) {
        const size_t kept = c->begin == 0 ? 0 : rows_of_part(rows, i);
        UNROLL for (size_t t = 0; t < width; t++) acc[i][t] = load_rows(y + t * c->y_stride + i * LANES_ROWS, kept);
    }
    for (size_t g = c->begin; g < c->end; g++) {
        const parley_activation_group x = parley_activation_group_at(c->activations, c->tokens, c->w->columns, g);
        const uint8_t *q[2], *tokens = (const uint8_t *)x.q + tile_begin * x.width;
        f32_rows scales[2];
        i32_rows dot[2][PARLEY_TILE_TOKENS];
        UNROLL for (size_t i = 0; i < registers; i++) {
            const size_t panel = (first + i) / LANES_PARTS, part = (first + i) % LANES_PARTS;
            const uint8_t *packed = c->weights[panel] + (g - c->begin) * PARLEY_PANEL_GROUP_BYTES;
            scales[i] = load_f32(parley_group_scales(packed, x.width) + LANES_ROWS * part);
#ifdef LANES_COPIES
            if (LANES_COPIES(width)) packed = c->copied + (2 * (g - c->begin) + panel) * LANES_WEIGHT_COPY;
#endif
            q[i] = packed + 4 * LANES_ROWS * part;
            UNROLL for (size_t t = 0; t < width; t++) {
#ifdef LANES_CENTRED
                dot[i][t] = (i32_rows){0};
#else
                dot[i][t] = x.start[tile_begin + t] - (i32_rows){0};
#endif
            }
        }
        const size_t copy = (g - c->begin) * LANES_TOKENS_COPY;
        group_dots(width, registers, q, copied_tokens ? copied_tokens + copy : tokens, x.width, dot);
        UNROLL for (size_t i = 0; i < registers; i++) {
            UNROLL for (size_t t = 0; t < width; t++) {
                const f32_rows scale = scales[i] * x.scale[tile_begin + t];
                acc[i][t] = __builtin_elementwise_fma(as_floats(dot[i][t]), scale, acc[i][t]);
            }
        }
    }
    UNROLL for (size_t i = 0; i < registers; i++) {
        UNROLL for (size_t t = 0; t < width; t++) {
            store_rows(y + t * c->y_stride + i * LANES_ROWS, rows_of_part(rows, i), acc[i][t]);
        }
    }
}

LANES_INLINE void tile_product(size_t width, const group_chunk *c, size_t tile_begin) {
    const uint8_t *copied_tokens = NULL;
#ifdef LANES_COPIES_TOKENS
    _Alignas(32) uint8_t numbers[LANES_CHUNK_GROUPS * LANES_TOKENS_COPY];
    for (size_t g = c->begin; g < c->end; g++) {
        const parley_activation_group x = parley_activation_group_at(c->activations, c->tokens, c->w->columns, g);
        copy_tokens(width, x.q + tile_begin * x.width, x.width, numbers + (g - c->begin) * LANES_TOKENS_COPY);
    }
    copied_tokens = numbers;
#endif
    const size_t registers = (c->rows + LANES_ROWS - 1) / LANES_ROWS;
    size_t first = 0;
    for (; first + 2 <= registers; first += 2) strip_product(width, 2, c, tile_begin, first, copied_tokens);
    if (first < registers) strip_product(width, 1, c, tile_begin, first, copied_tokens);
}

LANES_TARGET static void chunk_product(const group_chunk *c) {
    const size_t tiles = parley_tile_count(c->tokens, PARLEY_TILE_TOKENS), panels = c->rows > PARLEY_PANEL_ROWS ? 2 : 1;
    for (size_t tile = 0, begin = 0, end; tile < tiles; tile++, begin = end) {
        end = parley_tile_begin(c->tokens, PARLEY_TILE_TOKENS, tile + 1);
        parley_fetch_results(c->y, c->y_stride, panels, c->tokens, tiles, tile + 1);
        switch (end - begin) {
            case 1: tile_product(1, c, begin); break;
            case 2: tile_product(2, c, begin); break;
            case 3: tile_product(3, c, begin); break;
            case 4: tile_product(4, c, begin); break;
            case 5: tile_product(5, c, begin); break;
            case 6: tile_product(6, c, begin); break;
            default: break;
        }
    }
}

#ifdef LANES_COPIES

_Static_assert(2 * LANES_CHUNK_GROUPS * LANES_WEIGHT_COPY <= 2 * PARLEY_CHUNK_BLOCKS * PARLEY_UNPACKED_BYTES,
               "copies fit into the scratch memory");

LANES_INLINE void copy_chunk(const group_chunk *c) {
    for (size_t i = 0; PARLEY_PANEL_ROWS * i < c->rows; i++) {
        for (size_t g = c->begin; g < c->end; g++) {
            const size_t group = g - c->begin, width = parley_group_width(c->w->columns, g);
            const uint8_t *packed = c->weights[i] + group * PARLEY_PANEL_GROUP_BYTES;
            copy_weights(packed, width, c->copied + (2 * group + i) * LANES_WEIGHT_COPY);
        }
    }
}

#endif

LANES_KERNEL(matmul_q8_256)(const parley_matrix *w, const void *activations, size_t tokens, float *y, size_t y_stride,
                            size_t panel_begin, size_t panel_end, void *scratch) {
    const size_t panel_bytes = parley_panel_bytes(PARLEY_Q8_256, w->columns), groups = parley_group_count(w->columns);
    for (size_t p = panel_begin; p < panel_end; p += 2) {
        const size_t row = p * PARLEY_PANEL_ROWS, left = w->rows - row;
        const size_t most = (panel_end - p < 2 ? 1 : 2) * PARLEY_PANEL_ROWS;
        group_chunk c = {
            .w = w, .activations = activations, .tokens = tokens, .y = y + row, .y_stride = y_stride,
            .rows = left < most ? left : most, .copied = scratch,
        };
        for (; c.begin < groups; c.begin = c.end) {
            c.end = c.begin + LANES_CHUNK_GROUPS < groups ? c.begin + LANES_CHUNK_GROUPS : groups;
            for (size_t i = 0; i < 2; i++) {
                c.weights[i] = (const uint8_t *)w->panels + (p + i) * panel_bytes + c.begin * PARLEY_PANEL_GROUP_BYTES;
            }
#ifdef LANES_COPIES
            if (LANES_COPIES(tokens)) copy_chunk(&c);
#endif
            chunk_product(&c);
        }
    }
}
