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

/// Quantises a group of `count` columns, whose `width` is a constant where it is whole.
LANES_INLINE void quantize_group(const float *x, size_t count, size_t width, int8_t *to, float *scale, int32_t *start) {
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
        __m512i q[4];
        UNROLL for (size_t i = 0; i < 4; i++) {
            // ... and sends it to -127 here.
            const __m512 scaled = _mm512_mul_ps(columns_at(x, c + 16 * i, count), inverse);
            q[i] = _mm512_cvtps_epi32(_mm512_min_ps(_mm512_max_ps(scaled, _mm512_set1_ps(-127)), _mm512_set1_ps(127)));
        }
        // Packing works within quarters of a register: the words of four columns come out by quarters.
        const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
        __m512i bytes = _mm512_packs_epi16(_mm512_packs_epi32(q[0], q[1]), _mm512_packs_epi32(q[2], q[3]));
        bytes = _mm512_permutexvar_epi32(order, bytes);
        sums = _mm512_dpbusd_epi32(sums, _mm512_set1_epi8(1), bytes);
        _mm512_storeu_si512(to + c, bytes);
    }
    *scale = factors.scale;
    *start = -PARLEY_GROUP_OFFSET * _mm512_reduce_add_epi32(sums);
}

LANES_KERNEL(quantize_q8_256)(const float *x, size_t x_stride, size_t columns, void *activations, size_t tokens,
                              size_t token_begin, size_t token_end) {
    for (size_t g = 0; g < parley_group_count(columns); g++) {
        const parley_activation_group out = parley_activation_group_at(activations, tokens, columns, g);
        const size_t count = parley_group_columns(columns, g);
        for (size_t t = token_begin; t < token_end; t++) {
            const float *from = x + t * x_stride + g * PARLEY_GROUP_COLUMNS;
            int8_t *to = out.q + t * out.width;
            if (count == PARLEY_GROUP_COLUMNS) {
                quantize_group(from, PARLEY_GROUP_COLUMNS, PARLEY_GROUP_COLUMNS, to, out.scale + t, out.start + t);
            } else {
                quantize_group(from, count, out.width, to, out.scale + t, out.start + t);
            }
        }
    }
}

#endif
