// SPDX-License-Identifier: Apache-2.0
//
// Planes of bits and rows of results in registers of 512 bits, for the two instruction sets that have them: AVX-512 and
// AMX. A register holds all 16 rows of a panel.

#ifndef PARLEY_PLANES_512_H
#define PARLEY_PLANES_512_H

#include <immintrin.h>

#include "panel_layout.h"

#define LANES_ROWS 16
#define LANES_HAVE_MASKS

typedef __m512i plane_bytes;
typedef __m512i weight_bytes;

LANES_INLINE __m512i load_bytes(const uint8_t *plane) { return _mm512_loadu_si512(plane); }

LANES_INLINE __m512i merge_bits(__m512i q, __m512i x, int left, char mask) {
    x = left > 0 ? _mm512_slli_epi16(x, (unsigned)left) : left < 0 ? _mm512_srli_epi16(x, (unsigned)-left) : x;
    return _mm512_or_si512(q, _mm512_and_si512(x, _mm512_set1_epi8(mask)));
}

/// The mask of the first `rows` rows of a panel; all 16 if `rows` is larger.
PARLEY_INLINE __mmask16 row_mask(size_t rows) { return rows >= 16 ? 0xffff : (__mmask16)((1u << rows) - 1); }

/// Loads or stores the first `rows` rows; memory beyond them is neither read nor written.
LANES_INLINE __m512 load_rows(const float *y, size_t rows) { return _mm512_maskz_loadu_ps(row_mask(rows), y); }
LANES_INLINE void store_rows(float *y, size_t rows, __m512 x) { _mm512_mask_storeu_ps(y, row_mask(rows), x); }

#endif
