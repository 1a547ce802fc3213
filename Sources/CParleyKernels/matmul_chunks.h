// SPDX-License-Identifier: Apache-2.0
//
// Products with many tokens, which are limited by arithmetic: a pair of panels is unpacked to scratch memory, one chunk
// of columns at a time, and multiplied with all tiles of tokens, so that the unpacked weights stay in the first-level
// cache. The loop is the same for every instruction set; `parley_matmul_steps` has the two functions that differ.

#ifndef PARLEY_MATMUL_CHUNKS_H
#define PARLEY_MATMUL_CHUNKS_H

#include "panel_layout.h"

/// The properties of a quantised type that products need once its weights are unpacked to bytes.
typedef struct {
    bool halves;  // scales cover 16 columns, not 32
    bool has_minimum;
} parley_block_kind;

PARLEY_INLINE parley_block_kind parley_kind(parley_type type) {
    return (parley_block_kind){parley_unit(type).halves, parley_unit(type).has_minimum};
}

/// Bytes of an unpacked block of 32 columns of a panel: bytes [8][16 rows][4], f32 scale[2][16], f32 minimum[2][16].
#define PARLEY_UNPACKED_BYTES 768
#define PARLEY_UNPACKED_SCALES 512
#define PARLEY_UNPACKED_MINIMA 640

/// The number of such blocks, of two panels together, that fit into the first-level cache beside the other data of a
/// tile.
#define PARLEY_CHUNK_BLOCKS 24

/// One or two unpacked panels, over some blocks of columns.
typedef struct {
    parley_type type;
    const uint8_t *weights;  // block b of panel p at ((b - begin) * panels + p) * unpacked_bytes
    size_t panels;
    size_t rows;        // that exist, at most 16 * panels
    size_t begin, end;  // blocks
    const void *activations;
    size_t tokens;   // of all tiles
    size_t columns;  // of a row of activations
    float *y;        // the first row, token 0
    size_t y_stride;
    const uint8_t *prefetch, *prefetch_end;  // what is still to be fetched of the next pair
    size_t prefetch_bytes;                   // with each block
} parley_chunk;

typedef struct {
    /// The size in bytes of an unpacked block of a panel, a multiple of 64 and at least PARLEY_UNPACKED_BYTES.
    size_t unpacked_bytes;
    /// The most tokens of a tile.
    size_t tile_tokens;
    /// Unpacks blocks [begin, end) of one panel to out, out + stride, ... (stride in bytes); `begin` is the start of a
    /// unit.
    void (*unpack)(parley_type type, const uint8_t *panel, size_t begin, size_t end, uint8_t *out, size_t stride);
    /// Adds the products of the chunk's columns to the tile of `width` tokens at `tile_begin`. Accumulators
    /// start at 0 with the first chunk, and are kept in y between chunks.
    void (*product)(parley_chunk *chunk, size_t tile_begin, size_t width);
} parley_matmul_steps;

void parley_matmul_chunks(const parley_matmul_steps *steps, const parley_matrix *w, const void *activations,
                          size_t tokens, float *y, size_t y_stride, size_t panel_begin, size_t panel_end,
                          void *scratch);

/// Prefetches part of the next pair of panels to the second-level cache; the hardware prefetcher does not recognise the
/// access pattern.
PARLEY_INLINE void parley_prefetch(parley_chunk *c) {
    for (size_t i = 0; i < c->prefetch_bytes && c->prefetch < c->prefetch_end; i += 64, c->prefetch += 64) {
        __builtin_prefetch(c->prefetch, 0, 2);
    }
}

/// Fetches the results of a tile of tokens that is multiplied next, so that it need not wait for them: each row lies in
/// pages of its own, where the hardware prefetcher does not follow. Nothing where there is no such tile.
PARLEY_INLINE void parley_fetch_results(const float *y, size_t y_stride, size_t panels, size_t tokens, size_t tiles,
                                        size_t tile) {
    if (tile >= tiles) return;
    for (size_t t = tokens * tile / tiles; t < tokens * (tile + 1) / tiles; t++) {
        for (size_t p = 0; p < panels; p++) __builtin_prefetch(y + t * y_stride + p * PARLEY_PANEL_ROWS, 1);
    }
}

#endif
