// SPDX-License-Identifier: Apache-2.0
//
// Attention with vectors of sixteen lanes: the body of `attention_<isa>.c`. That file defines LANES_TARGET,
// LANES_KERNEL(operation), LANES_SUMS (how many f32x16 sums fit into registers beside their operands) and LANES_TILE
// (the maximum number of queries in a tile).
//
// Queries of the same kv head are computed in tiles, so that each key and value is loaded and widened once for all of
// them, and their chains of fma are interleaved. Every chain is the one of `attention_generic.c`: tiles determine what
// is computed at the same time, never the order in which a sum is added.

#include "attention_scores_lanes.h"
#include "attention_values_lanes.h"
#include "cache_lanes.h"

#pragma STDC FP_CONTRACT OFF

LANES_INLINE void attend_tile(const parley_type type, const int queries, const attention_tile *tile, float *scores) {
    f32x16 highest[PARLEY_ATTENTION_TILE];
    for (int i = 0; i < queries; i++) highest[i] = (f32x16)(tile->sink[i]);
    const int panels = beside(queries);
    float *next = scores;
    size_t panel = tile->first_panel;
    for (; panel + (size_t)panels <= tile->last_panel; panel += (size_t)panels, next += panels * queries * 16) {
        score_panels(type, queries, panels, tile, panel, next);
        finish_scores(queries, panels, tile, panel, next, highest);
    }
    for (; panel < tile->last_panel; panel++, next += queries * 16) {
        score_panels(type, queries, 1, tile, panel, next);
        finish_scores(queries, 1, tile, panel, next, highest);
    }

    float sums[PARLEY_ATTENTION_TILE];
    for (int i = 0; i < queries; i++) {
        const float most = lanes_highest(highest[i]);
        sums[i] = softmax(queries, tile, scores + i * PARLEY_KEY_PANEL, most);
        sums[i] += parley_exp(tile->sink[i] - most);
        memset(tile->y[i], 0, tile->value_dim * sizeof(float));
    }
    weigh(type, queries, tile, scores);
    for (int i = 0; i < queries; i++)
        for (size_t d = 0; d < tile->value_dim; d++) tile->y[i][d] /= sums[i];
}

/// Calls a copy of attend_tile for a constant number of queries, whose sums the compiler keeps in registers.
LANES_INLINE void attend_queries(const parley_type type, int queries, const attention_tile *tile, float *scores) {
    switch (queries) {
        case 1: attend_tile(type, 1, tile, scores); break;
        case 2: attend_tile(type, 2, tile, scores); break;
        case 3: attend_tile(type, 3, tile, scores); break;
        case 4: attend_tile(type, 4, tile, scores); break;
        case 5: attend_tile(type, 5, tile, scores); break;
        case 6: attend_tile(type, 6, tile, scores); break;
#if LANES_TILE >= 8
        case 7: attend_tile(type, 7, tile, scores); break;
        case 8: attend_tile(type, 8, tile, scores); break;
#endif
    }
}

LANES_TARGET static void attend_queries_f16(int queries, const attention_tile *tile, float *scores) {
    attend_queries(PARLEY_F16, queries, tile, scores);
}

LANES_TARGET static void attend_queries_q8_0(int queries, const attention_tile *tile, float *scores) {
    attend_queries(PARLEY_Q8_0, queries, tile, scores);
}

/// Computes query heads [head_begin, head_end), all of kv head `kv_head`, in tiles of equal size over the pairs (row,
/// head), in order of rows.
LANES_TARGET static void attend_group(const parley_attention *a, size_t kv_head, size_t row_begin, size_t row_end,
                                      size_t head_begin, size_t head_end, float *scores) {
    size_t heads = head_end - head_begin, total = (row_end - row_begin) * heads;
    attention_tile tile = {
        .head_dim = a->head_dim,
        .value_dim = a->value_dim,
        .keys = (const uint8_t *)a->keys + kv_head * a->key_stride,
        .values = (const uint8_t *)a->values + kv_head * a->value_stride,
        .key_panel = parley_cache_panel_bytes(a->cache_type, a->head_dim),
        .value_panel = parley_cache_panel_bytes(a->cache_type, a->value_dim),
        .scale = a->scale,
        .softcap = a->softcap,
        .key_bias = a->key_bias,
    };
    size_t tiles = (total + LANES_TILE - 1) / LANES_TILE;
    for (size_t next = 0; tiles > 0; tiles--) {
        int queries = (int)((total - next + tiles - 1) / tiles);
        size_t first = SIZE_MAX, last = 0;
        for (int i = 0; i < queries; i++, next++) {
            size_t row = row_begin + next / heads, head = head_begin + next % heads;
            tile.q[i] = a->q + row * a->q_stride + head * a->head_dim;
            tile.y[i] = a->y + row * a->y_stride + head * a->value_dim;
            tile.sink[i] = parley_sink(a, head);
            tile.begin[i] = parley_first_visible(a, row);
            tile.end[i] = parley_end_visible(a, row);
            first = smaller(first, tile.begin[i]);
            last = larger(last, tile.end[i]);
        }
        tile.first_panel = first / PARLEY_KEY_PANEL;
        tile.last_panel = (last + PARLEY_KEY_PANEL - 1) / PARLEY_KEY_PANEL;
        if (a->cache_type == PARLEY_Q8_0) attend_queries_q8_0(queries, &tile, scores);
        else attend_queries_f16(queries, &tile, scores);
    }
}

LANES_KERNEL(attend)(const parley_attention *a, size_t row_begin, size_t row_end, size_t head_begin, size_t head_end,
                     void *scratch) {
    size_t group = a->heads / a->kv_heads;
    while (row_begin < row_end && head_begin < head_end) {
        size_t kv_head = head_begin / group;
        size_t group_end = smaller((kv_head + 1) * group, head_end);
        attend_group(a, kv_head, row_begin, row_end, head_begin, group_end, scratch);
        head_begin = group_end;
    }
}
