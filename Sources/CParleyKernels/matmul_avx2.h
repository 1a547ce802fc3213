// SPDX-License-Identifier: Apache-2.0
//
// Vectors of products for AVX2: a register holds 8 rows, half a panel. Weights of up to 7 bits are unsigned, those of 8
// bits (Q8_0 and the IQ4 types) signed.
//
// `vpmaddubsw` multiplies unsigned by signed bytes and adds pairs to 16 bits, saturating. With activations in [-127,
// 127] no sum of at most `run_length` products saturates.

#ifndef PARLEY_MATMUL_AVX2_H
#define PARLEY_MATMUL_AVX2_H

#include "kernels_internal.h"

#define LANES_TARGET PARLEY_AVX2
#define LANES_KERNEL(operation) LANES_TARGET void parley_##operation##_avx2
#define LANES_CHUNKS parley_matmul_chunks_avx2

#include "planes_256.h"

LANES_INLINE __m256i finish_weights(parley_type type, __m256i q) {
    if (type == PARLEY_Q8_0) return _mm256_xor_si256(q, _mm256_set1_epi8((char)0x80));
    const int8_t *codebook = parley_codebook(type);
    if (!codebook) return q;
    const __m128i values = _mm_loadu_si128((const __m128i *)(const void *)codebook);
    return _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(values), q);
}

#include "panel_lanes.h"

/// The properties of a type that products need once its weights are unpacked to bytes.
typedef struct {
    parley_block_kind kind;
    int bits;    // of a weight; 8 means signed
    int offset;  // what was added to the centred weight: a power of two, or 0
} block_form;

PARLEY_INLINE block_form form_of(parley_type type) {
    const parley_block_kind kind = parley_kind(type);
    switch (type) {
        case PARLEY_Q2_K: return (block_form){kind, 2, 0};
        case PARLEY_Q3_K: return (block_form){kind, 3, 4};
        case PARLEY_Q5_0:
        case PARLEY_MXFP4: return (block_form){kind, 5, 16};
        case PARLEY_Q5_1:
        case PARLEY_Q5_K: return (block_form){kind, 5, 0};
        case PARLEY_Q6_K: return (block_form){kind, 6, 32};
        case PARLEY_Q8_0:
        case PARLEY_IQ4_NL:
        case PARLEY_IQ4_XS: return (block_form){kind, 8, 0};
        case PARLEY_IQ2_XXS:
        case PARLEY_IQ2_XS:
        case PARLEY_IQ3_XXS:
        case PARLEY_IQ3_S: return (block_form){kind, 7, 64};
        default: return (block_form){kind, 4, parley_offset(type)};
    }
}

/// How many products of four columns (2 * 127 * (2^bits - 1) each) fit into a 16-bit accumulator.
PARLEY_INLINE size_t run_length(block_form form) {
    return form.bits <= 4 ? 8 : form.bits == 5 ? 4 : form.bits == 6 ? 2 : 1;
}

/// The initial value of the dot products of group h: minus the offset times the sum of the activations.
LANES_INLINE __m256i first_sum(block_form form, const parley_activation_block *x, size_t t, size_t h) {
    if (form.offset == 0) return _mm256_setzero_si256();
    int32_t sum = !form.kind.halves ? x->minus_sum[t] : h == 0 ? x->minus_low[t] : x->minus_sum[t] - x->minus_low[t];
    return _mm256_set1_epi32(sum * form.offset);
}

/// Adds the products of weights q and activations x of four columns, in pairs, to 16-bit sums.
LANES_INLINE __m256i add_products(block_form form, __m256i sums, __m256i q, __m256i x) {
    if (form.bits == 8) {
        // Multiplies |weight| by the activation with the weight's sign; |-128| is 128 as an unsigned byte.
        return _mm256_add_epi16(sums, _mm256_maddubs_epi16(_mm256_abs_epi8(q), _mm256_sign_epi8(x, q)));
    }
    return _mm256_add_epi16(sums, _mm256_maddubs_epi16(q, x));
}

#endif
