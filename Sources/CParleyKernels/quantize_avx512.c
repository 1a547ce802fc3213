// SPDX-License-Identifier: Apache-2.0
//
// Activations to 8 bits, AVX-512: a block of 32 columns is two registers of floats.

#include "kernels_internal.h"

#if PARLEY_X86

#pragma STDC FP_CONTRACT OFF

#include <immintrin.h>

#include "panel_layout.h"

#define LANES_TARGET PARLEY_AVX512
#define LANES_KERNEL(operation) LANES_TARGET void parley_##operation##_avx512

/// x / d within [-127, 127], to nearest even. The operands' order sends NaN to -127.
LANES_INLINE __m512i scaled(__m512 x, __m512 d) {
    __m512 q = _mm512_max_ps(_mm512_div_ps(x, d), _mm512_set1_ps(-127));
    return _mm512_cvtps_epi32(_mm512_min_ps(q, _mm512_set1_ps(127)));
}

LANES_INLINE void quantize_block(const float *values, const parley_activation_block *out, size_t width, size_t lane) {
    __m512 low = _mm512_loadu_ps(values), high = _mm512_loadu_ps(values + 16);
    __m512 zero = _mm512_setzero_ps();
    __m512 maxima = _mm512_max_ps(_mm512_abs_ps(high), _mm512_max_ps(_mm512_abs_ps(low), zero));
    float d = _mm512_reduce_max_ps(maxima) / 127;
    __m512i q_low = scaled(low, _mm512_set1_ps(d)), q_high = scaled(high, _mm512_set1_ps(d));
    if (!(d > 0)) q_low = q_high = _mm512_setzero_si512();
    __m256i bytes = _mm256_set_m128i(_mm512_cvtepi32_epi8(q_high), _mm512_cvtepi32_epi8(q_low));
    uint32_t words[8];
    __builtin_memcpy(words, &bytes, sizeof words);
    for (size_t g = 0; g < 8; g++) __builtin_memcpy(out->q + (g * width + lane) * 4, &words[g], 4);
    // The sum of each word, then of each half.
    __m256i sums = _mm256_dpbusd_epi32(_mm256_setzero_si256(), _mm256_set1_epi8(1), bytes);
    sums = _mm256_add_epi32(sums, _mm256_shuffle_epi32(sums, 0xb1));
    sums = _mm256_add_epi32(sums, _mm256_shuffle_epi32(sums, 0x4e));
    int32_t low_sum = _mm256_cvtsi256_si32(sums), sum = low_sum + _mm256_extract_epi32(sums, 4);
    parley_store_sums(out, lane, d, low_sum, sum);
}

#include "quantize_lanes.h"

#endif
