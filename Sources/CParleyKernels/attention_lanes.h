// SPDX-License-Identifier: Apache-2.0
//
// Attention over sixteen lanes: the body of `attention_<isa>.c`, which defines LANES_TARGET, LANES_KERNEL(operation)
// and LANES_ACCUMULATORS, how many f32x16 sums the registers hold beside their operands.
//
// Queries that read the same kv head are taken in tiles, so that each key and value is loaded and widened once for all
// of them and their chains of fma run side by side. Every chain stays that of `attention_generic.c`: tiles decide what
// is computed together, never in which order one sum is added.
//
// Scores stand in the scratch as [panel][query][16], panels counted from the tile's first.

#include "attention.h"
#include "lanes.h"

#pragma STDC FP_CONTRACT OFF

/// Queries of one kv head, each with the positions [begin, end) it sees.
typedef struct {
    size_t head_dim, value_dim;
    const uint16_t *keys, *values;
    float scale, softcap;
    const float *q[PARLEY_ATTENTION_TILE];
    float *y[PARLEY_ATTENTION_TILE];
    size_t begin[PARLEY_ATTENTION_TILE], end[PARLEY_ATTENTION_TILE];
    size_t first_panel, last_panel;  // [first, last) covers what any of them sees
} attention_tile;

/// How many panels of keys, or chunks of values, go beside `queries` accumulators: a power of two.
LANES_INLINE int beside(const int queries) {
    return LANES_ACCUMULATORS >= 4 * queries ? 4 : LANES_ACCUMULATORS >= 2 * queries ? 2 : 1;
}

/// -infinity where the position of a lane is outside [begin, end). `position` is that of lane 0.
LANES_INLINE f32x16 masked(f32x16 scores, size_t position, size_t begin, size_t end) {
    if (begin <= position && position + PARLEY_KEY_PANEL <= end) return scores;
    int32_t from = begin <= position ? 0 : begin - position < 16 ? (int32_t)(begin - position) : 16;
    int32_t to = end <= position ? 0 : end - position < 16 ? (int32_t)(end - position) : 16;
    i32x16 lane = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    return lanes_select((lane >= from) & (lane < to), scores, (f32x16)(-INFINITY));
}

/// q . k of all queries for `panels` panels of keys from `panel` on, a position a lane.
LANES_INLINE void score_panels(const int queries, const int panels, const attention_tile *tile, size_t panel,
                               float *scores) {
    f32x16 sums[PARLEY_ATTENTION_TILE][4];
#pragma clang loop unroll(full)
    for (int i = 0; i < queries; i++)
#pragma clang loop unroll(full)
        for (int j = 0; j < panels; j++) sums[i][j] = (f32x16)(0.0f);
    size_t panel_size = tile->head_dim * PARLEY_KEY_PANEL;
    const uint16_t *keys = tile->keys + panel * panel_size;
    for (size_t d = 0; d < tile->head_dim; d++) {
        f32x16 k[4];
#pragma clang loop unroll(full)
        for (int j = 0; j < panels; j++) k[j] = lanes_load_f16(keys + (size_t)j * panel_size + d * PARLEY_KEY_PANEL);
#pragma clang loop unroll(full)
        for (int i = 0; i < queries; i++) {
            f32x16 q = (f32x16)(tile->q[i][d]);
#pragma clang loop unroll(full)
            for (int j = 0; j < panels; j++) sums[i][j] = lanes_fma(q, k[j], sums[i][j]);
        }
    }
#pragma clang loop unroll(full)
    for (int j = 0; j < panels; j++)
#pragma clang loop unroll(full)
        for (int i = 0; i < queries; i++) lanes_store(scores + (j * queries + i) * PARLEY_KEY_PANEL, sums[i][j]);
}

/// Scales, caps and masks the scores that `score_panels` left for `panels` panels from `panel` on, and keeps the largest.
LANES_INLINE void finish_scores(const int queries, const int panels, const attention_tile *tile, size_t panel,
                                float *scores, f32x16 *highest) {
    for (int j = 0; j < panels; j++)
        for (int i = 0; i < queries; i++, scores += PARLEY_KEY_PANEL) {
            f32x16 s = lanes_load(scores) * tile->scale;
            if (tile->softcap != 0.0f) s = tile->softcap * lanes_tanh(s / tile->softcap);
            s = masked(s, (panel + (size_t)j) * PARLEY_KEY_PANEL, tile->begin[i], tile->end[i]);
            highest[i] = lanes_max(s, highest[i]);
            lanes_store(scores, s);
        }
}

