// SPDX-License-Identifier: Apache-2.0
//
// Activations to 8 bits, AVX-512.

#include "kernels_internal.h"

#if PARLEY_X86

#pragma STDC FP_CONTRACT OFF

#include "panel_layout.h"
#include "quantize_avx512.h"

#define LANES_KERNEL(operation) LANES_TARGET void parley_##operation##_avx512

LANES_INLINE void quantize_block(const float *values, const parley_activation_block *out, size_t width, size_t lane) {
    const quantized_block block = quantized(values);
    uint32_t words[8];
    __builtin_memcpy(words, &block.q, sizeof words);
    for (size_t g = 0; g < 8; g++) __builtin_memcpy(out->q + (g * width + lane) * 4, &words[g], 4);
    parley_store_sums(out, lane, block.scale, block.low_sum, block.sum);
}

#include "quantize_lanes.h"

#endif
