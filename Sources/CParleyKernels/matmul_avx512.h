// SPDX-License-Identifier: Apache-2.0
//
// One group of columns (those that share a scale) of 16 rows and one token, AVX-512 with VNNI.

#ifndef PARLEY_MATMUL_AVX512_H
#define PARLEY_MATMUL_AVX512_H

#include "matmul_chunks.h"
#include "unpack_avx512.h"

#define UNROLL _Pragma("clang loop unroll(full)")
#define KEEP_ROLLED _Pragma("clang loop unroll(disable)")

/// The first and the last of the column quadruples of group h, plus one.
PARLEY_INLINE size_t group_begin(parley_block_kind kind, size_t h) { return kind.halves ? 4 * h : 0; }
PARLEY_INLINE size_t group_end(parley_block_kind kind, size_t h) { return kind.halves ? 4 * h + 4 : 8; }
PARLEY_INLINE size_t group_count(parley_block_kind kind) { return kind.halves ? 2 : 1; }

/// What dot products with unsigned weights start at: minus the offset (2 to the power of `shift`) times the sum of the
/// activations. Types with a minimum have no offset.
PARLEY_AVX512 PARLEY_INLINE __m512i first_sum(parley_block_kind kind, const parley_activation_block *x, size_t t,
                                              size_t h, __m512i shift) {
    if (kind.has_minimum) return _mm512_setzero_si512();
    __m512i sum = _mm512_set1_epi32(kind.halves && h == 0 ? x->minus_low[t] : x->minus_sum[t]);
    if (kind.halves && h == 1) sum = _mm512_sub_epi32(sum, _mm512_set1_epi32(x->minus_low[t]));
    return _mm512_sllv_epi32(sum, shift);
}

/// Four activations of token t, columns 4g.., in every lane.
PARLEY_AVX512 PARLEY_INLINE __m512i broadcast_columns(const parley_activation_block *x, size_t width, size_t t,
                                                      size_t g) {
    int32_t four;
    __builtin_memcpy(&four, x->q + (g * width + t) * 4, sizeof four);
    return _mm512_set1_epi32(four);
}

/// Adds a group's dot products to the accumulators.
PARLEY_AVX512 PARLEY_INLINE __m512 add_group(parley_block_kind kind, const parley_activation_block *x, size_t t,
                                             size_t h, __m512i dot, __m512 scale, __m512 minimum, __m512 acc) {
    __m512 dx = _mm512_set1_ps(x->scale[t]);
    acc = _mm512_fmadd_ps(_mm512_cvtepi32_ps(dot), _mm512_mul_ps(scale, dx), acc);
    if (!kind.has_minimum) return acc;
    if (!kind.halves) return _mm512_fmadd_ps(minimum, _mm512_set1_ps(x->scaled_sum[t]), acc);
    int32_t sum = h == 0 ? -x->minus_low[t] : x->minus_low[t] - x->minus_sum[t];
    __m512 scaled_sum = _mm512_mul_ps(dx, _mm512_cvtepi32_ps(_mm512_set1_epi32(sum)));
    return _mm512_fmadd_ps(minimum, scaled_sum, acc);
}

/// The first `rows` (at most 16) of a panel.
PARLEY_INLINE __mmask16 row_mask(size_t rows) { return rows >= 16 ? 0xffff : (__mmask16)((1u << rows) - 1); }

/// `parley_matmul_chunks` with the steps of this instruction set.
void parley_matmul_chunks_avx512(const parley_matrix *w, const void *activations, size_t tokens, float *y,
                                 size_t y_stride, size_t panel_begin, size_t panel_end, void *scratch);

#endif
