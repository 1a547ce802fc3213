// SPDX-License-Identifier: Apache-2.0
//
// The loop over panels and chunks, which is the same for every instruction set.

#include "matmul_chunks.h"

size_t parley_matmul_scratch_bytes(void) { return (size_t)2 * PARLEY_CHUNK_BLOCKS * PARLEY_UNPACKED_BYTES; }

void parley_matmul_chunks(const parley_matmul_steps *steps, const parley_matrix *w, const void *activations,
                          size_t tokens, float *y, size_t y_stride, size_t panel_begin, size_t panel_end,
                          void *scratch) {
    const size_t panel_bytes = parley_panel_bytes(w->type, w->columns), blocks = w->columns / PARLEY_BLOCK_COLUMNS;
    const size_t unit_blocks = parley_unit(w->type).columns / PARLEY_BLOCK_COLUMNS;
    const size_t most = steps->tile_tokens, tiles = parley_tile_count(tokens, most);
    if (tiles == 0 || blocks == 0) return;
    // Chunks have nearly equal size and consist of whole units.
    const size_t room = parley_matmul_scratch_bytes() / 2 / steps->unpacked_bytes / unit_blocks * unit_blocks;
    const size_t chunks = (blocks + room - 1) / room;
    const size_t chunk_blocks = ((blocks + chunks - 1) / chunks + unit_blocks - 1) / unit_blocks * unit_blocks;
    const size_t lines = 2 * panel_bytes / 64, steps_of_pair = tiles * blocks;
    parley_chunk c = {
        .type = parley_panel_type(w->type), .weights = scratch, .activations = activations, .tokens = tokens,
        .columns = w->columns, .y_stride = y_stride,
        .prefetch_bytes = (lines + steps_of_pair - 1) / steps_of_pair * 64,
    };
    for (size_t p = panel_begin; p < panel_end; p += 2) {
        const uint8_t *panel = (const uint8_t *)w->panels + p * panel_bytes;
        const size_t left = panel_end - p, rows_left = w->rows - p * PARLEY_PANEL_ROWS;
        c.panels = left < 2 ? 1 : 2;
        c.rows = rows_left < c.panels * PARLEY_PANEL_ROWS ? rows_left : c.panels * PARLEY_PANEL_ROWS;
        c.y = y + p * PARLEY_PANEL_ROWS;
        c.prefetch = panel + c.panels * panel_bytes;
        c.prefetch_end = panel + (left < 4 ? left : 4) * panel_bytes;
        for (c.begin = 0; c.begin < blocks; c.begin = c.end) {
            c.end = c.begin + chunk_blocks < blocks ? c.begin + chunk_blocks : blocks;
            for (size_t i = 0; i < c.panels; i++) {
                steps->unpack(c.type, panel + i * panel_bytes, c.begin, c.end,
                              (uint8_t *)scratch + i * steps->unpacked_bytes, c.panels * steps->unpacked_bytes);
            }
            for (size_t tile = 0, begin = 0, end; tile < tiles; tile++, begin = end) {
                end = parley_tile_begin(tokens, most, tile + 1);
                parley_fetch_results(c.y, y_stride, c.panels, tokens, tiles, tile + 1);
                steps->product(&c, begin, end - begin);
            }
        }
    }
}
