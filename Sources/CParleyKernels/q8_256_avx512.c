// SPDX-License-Identifier: Apache-2.0
//
// Products with PARLEY_Q8_256 and their activations for AVX-512 with VNNI.

#include "kernels_internal.h"

#if PARLEY_X86

#pragma STDC FP_CONTRACT OFF

#include "matmul_avx512.h"

#define LANES_CHUNK_GROUPS 3

LANES_INLINE i32_rows add_products(i32_rows sums, __m512i q, int32_t four) {
    return (i32_rows)_mm512_dpbusd_epi32((__m512i)sums, q, _mm512_set1_epi32(four));
}

#include "q8_256_lanes.h"

/// Columns [c, c + 16) of a group of `count`; those beyond it are 0.
LANES_INLINE __m512 columns_at(const float *x, size_t c, size_t count) {
    if (c + 16 <= count) return _mm512_loadu_ps(x + c);
    return c >= count ? _mm512_setzero_ps() : _mm512_maskz_loadu_ps(row_mask(count - c), x + c);
}

LANES_INLINE void quantize_group(const float *x, size_t count, size_t width, int8_t *q, float *scale, int32_t *start) {
    __m512 maxima[2] = {_mm512_setzero_ps(), _mm512_setzero_ps()};
    // The operands' order drops NaN.
    for (size_t c = 0; c < width; c += 32) {
        maxima[0] = _mm512_max_ps(_mm512_abs_ps(columns_at(x, c, count)), maxima[0]);
        maxima[1] = _mm512_max_ps(_mm512_abs_ps(columns_at(x, c + 16, count)), maxima[1]);
    }
    const parley_group_factors factors = parley_factors_of(_mm512_reduce_max_ps(_mm512_max_ps(maxima[0], maxima[1])));
    const __m512 inverse = _mm512_set1_ps(factors.inverse);
    __m512i sums = _mm512_setzero_si512();
    for (size_t c = 0; c < width; c += 64) {
        __m512i part[4];
        UNROLL for (size_t i = 0; i < 4; i++) {
            // ... and sends it to -127 here.
            const __m512 scaled = _mm512_mul_ps(columns_at(x, c + 16 * i, count), inverse);
            const __m512 bounded = _mm512_min_ps(_mm512_max_ps(scaled, _mm512_set1_ps(-127)), _mm512_set1_ps(127));
            part[i] = _mm512_cvtps_epi32(bounded);
        }
        // Packing works within quarters of a register: the words of four columns come out by quarters.
        const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
        __m512i bytes = _mm512_packs_epi16(_mm512_packs_epi32(part[0], part[1]), _mm512_packs_epi32(part[2], part[3]));
        bytes = _mm512_permutexvar_epi32(order, bytes);
        sums = _mm512_dpbusd_epi32(sums, _mm512_set1_epi8(1), bytes);
        _mm512_storeu_si512(q + c, bytes);
    }
    *scale = factors.scale;
    *start = -PARLEY_GROUP_OFFSET * _mm512_reduce_add_epi32(sums);
}

#include "q8_256_quantize_lanes.h"

#endif
