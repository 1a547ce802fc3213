// SPDX-License-Identifier: Apache-2.0
//
// What AMX's instruction for the sizes of tiles reads.

#ifndef PARLEY_TILES_AMX_H
#define PARLEY_TILES_AMX_H

#include <stdint.h>

/// What `_tile_loadconfig` reads: the sizes of eight tiles.
typedef struct {
    uint8_t palette;
    uint8_t start_row;
    uint8_t reserved[14];
    uint16_t row_bytes[16];
    uint8_t rows[16];
} parley_tile_sizes;

#endif
