// SPDX-License-Identifier: Apache-2.0
//
// The tiles of AMX, which all its products use in the same way.

#ifndef PARLEY_TILES_AMX_H
#define PARLEY_TILES_AMX_H

#include "panel_layout.h"

/// What `_tile_loadconfig` reads: the sizes of eight tiles.
typedef struct {
    uint8_t palette;
    uint8_t start_row;
    uint8_t reserved[14];
    uint16_t row_bytes[16];
    uint8_t rows[16];
} parley_tile_sizes;

/// Tiles 0 to 3 are sums of tokens and the 16 rows of a panel, 4 and 5 `columns` columns of tokens, 6 and 7 those of rows.
/// Those of tokens have `even` of them in tiles of an even number, and `odd` in the others.
PARLEY_INLINE parley_tile_sizes parley_sizes_of_tiles(size_t even, size_t odd, size_t columns) {
    parley_tile_sizes sizes = {.palette = 1};
    for (size_t tile = 0; tile < 8; tile++) {
        sizes.rows[tile] = (uint8_t)(tile >= 6 ? columns / 4 : tile % 2 == 0 ? even : odd);
        sizes.row_bytes[tile] = (uint16_t)(tile == 4 || tile == 5 ? columns : 4 * PARLEY_PANEL_ROWS);
    }
    return sizes;
}

#endif
