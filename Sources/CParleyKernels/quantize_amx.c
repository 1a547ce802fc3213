// SPDX-License-Identifier: Apache-2.0
//
// Activations to 8 bits, for AMX: AVX-512's numbers, in the layout of `activations_amx.h` where AMX multiplies them.

#include "kernels_internal.h"

#if PARLEY_X86

#pragma STDC FP_CONTRACT OFF

#include "activations_amx.h"
#include "quantize_avx512.h"

LANES_TARGET void parley_quantize_amx(const float *x, size_t x_stride, size_t columns, void *activations,
                                      size_t tokens, size_t token_begin, size_t token_end) {
    if (!parley_amx_multiplies(tokens)) {
        parley_quantize_avx512(x, x_stride, columns, activations, tokens, token_begin, token_end);
        return;
    }
    for (size_t t = token_begin; t < token_end; t++) {
        const size_t tile = parley_tile_of_token(tokens, PARLEY_AMX_TOKENS, t);
        const size_t begin = parley_tile_begin(tokens, PARLEY_AMX_TOKENS, tile), lane = t - begin;
        const size_t width = parley_tile_begin(tokens, PARLEY_AMX_TOKENS, tile + 1) - begin;
        for (size_t b = 0; b < columns / PARLEY_BLOCK_COLUMNS; b++) {
            const parley_amx_block out = parley_amx_activations_at(activations, tokens, columns, begin, width, b);
            const quantized_block block = quantized(x + t * x_stride + b * PARLEY_BLOCK_COLUMNS);
            _mm256_store_si256((__m256i *)(void *)(out.q + PARLEY_BLOCK_COLUMNS * lane), block.q);
            out.scale[lane] = block.scale;
            out.scaled_sum[lane] = block.scale * (float)block.sum;
            out.scaled_half[0][lane] = block.scale * (float)block.low_sum;
            out.scaled_half[1][lane] = block.scale * (float)(block.sum - block.low_sum);
        }
    }
}

#endif
