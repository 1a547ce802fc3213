// SPDX-License-Identifier: Apache-2.0
//
// Vectors of products for AVX-512 with VNNI: a register holds all 16 rows of a panel; weights are unsigned.

#ifndef PARLEY_MATMUL_AVX512_H
#define PARLEY_MATMUL_AVX512_H

#include "kernels_internal.h"

#define LANES_TARGET PARLEY_AVX512
#define LANES_KERNEL(operation) LANES_TARGET void parley_##operation##_avx512
#define LANES_CHUNKS parley_matmul_chunks_avx512

#include "planes_512.h"

/// Weights of a signed codebook get an offset: see `offset_shift`.
LANES_INLINE __m512i finish_weights(parley_type type, __m512i q) {
    const int8_t *codebook = parley_codebook(type);
    if (!codebook) return q;
    __m128i values = _mm_loadu_si128((const __m128i *)(const void *)codebook);
    if (parley_offset(type) == 0) values = _mm_xor_si128(values, _mm_set1_epi8((char)0x80));
    return _mm512_shuffle_epi8(_mm512_broadcast_i32x4(values), q);
}

#include "panel_lanes.h"

#include "unsigned_lanes.h"

#endif
