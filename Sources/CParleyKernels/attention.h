// SPDX-License-Identifier: Apache-2.0
//
// Types and functions that the attention kernels of all instruction sets use.

#ifndef PARLEY_ATTENTION_H
#define PARLEY_ATTENTION_H

#include "parley_kernels.h"

/// The maximum number of queries (pairs of row and head) that are computed in one pass over keys and values. The
/// scratch memory holds their scores.
#define PARLEY_ATTENTION_TILE 8

/// The columns that share a scale in a cache of type Q8_0.
#define PARLEY_CACHE_BLOCK 32

/// The size in bytes of a cached number.
static inline size_t parley_cached_size(parley_type type) { return type == PARLEY_Q8_0 ? 1 : sizeof(uint16_t); }

/// The size in bytes of the scales at the beginning of a panel.
static inline size_t parley_cache_scale_bytes(parley_type type, size_t width) {
    if (type != PARLEY_Q8_0) return 0;
    return (width + PARLEY_CACHE_BLOCK - 1) / PARLEY_CACHE_BLOCK * PARLEY_KEY_PANEL * sizeof(uint16_t);
}

/// The scale in a cache of type Q8_0, as f16, for numbers of which `highest` is the largest magnitude, and what they are
/// multiplied with to become integers.
uint16_t parley_cache_scale(float highest, float *inverse);

/// Some queries of one kv head, each with the range [begin, end) of positions that it attends to.
typedef struct {
    size_t head_dim, value_dim;
    const uint8_t *keys, *values;
    size_t key_panel, value_panel;  // in bytes
    float scale, softcap;
    const float *key_bias;
    const float *q[PARLEY_ATTENTION_TILE];
    float sink[PARLEY_ATTENTION_TILE];  // -infinity for none
    float *y[PARLEY_ATTENTION_TILE];
    size_t begin[PARLEY_ATTENTION_TILE], end[PARLEY_ATTENTION_TILE];
    size_t first_panel, last_panel;  // [first, last) covers what any of them sees
} attention_tile;

static inline size_t smaller(size_t a, size_t b) { return a < b ? a : b; }
static inline size_t larger(size_t a, size_t b) { return a > b ? a : b; }

/// The score of the sink of a query head; -infinity, which adds nothing to a sum, for none.
static inline float parley_sink(const parley_attention *a, size_t head) {
    return a->sinks ? a->sinks[head] : -__builtin_inff();
}

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
