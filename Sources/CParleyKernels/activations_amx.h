// SPDX-License-Identifier: Apache-2.0
//
// The layout of quantised activations for AMX, where there are more tokens than AVX-512 multiplies without unpacking
// weights. Tokens are cut into tiles of nearly equal width, at most PARLEY_AMX_TOKENS. First come the integers of all
// tiles, so that a token's 32 lie in one line of the cache, then the factors of all tiles. For a block of a tile of w
// tokens these are
//
//     s8 q[w][32]               column c of token t at [t][c]
//     f32 scale[w]              dx
//     f32 scaled_sum[w]         dx * (f32) sum of the 32 q
//     f32 scaled_half[2][w]     dx * (f32) sum of the first 16 q, and of the last
//
// as many bytes as in the layout of `panel_layout.h`.

#ifndef PARLEY_ACTIVATIONS_AMX_H
#define PARLEY_ACTIVATIONS_AMX_H

#include "panel_layout.h"

/// With two panels of 16 rows the accumulators of 12 tokens take 24 of the 32 registers.
#define PARLEY_AMX_TOKENS 12

/// Whether products of so many tokens are those of AMX; the others, and their activations, are those of AVX-512.
PARLEY_INLINE bool parley_amx_multiplies(size_t tokens) { return tokens > PARLEY_TILE_TOKENS; }

typedef struct {
    int8_t *q;
    float *scale;
    float *scaled_sum;
    float *scaled_half[2];
} parley_amx_block;

/// The activations in block `block` of the tile of `width` tokens that begins at token `tile_begin`.
PARLEY_INLINE parley_amx_block parley_amx_activations_at(const void *activations, size_t tokens, size_t columns,
                                                         size_t tile_begin, size_t width, size_t block) {
    const size_t blocks = columns / PARLEY_BLOCK_COLUMNS, rows = tile_begin * blocks + block * width;
    int8_t *q = (int8_t *)(uintptr_t)activations;
    float *factors = (float *)(void *)(q + tokens * blocks * PARLEY_BLOCK_COLUMNS) + 4 * rows;
    return (parley_amx_block){
        q + PARLEY_BLOCK_COLUMNS * rows, factors, factors + width, {factors + 2 * width, factors + 3 * width},
    };
}

#endif
