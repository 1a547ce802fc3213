// SPDX-License-Identifier: Apache-2.0
//
// Activations to 8 bits, AVX2: a block of 32 columns is four registers of floats.

#include "kernels_internal.h"

#if PARLEY_X86

#pragma STDC FP_CONTRACT OFF

#include <immintrin.h>

#include "panel_layout.h"

#define LANES_TARGET PARLEY_AVX2
#define LANES_KERNEL(operation) LANES_TARGET void parley_##operation##_avx2

#include "quantize_avx2.h"

LANES_INLINE void quantize_block(const float *values, const parley_activation_block *out, size_t width, size_t lane) {
    const __m256 magnitude = _mm256_castsi256_ps(_mm256_set1_epi32(0x7fffffff));
    __m256 x[4], maxima = _mm256_setzero_ps();
    for (int i = 0; i < 4; i++) {
        x[i] = _mm256_loadu_ps(values + 8 * i);
        // The operands' order drops NaN.
        maxima = _mm256_max_ps(_mm256_and_ps(x[i], magnitude), maxima);
    }
    float d = largest(maxima) / 127;
    __m256i q[4];
    for (int i = 0; i < 4; i++) {
        // ... and sends it to -127 here.
        __m256 scaled = _mm256_max_ps(_mm256_div_ps(x[i], _mm256_set1_ps(d)), _mm256_set1_ps(-127));
        q[i] = _mm256_cvtps_epi32(_mm256_min_ps(scaled, _mm256_set1_ps(127)));
        if (!(d > 0)) q[i] = _mm256_setzero_si256();
    }
    // Packing works within halves of a register: the words come out as 0 2 4 6 1 3 5 7.
    __m256i bytes = _mm256_packs_epi16(_mm256_packs_epi32(q[0], q[1]), _mm256_packs_epi32(q[2], q[3]));
    bytes = _mm256_permutevar8x32_epi32(bytes, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
    uint32_t words[8];
    _mm256_storeu_si256((__m256i *)(void *)words, bytes);
    for (size_t g = 0; g < 8; g++) __builtin_memcpy(out->q + (g * width + lane) * 4, &words[g], 4);
    int32_t low_sum = sum_of(_mm256_add_epi32(q[0], q[1])), sum = low_sum + sum_of(_mm256_add_epi32(q[2], q[3]));
    parley_store_sums(out, lane, d, low_sum, sum);
}

#include "quantize_lanes.h"

#endif
