// SPDX-License-Identifier: Apache-2.0
//
// What the attention kernels of all instruction sets share.

#ifndef PARLEY_ATTENTION_H
#define PARLEY_ATTENTION_H

#include "parley_kernels.h"

/// Queries (pairs of row and head) that at most share one pass over keys and values; scratch holds their scores.
#define PARLEY_ATTENTION_TILE 8

/// The first position that query row `row` sees.
static inline size_t parley_first_visible(const parley_attention *a, size_t row) {
    size_t end = a->position + row + 1;
    return a->window == 0 || end <= a->window ? 0 : end - a->window;
}

#endif
