// SPDX-License-Identifier: Apache-2.0
//
// The largest and the sum of a register's numbers, for the activations of AVX2. The file that includes this defines
// LANES_TARGET.

#ifndef PARLEY_QUANTIZE_AVX2_H
#define PARLEY_QUANTIZE_AVX2_H

#include <immintrin.h>

#include "kernels_internal.h"

LANES_INLINE float largest(__m256 x) {
    __m128 four = _mm_max_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));
    __m128 two = _mm_max_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_max_ss(two, _mm_movehdup_ps(two)));
}

LANES_INLINE int32_t sum_of(__m256i x) {
    __m128i four = _mm_add_epi32(_mm256_castsi256_si128(x), _mm256_extracti128_si256(x, 1));
    __m128i two = _mm_add_epi32(four, _mm_unpackhi_epi64(four, four));
    return _mm_cvtsi128_si32(_mm_add_epi32(two, _mm_shuffle_epi32(two, 1)));
}

#endif
