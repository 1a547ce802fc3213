// SPDX-License-Identifier: Apache-2.0
//
// Planes of bits in registers of 128 bits, for the two instruction sets that multiply them: NEON with dot product, and
// with i8mm. A register holds 4 rows, a quarter of a panel; weights are centred.

#ifndef PARLEY_PLANES_NEON_H
#define PARLEY_PLANES_NEON_H

#include <arm_neon.h>

#include "panel_layout.h"

#define LANES_ROWS 4
/// The maximum number of tokens whose products are made without unpacking the weights to scratch memory.
#define LANES_TOKENS 4

/// Keeps the compiler from mixing the steps that lead to these two sums with those that follow, for which there are not
/// enough registers.
#define KEEP_ORDER(a, b) __asm__ volatile("" : "+w"(a), "+w"(b))

typedef uint8x16_t plane_bytes;
typedef int8x16_t weight_bytes;

LANES_INLINE uint8x16_t load_bytes(const uint8_t *plane) { return vld1q_u8(plane); }

LANES_INLINE uint8x16_t merge_bits(uint8x16_t q, uint8x16_t x, int left, char mask) {
    return vorrq_u8(q, vandq_u8(vshlq_u8(x, vdupq_n_s8((int8_t)left)), vdupq_n_u8((uint8_t)mask)));
}

/// What is to be subtracted from the result of `signed_weights`.
PARLEY_INLINE int signed_offset(parley_type type) { return type == PARLEY_Q8_0 ? 0 : parley_offset(type); }

/// The numbers of a plane as signed ones; those of 8 bits become centred.
LANES_INLINE int8x16_t signed_weights(parley_type type, uint8x16_t q) {
    if (type == PARLEY_Q8_0) q = veorq_u8(q, vdupq_n_u8(0x80));
    const int8_t *codebook = parley_codebook(type);
    return codebook ? vqtbl1q_s8(vld1q_s8(codebook), q) : vreinterpretq_s8_u8(q);
}

LANES_INLINE int8x16_t finish_weights(parley_type type, uint8x16_t q) {
    return vsubq_s8(signed_weights(type, q), vdupq_n_s8((int8_t)signed_offset(type)));
}

#endif
