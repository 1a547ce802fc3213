// SPDX-License-Identifier: Apache-2.0
//
// Types and functions that the attention kernels of all instruction sets use.

#ifndef PARLEY_ATTENTION_H
#define PARLEY_ATTENTION_H

#include "parley_kernels.h"

/// The maximum number of queries (pairs of row and head) that are computed in one pass over keys and values. The
/// scratch memory holds their scores.
#define PARLEY_ATTENTION_TILE 8

/// Some queries of one kv head, each with the range [begin, end) of positions that it attends to.
typedef struct {
    size_t head_dim, value_dim;
    const uint16_t *keys, *values;
    float scale, softcap;
    const float *key_bias;
    const float *q[PARLEY_ATTENTION_TILE];
    float *y[PARLEY_ATTENTION_TILE];
    size_t begin[PARLEY_ATTENTION_TILE], end[PARLEY_ATTENTION_TILE];
    size_t first_panel, last_panel;  // [first, last) covers what any of them sees
} attention_tile;

static inline size_t smaller(size_t a, size_t b) { return a < b ? a : b; }
static inline size_t larger(size_t a, size_t b) { return a > b ? a : b; }

/// The position after the last one that query row `row` attends to.
static inline size_t parley_end_visible(const parley_attention *a, size_t row) {
    return a->visible > 0 ? a->visible : a->position + row + 1;
}

/// The first position that query row `row` attends to.
static inline size_t parley_first_visible(const parley_attention *a, size_t row) {
    if (a->visible > 0) return 0;
    size_t end = a->position + row + 1;
    return a->window == 0 || end <= a->window ? 0 : end - a->window;
}

#endif
