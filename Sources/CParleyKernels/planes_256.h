// SPDX-License-Identifier: Apache-2.0
//
// Planes of bits in registers of 256 bits, for the two instruction sets that have them: AVX2 and AVX-VNNI.

#ifndef PARLEY_PLANES_256_H
#define PARLEY_PLANES_256_H

#include <immintrin.h>

#include "panel_layout.h"

#define LANES_ROWS 8

typedef __m256i plane_bytes;
typedef __m256i weight_bytes;

LANES_INLINE __m256i load_bytes(const uint8_t *plane) {
    return _mm256_loadu_si256((const __m256i *)(const void *)plane);
}

LANES_INLINE __m256i merge_bits(__m256i q, __m256i x, int left, char mask) {
    x = left > 0 ? _mm256_slli_epi16(x, left) : left < 0 ? _mm256_srli_epi16(x, -left) : x;
    return _mm256_or_si256(q, _mm256_and_si256(x, _mm256_set1_epi8(mask)));
}

#endif
