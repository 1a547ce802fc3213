// SPDX-License-Identifier: Apache-2.0
//
// Vectors of products for AVX-VNNI, the dot products of AVX-512 VNNI for processors without its registers: a register
// holds 8 rows, half a panel; weights are unsigned.

#ifndef PARLEY_MATMUL_AVXVNNI_H
#define PARLEY_MATMUL_AVXVNNI_H

#include "kernels_internal.h"

#define LANES_TARGET PARLEY_AVXVNNI
#define LANES_KERNEL(operation) LANES_TARGET void parley_##operation##_avxvnni
#define LANES_CHUNKS parley_matmul_chunks_avxvnni

#include "planes_256.h"

LANES_INLINE __m256i finish_weights(parley_type type, __m256i q) {
    const int8_t *codebook = parley_codebook(type);
    if (!codebook) return q;
    __m128i values = _mm_loadu_si128((const __m128i *)(const void *)codebook);
    if (parley_offset(type) == 0) values = _mm_xor_si128(values, _mm_set1_epi8((char)0x80));
    return _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(values), q);
}

#include "panel_lanes.h"

#include "unsigned_lanes.h"

/// Adds the products of weights q and activations of four columns.
LANES_INLINE i32_rows add_products(i32_rows sums, __m256i q, int32_t four) {
    return (i32_rows)_mm256_dpbusd_avx_epi32((__m256i)sums, q, _mm256_set1_epi32(four));
}

#endif
