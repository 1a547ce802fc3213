// SPDX-License-Identifier: Apache-2.0
//
// Tiles in plain C, after the pseudo-code of Intel's Software Developer's Manual for palette 1.

#include "emulated_tiles.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TILES = 8, ROWS = 16, ROW_BYTES = 64 };

static struct {
    bool configured;
    size_t rows[TILES];
    size_t row_bytes[TILES];
    uint8_t data[TILES][ROWS][ROW_BYTES];
} state;

void require(bool holds, const char *what) {
    if (holds) return;
    fprintf(stderr, "emulated tiles: %s\n", what);
    abort();
}

/// A tile that an instruction names must be configured.
static void require_tile(int tile) {
    require(state.configured, "no configuration");
    require(tile >= 0 && tile < TILES, "no such tile");
    require(state.rows[tile] != 0 && state.row_bytes[tile] != 0, "a tile without a size");
}

void emulated_ldtilecfg(const uint8_t from[64]) {
    require(from[0] == 1, "a palette that is not 1");
    require(from[1] == 0, "a row to start with");  // allowed, but only after an interruption
    for (size_t i = 2; i < 16; i++) require(from[i] == 0, "reserved bytes");
    memset(&state, 0, sizeof state);
    for (size_t tile = 0; tile < 16; tile++) {
        const size_t row_bytes = from[16 + 2 * tile] + 256u * from[17 + 2 * tile], rows = from[48 + tile];
        require(rows <= (tile < TILES ? ROWS : 0), "too many rows");
        require(row_bytes <= (tile < TILES ? ROW_BYTES : 0), "too wide rows");
        require((rows == 0) == (row_bytes == 0), "half a size");
        if (tile < TILES) state.rows[tile] = rows, state.row_bytes[tile] = row_bytes;
    }
    state.configured = true;
}

void emulated_tilerelease(void) { memset(&state, 0, sizeof state); }

void emulated_tilezero(int tile) {
    require_tile(tile);
    memset(state.data[tile], 0, sizeof state.data[tile]);
}

void emulated_tileloadd(int tile, const uint8_t *from, ptrdiff_t stride) {
    require_tile(tile);
    memset(state.data[tile], 0, sizeof state.data[tile]);
    for (size_t row = 0; row < state.rows[tile]; row++) {
        memcpy(state.data[tile][row], from + (ptrdiff_t)row * stride, state.row_bytes[tile]);
    }
}

void emulated_tilestored(int tile, uint8_t *to, ptrdiff_t stride) {
    require_tile(tile);
    for (size_t row = 0; row < state.rows[tile]; row++) {
        memcpy(to + (ptrdiff_t)row * stride, state.data[tile][row], state.row_bytes[tile]);
    }
}

/// The products of signed bytes with signed or unsigned ones.
static void add_products(int sums, int a, int b, bool is_unsigned) {
    require_tile(sums);
    require_tile(a);
    require_tile(b);
    const size_t rows = state.rows[sums], columns = state.row_bytes[sums] / 4, inner = state.row_bytes[a] / 4;
    require(sums != a && sums != b && a != b, "the same tile twice");
    require(state.row_bytes[sums] % 4 == 0 && state.row_bytes[a] % 4 == 0 && state.row_bytes[b] % 4 == 0,
            "rows that are not whole words");
    require(state.rows[a] == rows, "sums and the left operand differ in rows");
    require(state.rows[b] == inner, "the operands' inner sizes differ");
    require(state.row_bytes[b] == state.row_bytes[sums], "sums and the right operand differ in columns");
    uint8_t result[ROWS][ROW_BYTES] = {{0}};
    for (size_t m = 0; m < rows; m++) {
        for (size_t n = 0; n < columns; n++) {
            uint32_t sum;
            memcpy(&sum, &state.data[sums][m][4 * n], sizeof sum);
            for (size_t k = 0; k < inner; k++) {
                for (size_t j = 0; j < 4; j++) {
                    const int8_t left = (int8_t)state.data[a][m][4 * k + j];
                    const uint8_t byte = state.data[b][k][4 * n + j];
                    const int right = is_unsigned ? byte : (int8_t)byte;
                    sum += (uint32_t)(left * right);
                }
            }
            memcpy(&result[m][4 * n], &sum, sizeof sum);
        }
    }
    memcpy(state.data[sums], result, sizeof result);
}

void emulated_tdpbssd(int sums, int a, int b) { add_products(sums, a, b, false); }
void emulated_tdpbsud(int sums, int a, int b) { add_products(sums, a, b, true); }