/// Turns one query's scores into exp(score - highest) and returns their sum. What is masked becomes 0 and adds nothing.
LANES_INLINE float softmax(const int queries, const attention_tile *tile, float *scores, float highest) {
    f32x16 sum = (f32x16)(0.0f);
    for (size_t panel = tile->first_panel; panel < tile->last_panel; panel++) {
        f32x16 e = lanes_exp(lanes_load(scores) - highest);
        lanes_store(scores, e);
        sum += e;
        scores += queries * PARLEY_KEY_PANEL;
    }
    return lanes_sum(sum);
}

/// Adds the values at positions [begin, end), weighted, to `chunks` times 16 columns of y of queries
/// [first, first + queries); `tile_queries` is the number whose scores stand side by side. Only the first 8 columns
/// count when `half`.
LANES_INLINE void weigh_values(const int queries, const int chunks, const bool half, const attention_tile *tile,
                               int first, int tile_queries, const float *scores, size_t column, size_t begin,
                               size_t end) {
    const size_t width = half ? 8 : 16;
    f32x16 sums[PARLEY_ATTENTION_TILE][4];
#pragma clang loop unroll(full)
    for (int i = 0; i < queries; i++)
#pragma clang loop unroll(full)
        for (int c = 0; c < chunks; c++) {
            const float *y = tile->y[first + i] + column + (size_t)c * 16;
            sums[i][c] = half ? lanes_load_part(y, width) : lanes_load(y);
        }
    size_t position = begin;
    while (position < end) {
        size_t panel = position / PARLEY_KEY_PANEL, lane = position % PARLEY_KEY_PANEL;
        size_t stop = (panel + 1) * PARLEY_KEY_PANEL < end ? (panel + 1) * PARLEY_KEY_PANEL : end;
        size_t slot = (panel - tile->first_panel) * (size_t)tile_queries + (size_t)first;
        const float *weights = scores + slot * PARLEY_KEY_PANEL + lane;
        const uint16_t *values = tile->values + position * tile->value_dim + column;
        for (; position < stop; position++, weights++, values += tile->value_dim) {
            f32x16 v[4];
#pragma clang loop unroll(full)
            for (int c = 0; c < chunks; c++)
                v[c] = half ? lanes_load_half_f16(values) : lanes_load_f16(values + (size_t)c * 16);
#pragma clang loop unroll(full)
            for (int i = 0; i < queries; i++) {
                f32x16 weight = (f32x16)(weights[i * PARLEY_KEY_PANEL]);
#pragma clang loop unroll(full)
                for (int c = 0; c < chunks; c++) sums[i][c] = lanes_fma(weight, v[c], sums[i][c]);
            }
        }
    }
#pragma clang loop unroll(full)
    for (int i = 0; i < queries; i++)
#pragma clang loop unroll(full)
        for (int c = 0; c < chunks; c++) {
            float *y = tile->y[first + i] + column + (size_t)c * 16;
            if (half) lanes_store_part(y, sums[i][c], width);
            else lanes_store(y, sums[i][c]);
        }
}

/// The same for all columns.
LANES_INLINE void weigh_rows(const int queries, const attention_tile *tile, int first, int tile_queries,
                             const float *scores, size_t begin, size_t end) {
    const int chunks = beside(queries);
    size_t column = 0;
    for (; column + 16 * (size_t)chunks <= tile->value_dim; column += 16 * (size_t)chunks)
        weigh_values(queries, chunks, false, tile, first, tile_queries, scores, column, begin, end);
    for (; column + 16 <= tile->value_dim; column += 16)
        weigh_values(queries, 1, false, tile, first, tile_queries, scores, column, begin, end);
    if (column < tile->value_dim)
        weigh_values(queries, 1, true, tile, first, tile_queries, scores, column, begin, end);
}

/// The same for one query, where the positions that queries see differ.
LANES_TARGET static void weigh_alone(const attention_tile *tile, int query, int tile_queries, const float *scores,
                                     size_t begin, size_t end) {
    if (begin < end) weigh_rows(1, tile, query, tile_queries, scores, begin, end);
}

LANES_INLINE size_t smaller(size_t a, size_t b) { return a < b ? a : b; }
LANES_INLINE size_t larger(size_t a, size_t b) { return a > b ? a : b; }

