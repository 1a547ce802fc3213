// SPDX-License-Identifier: Apache-2.0
//
// Activations to 8 bits, AVX-512: a block of 32 columns is two registers of floats.

#include "kernels_internal.h"

#if PARLEY_X86

#pragma STDC FP_CONTRACT OFF

#include <immintrin.h>

#include "panel_layout.h"

/// x / d within [-127, 127], to nearest even. The operands' order sends NaN to -127.
PARLEY_AVX512 PARLEY_INLINE __m512i scaled(__m512 x, __m512 d) {
    __m512 q = _mm512_max_ps(_mm512_div_ps(x, d), _mm512_set1_ps(-127));
    return _mm512_cvtps_epi32(_mm512_min_ps(q, _mm512_set1_ps(127)));
}

PARLEY_AVX512 PARLEY_INLINE void quantize_block(const float *values, const parley_activation_block *out, size_t width,
                                                size_t lane) {
    __m512 low = _mm512_loadu_ps(values), high = _mm512_loadu_ps(values + 16);
    __m512 zero = _mm512_setzero_ps();
    __m512 maxima = _mm512_max_ps(_mm512_abs_ps(high), _mm512_max_ps(_mm512_abs_ps(low), zero));
    float d = _mm512_reduce_max_ps(maxima) / 127;
    __m512i q_low = scaled(low, _mm512_set1_ps(d)), q_high = scaled(high, _mm512_set1_ps(d));
    if (!(d > 0)) q_low = q_high = _mm512_setzero_si512();
    __m256i bytes = _mm256_set_m128i(_mm512_cvtepi32_epi8(q_high), _mm512_cvtepi32_epi8(q_low));
    uint32_t words[8];
    __builtin_memcpy(words, &bytes, sizeof words);
    for (size_t g = 0; g < 8; g++) __builtin_memcpy(out->q + (g * width + lane) * 4, &words[g], 4);
    // The sum of each word, then of each half.
    __m256i sums = _mm256_dpbusd_epi32(_mm256_setzero_si256(), _mm256_set1_epi8(1), bytes);
    sums = _mm256_add_epi32(sums, _mm256_shuffle_epi32(sums, 0xb1));
    sums = _mm256_add_epi32(sums, _mm256_shuffle_epi32(sums, 0x4e));
    int32_t low_sum = _mm256_cvtsi256_si32(sums), sum = low_sum + _mm256_extract_epi32(sums, 4);
    out->scale[lane] = d;
    out->scaled_sum[lane] = d * (float)sum;
    out->minus_sum[lane] = -sum;
    out->minus_low[lane] = -low_sum;
}

PARLEY_AVX512 void parley_quantize_avx512(const float *x, size_t x_stride, size_t columns, void *activations,
                                          size_t tokens, size_t token_begin, size_t token_end) {
    for (size_t t = token_begin; t < token_end; t++) {
        size_t tile = parley_tile_of_token(tokens, t), begin = parley_tile_begin(tokens, tile);
        size_t width = parley_tile_begin(tokens, tile + 1) - begin;
        for (size_t b = 0; b < columns / PARLEY_BLOCK_COLUMNS; b++) {
            parley_activation_block out = parley_activations_at(activations, columns, begin, width, b);
            quantize_block(x + t * x_stride + b * PARLEY_BLOCK_COLUMNS, &out, width, t - begin);
        }
    }
}

#endif
