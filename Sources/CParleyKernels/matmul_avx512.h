// SPDX-License-Identifier: Apache-2.0
//
// Vectors of products for AVX-512 with VNNI: a register holds all 16 rows of a panel; weights are unsigned.

#ifndef PARLEY_MATMUL_AVX512_H
#define PARLEY_MATMUL_AVX512_H

#include <immintrin.h>

#include "panel_layout.h"

#define LANES_TARGET PARLEY_AVX512
#define LANES_KERNEL(operation) LANES_TARGET void parley_##operation##_avx512
#define LANES_CHUNKS parley_matmul_chunks_avx512
#define LANES_ROWS 16
#define LANES_HAVE_MASKS

typedef __m512i plane_bytes;
typedef __m512i weight_bytes;

LANES_INLINE __m512i load_bytes(const uint8_t *plane) { return _mm512_loadu_si512(plane); }

LANES_INLINE __m512i merge_bits(__m512i q, __m512i x, int left, char mask) {
    x = left > 0 ? _mm512_slli_epi16(x, (unsigned)left) : left < 0 ? _mm512_srli_epi16(x, (unsigned)-left) : x;
    return _mm512_or_si512(q, _mm512_and_si512(x, _mm512_set1_epi8(mask)));
}

/// Weights of the IQ4 types get an offset: see `offset_shift`.
LANES_INLINE __m512i finish_weights(parley_type type, __m512i q) {
    if (type != PARLEY_IQ4_NL && type != PARLEY_IQ4_XS) return q;
    const __m128i values = _mm_loadu_si128((const __m128i *)(const void *)parley_iq4_values);
    return _mm512_shuffle_epi8(_mm512_broadcast_i32x4(_mm_xor_si128(values, _mm_set1_epi8((char)0x80))), q);
}

#include "panel_lanes.h"

/// The base-2 logarithm of what to subtract from the unsigned weights, 0 for nothing.
PARLEY_INLINE int offset_shift(parley_type type) {
    int offset = type == PARLEY_IQ4_NL || type == PARLEY_IQ4_XS ? 128 : parley_offset(type);
    return offset ? __builtin_ctz((unsigned)offset) : 0;
}

/// The initial value of dot products with unsigned weights: minus the offset (2 to the power of `shift`) times the sum
/// of the activations. Types with a minimum have no offset.
LANES_INLINE __m512i first_sum(parley_block_kind kind, const parley_activation_block *x, size_t t, size_t h,
                               __m512i shift) {
    if (kind.has_minimum) return _mm512_setzero_si512();
    __m512i sum = _mm512_set1_epi32(kind.halves && h == 0 ? x->minus_low[t] : x->minus_sum[t]);
    if (kind.halves && h == 1) sum = _mm512_sub_epi32(sum, _mm512_set1_epi32(x->minus_low[t]));
    return _mm512_sllv_epi32(sum, shift);
}

/// The mask of the first `rows` rows of a panel; all 16 if `rows` is larger.
PARLEY_INLINE __mmask16 row_mask(size_t rows) { return rows >= 16 ? 0xffff : (__mmask16)((1u << rows) - 1); }

/// Loads or stores the first `rows` rows; memory beyond them is neither read nor written.
LANES_INLINE __m512 load_rows(const float *y, size_t rows) { return _mm512_maskz_loadu_ps(row_mask(rows), y); }
LANES_INLINE void store_rows(float *y, size_t rows, __m512 x) { _mm512_mask_storeu_ps(y, row_mask(rows), x); }

#endif
