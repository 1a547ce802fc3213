// SPDX-License-Identifier: Apache-2.0
//
// Quantises activations to 8 bits: the readable reference.

#include <math.h>

#pragma STDC FP_CONTRACT OFF

#include "panel_layout.h"

size_t parley_activation_bytes(size_t tokens, size_t columns) {
    size_t bytes;
    if (__builtin_mul_overflow(columns / PARLEY_BLOCK_COLUMNS, PARLEY_ACTIVATION_BLOCK_BYTES, &bytes)) return 0;
    if (__builtin_mul_overflow(tokens, bytes, &bytes)) return 0;
    return bytes <= SIZE_MAX - 63 ? (bytes + 63) / 64 * 64 : 0;
}

void parley_quantize_generic(const float *x, size_t x_stride, size_t columns, void *activations, size_t tokens,
                             size_t token_begin, size_t token_end) {
    for (size_t t = token_begin; t < token_end; t++) {
        size_t tile = parley_tile_of_token(tokens, PARLEY_TILE_TOKENS, t);
        size_t begin = parley_tile_begin(tokens, PARLEY_TILE_TOKENS, tile), lane = t - begin;
        size_t width = parley_tile_begin(tokens, PARLEY_TILE_TOKENS, tile + 1) - begin;
        for (size_t b = 0; b < columns / PARLEY_BLOCK_COLUMNS; b++) {
            const float *values = x + t * x_stride + b * PARLEY_BLOCK_COLUMNS;
            parley_activation_block out = parley_activations_at(activations, columns, begin, width, b);
            float maximum = 0;
            for (int c = 0; c < PARLEY_BLOCK_COLUMNS; c++) {
                maximum = fabsf(values[c]) > maximum ? fabsf(values[c]) : maximum;
            }
            float d = maximum / 127;
            int32_t sum = 0, low_sum = 0;
            for (int c = 0; c < PARLEY_BLOCK_COLUMNS; c++) {
                // The comparisons send NaN to -127 on every instruction set. d is 0 where the block is (nearly) zero.
                float scaled = d > 0 ? values[c] / d : 0;
                scaled = scaled > -127 ? scaled : -127;
                scaled = scaled < 127 ? scaled : 127;
                int8_t q = (int8_t)rintf(scaled);
                out.q[((size_t)(c / 4) * width + lane) * 4 + (size_t)(c % 4)] = q;
                sum += q;
                if (c < PARLEY_BLOCK_COLUMNS / 2) low_sum += q;
            }
            parley_store_sums(&out, lane, d, low_sum, sum);
        }
    }
}
