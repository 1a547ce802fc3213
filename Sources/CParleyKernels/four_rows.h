// SPDX-License-Identifier: Apache-2.0
//
// What packing works with: 32-bit words of four rows at once, as they lie in a panel.

#ifndef PARLEY_FOUR_ROWS_H
#define PARLEY_FOUR_ROWS_H

#include <string.h>

#include "kernels_internal.h"

/// A word of each of four rows.
typedef uint32_t parley_words __attribute__((vector_size(16)));

/// Loads four words that follow each other at an offset of each row, in bytes: word g of all rows to w[g].
PARLEY_INLINE void parley_load_words(const uint8_t *const source[4], size_t offset, parley_words *w) {
    parley_words row[4];
    for (int r = 0; r < 4; r++) memcpy(&row[r], source[r] + offset, sizeof(parley_words));
    const parley_words low[2] = {__builtin_shufflevector(row[0], row[1], 0, 4, 1, 5),
                                 __builtin_shufflevector(row[0], row[1], 2, 6, 3, 7)};
    const parley_words high[2] = {__builtin_shufflevector(row[2], row[3], 0, 4, 1, 5),
                                  __builtin_shufflevector(row[2], row[3], 2, 6, 3, 7)};
    for (int i = 0; i < 2; i++) {
        w[2 * i] = __builtin_shufflevector(low[i], high[i], 0, 1, 4, 5);
        w[2 * i + 1] = __builtin_shufflevector(low[i], high[i], 2, 3, 6, 7);
    }
}

#endif
