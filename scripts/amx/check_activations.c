// SPDX-License-Identifier: Apache-2.0
//
// The activations that AMX quantises against the portable ones, number by number, since their layouts differ: also of
// values that a product cannot use.

#include "check_amx.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "activations_amx.h"

static const float odd_values[] = {NAN, -INFINITY, INFINITY, 0x1p-149f, -0x1.9p-143f, 0x1.fffffep127f, -0.0f};

static bool is_same(float a, float b) { return memcmp(&a, &b, sizeof a) == 0; }

static bool is_same_token(const parley_activation_block *expected, size_t width, size_t lane,
                          const parley_amx_block *actual, size_t amx_lane) {
    const float scale = expected->scale[lane];
    const int32_t sum = -expected->minus_sum[lane], low_sum = -expected->minus_low[lane];
    bool same = is_same(actual->scale[amx_lane], scale)
        && is_same(actual->scaled_sum[amx_lane], scale * (float)sum)
        && is_same(actual->scaled_half[0][amx_lane], scale * (float)low_sum)
        && is_same(actual->scaled_half[1][amx_lane], scale * (float)(sum - low_sum));
    for (size_t c = 0; c < PARLEY_BLOCK_COLUMNS; c++) {
        const int8_t q = expected->q[(c / 4 * width + lane) * 4 + c % 4];
        same = same && actual->q[PARLEY_BLOCK_COLUMNS * amx_lane + c] == q;
    }
    return same;
}

/// A token's tile, and its place in it.
typedef struct {
    size_t begin, width, lane;
} place;

static place place_of(size_t tokens, size_t most, size_t token) {
    const size_t tile = parley_tile_of_token(tokens, most, token), begin = parley_tile_begin(tokens, most, tile);
    return (place){begin, parley_tile_begin(tokens, most, tile + 1) - begin, token - begin};
}

static bool one_shape(const parley_kernels *kernels) {
    const parley_kernels *generic = parley_kernels_for(PARLEY_ISA_GENERIC);
    const size_t tokens = parley_random_size(PARLEY_TILE_TOKENS + 1, 70), blocks = parley_random_size(1, 20);
    const size_t columns = blocks * PARLEY_BLOCK_COLUMNS, bytes = parley_activation_bytes(tokens, columns);
    float *x = parley_random_floats(tokens * columns, 2.0f);
    for (int i = 0; i < 9; i++) x[parley_random_size(0, tokens * columns - 1)] = odd_values[i % 7];
    void *expected = aligned_alloc(64, bytes), *actual = aligned_alloc(64, bytes);
    const size_t middle = parley_random_size(0, tokens);
    generic->quantize(x, columns, columns, expected, tokens, 0, tokens);
    kernels->quantize(x, columns, columns, actual, tokens, middle, tokens);
    kernels->quantize(x, columns, columns, actual, tokens, 0, middle);
    bool same = true;
    for (size_t t = 0; t < tokens; t++) {
        const place six = place_of(tokens, PARLEY_TILE_TOKENS, t), amx = place_of(tokens, PARLEY_AMX_TOKENS, t);
        for (size_t b = 0; b < blocks; b++) {
            const parley_activation_block block = parley_activations_at(expected, columns, six.begin, six.width, b);
            const parley_amx_block amx_block =
                parley_amx_activations_at(actual, tokens, columns, amx.begin, amx.width, b);
            same = same && is_same_token(&block, six.width, six.lane, &amx_block, amx.lane);
        }
    }
    free(x);
    free(expected);
    free(actual);
    return same;
}

int parley_check_activations(const parley_kernels *kernels) {
    bool passed = true;
    for (int round = 0; round < 200; round++) passed = one_shape(kernels) && passed;
    return parley_report(kernels->name, "quantize", passed);
}
