// SPDX-License-Identifier: Apache-2.0
//
// The tile instructions of one thread, on memory. Where a processor would raise an exception, the program says why and
// ends.

#ifndef PARLEY_EMULATED_TILES_H
#define PARLEY_EMULATED_TILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// From now on emulates the tile instructions that the processor does not know.
void emulate_tiles(void);

/// How many were emulated.
size_t emulated_instructions(void);

void emulated_ldtilecfg(const uint8_t from[64]);
void emulated_tilerelease(void);
void emulated_tilezero(int tile);
/// Bytes and rows beyond the tile's size become zero.
void emulated_tileloadd(int tile, const uint8_t *from, ptrdiff_t stride);
void emulated_tilestored(int tile, uint8_t *to, ptrdiff_t stride);
/// s32 sums[m][n] += s8 a[m][4k + j] * s8 b[k][4n + j], over all k and j in 0..<4.
void emulated_tdpbssd(int sums, int a, int b);
/// The same with u8 b.
void emulated_tdpbsud(int sums, int a, int b);

/// Ends the program, unless `holds`.
void require(bool holds, const char *what);

#endif
