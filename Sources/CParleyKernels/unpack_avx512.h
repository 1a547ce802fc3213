// SPDX-License-Identifier: Apache-2.0
//
// Weights of a panel into registers, AVX-512: a register is 16 rows by 4 columns of u8, or one f32 a row. With a
// constant `type` each of these becomes a handful of instructions.

#ifndef PARLEY_UNPACK_AVX512_H
#define PARLEY_UNPACK_AVX512_H

#include <immintrin.h>

#include "panel_layout.h"

/// The base-2 logarithm of what to subtract from the unsigned weights of `unpack_columns_avx512`, 0 for nothing.
PARLEY_INLINE int offset_shift(parley_type type) {
    int offset = type == PARLEY_IQ4_NL || type == PARLEY_IQ4_XS ? 128 : parley_offset(type);
    return offset ? __builtin_ctz((unsigned)offset) : 0;
}

/// (x << left) or (x >> -left), of bytes whose bits do not cross: callers mask.
PARLEY_AVX512 PARLEY_INLINE __m512i shift_bits_avx512(__m512i x, int left) {
    return left > 0 ? _mm512_slli_epi16(x, (unsigned)left) : left < 0 ? _mm512_srli_epi16(x, (unsigned)-left) : x;
}

/// q | (x & mask) in one instruction.
PARLEY_AVX512 PARLEY_INLINE __m512i merge_bits_avx512(__m512i q, __m512i x, char mask) {
    return _mm512_ternarylogic_epi32(q, x, _mm512_set1_epi8(mask), 0xf8);
}

/// The nibble planes: columns 4g.. of 16 rows to q[g].
PARLEY_AVX512 PARLEY_INLINE void unpack_nibbles_avx512(const uint8_t *planes, __m512i q[8]) {
    const __m512i low = _mm512_set1_epi8(15);
    for (int g = 0; g < 4; g++) {
        __m512i both = _mm512_loadu_si512(planes + 64 * g);
        q[g] = _mm512_and_si512(both, low);
        q[g + 4] = _mm512_and_si512(_mm512_srli_epi16(both, 4), low);
    }
}

/// The weights of 32 columns, less nothing: see `offset_shift`.
PARLEY_AVX512 PARLEY_INLINE void unpack_columns_avx512(parley_type type, const uint8_t *planes, __m512i q[8]) {
    const uint8_t *next = planes;
    int width = 0;  // bits of q so far
    if (type == PARLEY_Q8_0) {
        for (int g = 0; g < 8; g++) q[g] = _mm512_loadu_si512(planes + 64 * g);
        return;
    }
    if (type == PARLEY_Q2_K || type == PARLEY_Q3_K) {
        for (int g = 0; g < 8; g++) q[g] = _mm512_setzero_si512();
    } else {
        unpack_nibbles_avx512(planes, q);
        width = 4;
        next += 256;
    }
    if (type == PARLEY_Q2_K || type == PARLEY_Q3_K || type == PARLEY_Q6_K) {
        for (int g = 0; g < 8; g++) {
            __m512i pairs = _mm512_loadu_si512(next + 64 * (g / 4));
            q[g] = merge_bits_avx512(q[g], shift_bits_avx512(pairs, width - 2 * (g % 4)), (char)(3 << width));
        }
        width += 2;
        next += 128;
    }
    if (type == PARLEY_Q3_K || type == PARLEY_Q5_0 || type == PARLEY_Q5_1 || type == PARLEY_Q5_K) {
        __m512i bits = _mm512_loadu_si512(next);
        for (int g = 0; g < 8; g++) {
            q[g] = merge_bits_avx512(q[g], shift_bits_avx512(bits, width - g), (char)(1 << width));
        }
    }
    if (type == PARLEY_IQ4_NL || type == PARLEY_IQ4_XS) {
        __m128i values = _mm_loadu_si128((const __m128i *)(const void *)parley_iq4_values);
        __m512i table = _mm512_broadcast_i32x4(_mm_xor_si128(values, _mm_set1_epi8((char)0x80)));
        for (int g = 0; g < 8; g++) q[g] = _mm512_shuffle_epi8(table, q[g]);
    }
}

PARLEY_AVX512 PARLEY_INLINE __m512 load_halves_avx512(const uint8_t *halves) {
    return _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)(const void *)halves));
}

PARLEY_AVX512 PARLEY_INLINE __m512 signed_scales_avx512(const uint8_t *scales) {
    return _mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(_mm_loadu_si128((const __m128i *)(const void *)scales)));
}

PARLEY_AVX512 PARLEY_INLINE __m512 unsigned_scales_avx512(const uint8_t *scales) {
    return _mm512_cvtepi32_ps(_mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)(const void *)scales)));
}

/// The scales and minima of group `i` (of 16 columns in types with `halves`, else 32) of a unit whose f16 scales are
/// `d` and minima `m`; the minima of K types negative already.
PARLEY_AVX512 PARLEY_INLINE void group_scales_avx512(parley_type type, const uint8_t *unit, size_t i, __m512 d,
                                                     __m512 m, __m512 *scale, __m512 *minimum) {
    const uint8_t *scales = unit + parley_unit(type).scales + 16 * i;
    *scale = d;
    *minimum = m;
    switch (type) {
        case PARLEY_Q2_K: {
            __m512i both = _mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)(const void *)scales));
            __m512i low = _mm512_and_si512(both, _mm512_set1_epi32(15));
            *scale = _mm512_mul_ps(d, _mm512_cvtepi32_ps(low));
            *minimum = _mm512_mul_ps(m, _mm512_cvtepi32_ps(_mm512_srli_epi32(both, 4)));
            break;
        }
        case PARLEY_Q3_K:
        case PARLEY_Q6_K:
        case PARLEY_IQ4_XS:
            *scale = _mm512_mul_ps(d, signed_scales_avx512(scales));
            break;
        case PARLEY_Q4_K:
        case PARLEY_Q5_K:
            *scale = _mm512_mul_ps(d, unsigned_scales_avx512(scales));
            *minimum = _mm512_mul_ps(m, unsigned_scales_avx512(scales + 128));
            break;
        default: break;
    }
}

/// The f16 minima of a unit, negated for the types that subtract them.
PARLEY_AVX512 PARLEY_INLINE __m512 unit_minima_avx512(parley_type type, const uint8_t *unit) {
    if (!parley_unit(type).has_minimum) return _mm512_setzero_ps();
    __m512 m = load_halves_avx512(unit + 32);
    bool subtracted = parley_unit(type).columns == 256;
    return subtracted ? _mm512_xor_ps(m, _mm512_set1_ps(-0.0f)) : m;
}

#endif
