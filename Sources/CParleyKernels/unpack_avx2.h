// SPDX-License-Identifier: Apache-2.0
//
// Weights of half a panel into registers, AVX2: a register is 8 rows by 4 columns of bytes, or one f32 a row. Weights
// of up to 6 bits are unsigned, those of 8 bits (Q8_0 and the IQ4 types) signed.

#ifndef PARLEY_UNPACK_AVX2_H
#define PARLEY_UNPACK_AVX2_H

#include <immintrin.h>

#include "matmul_chunks.h"

/// Bits of an unpacked weight.
PARLEY_INLINE int weight_bits(parley_type type) {
    switch (type) {
        case PARLEY_Q2_K: return 2;
        case PARLEY_Q3_K: return 3;
        case PARLEY_Q5_0:
        case PARLEY_Q5_1:
        case PARLEY_Q5_K: return 5;
        case PARLEY_Q6_K: return 6;
        case PARLEY_Q8_0:
        case PARLEY_IQ4_NL:
        case PARLEY_IQ4_XS: return 8;
        default: return 4;
    }
}

PARLEY_AVX2 PARLEY_INLINE __m256i load_plane_avx2(const uint8_t *plane, size_t half) {
    return _mm256_loadu_si256((const __m256i *)(const void *)(plane + 32 * half));
}

/// q | (x << left & mask), of bytes whose bits do not cross; a negative `left` shifts right.
PARLEY_AVX2 PARLEY_INLINE __m256i merge_bits_avx2(__m256i q, __m256i x, int left, char mask) {
    x = left > 0 ? _mm256_slli_epi16(x, left) : left < 0 ? _mm256_srli_epi16(x, -left) : x;
    return _mm256_or_si256(q, _mm256_and_si256(x, _mm256_set1_epi8(mask)));
}

/// Columns 4g.. of the 8 rows of half a panel, from the planes of a block of 32 columns.
PARLEY_AVX2 PARLEY_INLINE __m256i unpack_columns_avx2(parley_type type, const uint8_t *planes, size_t g, size_t half) {
    const uint8_t *next = planes;
    __m256i q = _mm256_setzero_si256();
    int width = 0, group = (int)g;  // bits of q so far
    if (type == PARLEY_Q8_0) {
        return _mm256_xor_si256(load_plane_avx2(planes + 64 * g, half), _mm256_set1_epi8((char)0x80));
    }
    if (type != PARLEY_Q2_K && type != PARLEY_Q3_K) {
        q = merge_bits_avx2(q, load_plane_avx2(planes + 64 * (g % 4), half), -(group / 4 * 4), 15);
        width = 4;
        next += 256;
    }
    if (type == PARLEY_Q2_K || type == PARLEY_Q3_K || type == PARLEY_Q6_K) {
        q = merge_bits_avx2(q, load_plane_avx2(next + 64 * (g / 4), half), width - 2 * (group % 4),
                            (char)(3 << width));
        width += 2;
        next += 128;
    }
    if (type == PARLEY_Q3_K || type == PARLEY_Q5_0 || type == PARLEY_Q5_1 || type == PARLEY_Q5_K) {
        q = merge_bits_avx2(q, load_plane_avx2(next, half), width - group, (char)(1 << width));
    }
    if (type == PARLEY_IQ4_NL || type == PARLEY_IQ4_XS) {
        __m128i values = _mm_loadu_si128((const __m128i *)(const void *)parley_iq4_values);
        q = _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(values), q);
    }
    return q;
}

PARLEY_AVX2 PARLEY_INLINE __m256 load_halves_avx2(const uint8_t *halves) {
    return _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(const void *)halves));
}

PARLEY_AVX2 PARLEY_INLINE __m256 signed_scales_avx2(const uint8_t *scales) {
    return _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(_mm_loadl_epi64((const __m128i *)(const void *)scales)));
}

PARLEY_AVX2 PARLEY_INLINE __m256i unsigned_scales_avx2(const uint8_t *scales) {
    return _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(const void *)scales));
}

/// The scales and minima of group `i` (of 16 columns in types that scale halves, else 32) of a unit, for the rows of
/// half a panel.
PARLEY_AVX2 PARLEY_INLINE void group_scales_avx2(parley_type type, const uint8_t *unit, size_t i, size_t half,
                                                 __m256 *scale, __m256 *minimum) {
    const uint8_t *scales = unit + parley_unit(type).scales + 16 * i + 8 * half;
    __m256 d = load_halves_avx2(unit + 16 * half), m = _mm256_setzero_ps();
    if (parley_unit(type).has_minimum) m = load_halves_avx2(unit + 32 + 16 * half);
    if (parley_unit(type).columns == 256) m = _mm256_xor_ps(m, _mm256_set1_ps(-0.0f));
    *scale = d;
    *minimum = m;
    switch (type) {
        case PARLEY_Q2_K: {
            __m256i both = unsigned_scales_avx2(scales);
            *scale = _mm256_mul_ps(d, _mm256_cvtepi32_ps(_mm256_and_si256(both, _mm256_set1_epi32(15))));
            *minimum = _mm256_mul_ps(m, _mm256_cvtepi32_ps(_mm256_srli_epi32(both, 4)));
            break;
        }
        case PARLEY_Q3_K:
        case PARLEY_Q6_K:
        case PARLEY_IQ4_XS:
            *scale = _mm256_mul_ps(d, signed_scales_avx2(scales));
            break;
        case PARLEY_Q4_K:
        case PARLEY_Q5_K:
            *scale = _mm256_mul_ps(d, _mm256_cvtepi32_ps(unsigned_scales_avx2(scales)));
            *minimum = _mm256_mul_ps(m, _mm256_cvtepi32_ps(unsigned_scales_avx2(scales + 128)));
            break;
        default: break;
    }
}

#endif
