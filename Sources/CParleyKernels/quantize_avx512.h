// SPDX-License-Identifier: Apache-2.0
//
// A block of 32 activations to 8 bits: two registers of floats. For the layouts of AVX-512 and of AMX.

#ifndef PARLEY_QUANTIZE_AVX512_H
#define PARLEY_QUANTIZE_AVX512_H

#include <immintrin.h>

#include "kernels_internal.h"

#pragma STDC FP_CONTRACT OFF

#define LANES_TARGET PARLEY_AVX512

typedef struct {
    __m256i q;
    float scale;
    int32_t low_sum, sum;  // of the first 16 q, and of all
} quantized_block;

/// x / d within [-127, 127], to nearest even. The operands' order sends NaN to -127.
LANES_INLINE __m512i scaled(__m512 x, __m512 d) {
    __m512 q = _mm512_max_ps(_mm512_div_ps(x, d), _mm512_set1_ps(-127));
    return _mm512_cvtps_epi32(_mm512_min_ps(q, _mm512_set1_ps(127)));
}

LANES_INLINE quantized_block quantized(const float *values) {
    __m512 low = _mm512_loadu_ps(values), high = _mm512_loadu_ps(values + 16);
    __m512 zero = _mm512_setzero_ps();
    __m512 maxima = _mm512_max_ps(_mm512_abs_ps(high), _mm512_max_ps(_mm512_abs_ps(low), zero));
    float d = _mm512_reduce_max_ps(maxima) / 127;
    __m512i q_low = scaled(low, _mm512_set1_ps(d)), q_high = scaled(high, _mm512_set1_ps(d));
    if (!(d > 0)) q_low = q_high = _mm512_setzero_si512();
    __m256i bytes = _mm256_set_m128i(_mm512_cvtepi32_epi8(q_high), _mm512_cvtepi32_epi8(q_low));
    // The sum of each word, then of each half.
    __m256i sums = _mm256_dpbusd_epi32(_mm256_setzero_si256(), _mm256_set1_epi8(1), bytes);
    sums = _mm256_add_epi32(sums, _mm256_shuffle_epi32(sums, 0xb1));
    sums = _mm256_add_epi32(sums, _mm256_shuffle_epi32(sums, 0x4e));
    int32_t low_sum = _mm256_cvtsi256_si32(sums);
    return (quantized_block){bytes, d, low_sum, low_sum + _mm256_extract_epi32(sums, 4)};
}

#endif