/// A value is multiplied only for queries that see its position, so garbage beyond (NaN times 0) reaches nobody: first
/// what single queries see before all do, then what all see, then again single queries. Each sum keeps its order.
LANES_INLINE void weigh(const int queries, const attention_tile *tile, const float *scores) {
    size_t begin = tile->begin[0], end = tile->end[0];
    for (int i = 1; i < queries; i++) {
        begin = larger(begin, tile->begin[i]);
        end = smaller(end, tile->end[i]);
    }
    end = larger(begin, end);
    for (int i = 0; i < queries; i++)
        weigh_alone(tile, i, queries, scores, tile->begin[i], smaller(begin, tile->end[i]));
    if (begin < end) weigh_rows(queries, tile, 0, queries, scores, begin, end);
    for (int i = 0; i < queries; i++)
        weigh_alone(tile, i, queries, scores, larger(end, tile->begin[i]), tile->end[i]);
}

LANES_INLINE void attend_tile(const int queries, const attention_tile *tile, float *scores) {
    f32x16 highest[PARLEY_ATTENTION_TILE];
    for (int i = 0; i < queries; i++) highest[i] = (f32x16)(-INFINITY);
    const int panels = beside(queries);
    float *next = scores;
    size_t panel = tile->first_panel;
    for (; panel + (size_t)panels <= tile->last_panel; panel += (size_t)panels, next += panels * queries * 16) {
        score_panels(queries, panels, tile, panel, next);
        finish_scores(queries, panels, tile, panel, next, highest);
    }
    for (; panel < tile->last_panel; panel++, next += queries * 16) {
        score_panels(queries, 1, tile, panel, next);
        finish_scores(queries, 1, tile, panel, next, highest);
    }

    float sums[PARLEY_ATTENTION_TILE];
    for (int i = 0; i < queries; i++) {
        sums[i] = softmax(queries, tile, scores + i * PARLEY_KEY_PANEL, lanes_highest(highest[i]));
        memset(tile->y[i], 0, tile->value_dim * sizeof(float));
    }
    weigh(queries, tile, scores);
    for (int i = 0; i < queries; i++)
        for (size_t d = 0; d < tile->value_dim; d++) tile->y[i][d] /= sums[i];
}

/// One copy of the tile's code per number of queries, so that its sums stand in registers.
LANES_TARGET static void attend_queries(int queries, const attention_tile *tile, float *scores) {
    switch (queries) {
        case 1: attend_tile(1, tile, scores); break;
        case 2: attend_tile(2, tile, scores); break;
        case 3: attend_tile(3, tile, scores); break;
        case 4: attend_tile(4, tile, scores); break;
        case 5: attend_tile(5, tile, scores); break;
        case 6: attend_tile(6, tile, scores); break;
#if LANES_TILE >= 8
        case 7: attend_tile(7, tile, scores); break;
        case 8: attend_tile(8, tile, scores); break;
#endif
    }
}

/// Query heads [head_begin, head_end), all of kv head `kv_head`, in even tiles of (row, head) in order of rows.
LANES_TARGET static void attend_group(const parley_attention *a, size_t kv_head, size_t row_begin, size_t row_end,
                                      size_t head_begin, size_t head_end, float *scores) {
    size_t heads = head_end - head_begin, total = (row_end - row_begin) * heads;
    attention_tile tile = {
        .head_dim = a->head_dim,
        .value_dim = a->value_dim,
        .keys = a->keys + kv_head * a->key_stride,
        .values = a->values + kv_head * a->value_stride,
        .scale = a->scale,
        .softcap = a->softcap,
    };
    size_t tiles = (total + LANES_TILE - 1) / LANES_TILE;
    for (size_t next = 0; tiles > 0; tiles--) {
        int queries = (int)((total - next + tiles - 1) / tiles);
        size_t first = SIZE_MAX, last = 0;
        for (int i = 0; i < queries; i++, next++) {
            size_t row = row_begin + next / heads, head = head_begin + next % heads;
            tile.q[i] = a->q + row * a->q_stride + head * a->head_dim;
            tile.y[i] = a->y + row * a->y_stride + head * a->value_dim;
            tile.begin[i] = parley_first_visible(a, row);
            tile.end[i] = a->position + row + 1;
            first = smaller(first, tile.begin[i]);
            last = larger(last, tile.end[i]);
        }
        tile.first_panel = first / PARLEY_KEY_PANEL;
        tile.last_panel = (last + PARLEY_KEY_PANEL - 1) / PARLEY_KEY_PANEL;
        attend_queries(queries, &tile, scores);
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
