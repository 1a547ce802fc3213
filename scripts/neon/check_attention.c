// SPDX-License-Identifier: Apache-2.0
//
// Attention of any split of rows and heads against the portable kernels one row and head at a time, over a cache that
// holds NaN wherever no query may look.

#include "check_neon.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 60 };

static const uint16_t not_a_number = 0x7e00;

/// A cache of `stride` bytes for each kv head, whose positions are stored by `store` at [begin, end).
static void *cache(parley_type type, void (*store)(parley_type, const float *, size_t, void *, size_t), size_t kv_heads,
                   size_t stride, size_t dim, size_t begin, size_t end) {
    uint16_t *memory = (uint16_t *)parley_random_floats((kv_heads * stride + 3) / 4, 1.0f);
    for (size_t i = 0; i < kv_heads * stride / 2; i++) memory[i] = not_a_number;
    for (size_t g = 0; g < kv_heads; g++)
        for (size_t p = begin; p < end; p++) {
            float *x = parley_random_floats(dim, 2.0f);
            store(type, x, dim, (uint8_t *)memory + g * stride, p);
            free(x);
        }
    return memory;
}

static bool one_shape(const parley_kernels *kernels) {
    const parley_kernels *generic = parley_kernels_for(PARLEY_ISA_GENERIC);
    size_t rows = parley_random_size(1, parley_random() % 4 ? 9 : 40), group = parley_random_size(1, 9), kv_heads = parley_random_size(1, 2);
    size_t position = parley_random_size(0, parley_random() % 4 ? 90 : 500);
    size_t window = parley_random() % 2 ? 0 : parley_random_size(1, 80);
    parley_attention a = {
        .heads = group * kv_heads, .kv_heads = kv_heads, .position = position, .window = window,
        .head_dim = 8 * parley_random_size(1, 9), .value_dim = 8 * parley_random_size(1, 9),
        .cache_type = parley_random() % 2 ? PARLEY_F16 : PARLEY_Q8_0, .scale = 0.3f, .softcap = parley_random() % 4 ? 0.0f : 5.0f,
    };
    if (parley_random() % 16 == 0) a.head_dim = a.value_dim = 256;
    if (parley_random() % 4 == 0) {
        position = window = a.position = a.window = 0;
        a.visible = rows;
    }
    size_t end = position + rows, begin = window == 0 || position + 1 < window ? 0 : position + 1 - window;
    size_t panels = (end + PARLEY_KEY_PANEL - 1) / PARLEY_KEY_PANEL;
    a.q_stride = a.heads * a.head_dim + 5;
    a.y_stride = a.heads * a.value_dim + 3;
    a.key_stride = panels * parley_cache_panel_bytes(a.cache_type, a.head_dim) + 32;
    a.value_stride = panels * parley_cache_panel_bytes(a.cache_type, a.value_dim);
    float *q = parley_random_floats(rows * a.q_stride, 2.0f);
    void *keys = cache(a.cache_type, generic->store_key, kv_heads, a.key_stride, a.head_dim, begin, end);
    void *values = cache(a.cache_type, generic->store_value, kv_heads, a.value_stride, a.value_dim, begin, end);
    size_t count = rows * a.y_stride;
    float *expected = parley_random_floats(count, 1.0f), *actual = parley_copy(expected, count * sizeof(float));
    size_t scratch_count = parley_attention_scratch_bytes(end) / sizeof(float);
    float *scratch = parley_random_floats(scratch_count + 1, 1.0f);
    float canary = scratch[scratch_count];
    float *sinks = parley_random_floats(a.heads, 3.0f);
    a.q = q, a.keys = keys, a.values = values, a.sinks = parley_random() % 3 ? NULL : sinks;

    a.y = expected;
    for (size_t row = 0; row < rows; row++)
        for (size_t h = 0; h < a.heads; h++) generic->attend(&a, row, row + 1, h, h + 1, scratch);
    a.y = actual;
    size_t row_split = parley_random_size(0, rows), head_split = parley_random_size(0, a.heads);
    kernels->attend(&a, 0, row_split, 0, head_split, scratch);
    kernels->attend(&a, row_split, rows, 0, head_split, scratch);
    kernels->attend(&a, 0, rows, head_split, a.heads, scratch);

    bool passed = memcmp(expected, actual, count * sizeof(float)) == 0 && scratch[scratch_count] == canary;
    for (size_t i = 0; i < count; i++) passed = passed && isfinite(actual[i]);
    free(q);
    free(keys);
    free(values);
    free(expected);
    free(actual);
    free(scratch);
    free(sinks);
    return passed;
}

int parley_check_attention(const parley_kernels *kernels) {
    bool passed = true;
    for (int round = 0; round < ROUNDS; round++) passed = one_shape(kernels) && passed;
    return parley_report(kernels->name, "attend", passed);
}
