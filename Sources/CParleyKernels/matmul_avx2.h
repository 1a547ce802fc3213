// SPDX-License-Identifier: Apache-2.0
//
// One group of columns (those that share a scale) of 8 rows and a tile of tokens, AVX2.
//
// `vpmaddubsw` multiplies unsigned by signed bytes and adds pairs to 16 bits, saturating. With activations in
// [-127, 127] nothing saturates while as many products are added as `run_length` says.

#ifndef PARLEY_MATMUL_AVX2_H
#define PARLEY_MATMUL_AVX2_H

#include "unpack_avx2.h"

#define UNROLL _Pragma("clang loop unroll(full)")
#define KEEP_ROLLED _Pragma("clang loop unroll(disable)")

/// What a product must know of a type once its weights are bytes.
typedef struct {
    bool halves;  // scales cover 16 columns, not 32
    bool has_minimum;
    int bits;    // of a weight; 8 means signed
    int offset;  // what was added to the centred weight: a power of two, or 0
} block_form;

PARLEY_INLINE block_form form_of(parley_type type) {
    int bits = weight_bits(type);
    return (block_form){parley_unit(type).halves, parley_unit(type).has_minimum, bits,
                        bits == 8 ? 0 : parley_offset(type)};
}

/// Products of four columns that fit into the 16 bits of an accumulator: 2 * 127 * (2^bits - 1) each.
PARLEY_INLINE size_t run_length(block_form form) {
    return form.bits <= 4 ? 8 : form.bits == 5 ? 4 : form.bits == 6 ? 2 : 1;
}

PARLEY_INLINE size_t group_begin(block_form form, size_t h) { return form.halves ? 4 * h : 0; }
PARLEY_INLINE size_t group_end(block_form form, size_t h) { return form.halves ? 4 * h + 4 : 8; }
PARLEY_INLINE size_t group_count(block_form form) { return form.halves ? 2 : 1; }

PARLEY_AVX2 PARLEY_INLINE __m256i broadcast_columns(const parley_activation_block *x, size_t width, size_t t,
                                                    size_t g) {
    int32_t four;
    __builtin_memcpy(&four, x->q + (g * width + t) * 4, sizeof four);
    return _mm256_set1_epi32(four);
}

/// What the dot products of group h start at: minus the offset times the sum of the activations.
PARLEY_AVX2 PARLEY_INLINE __m256i first_sum(block_form form, const parley_activation_block *x, size_t t, size_t h) {
    if (form.offset == 0) return _mm256_setzero_si256();
    int32_t sum = !form.halves ? x->minus_sum[t] : h == 0 ? x->minus_low[t] : x->minus_sum[t] - x->minus_low[t];
    return _mm256_set1_epi32(sum * form.offset);
}

/// Adds the products of weights q and activations x of four columns, in pairs, to 16-bit sums.
PARLEY_AVX2 PARLEY_INLINE __m256i add_products(block_form form, __m256i sums, __m256i q, __m256i x) {
    if (form.bits == 8) {
        // The sign of a signed weight moves to the activation; -128 becomes an unsigned 128.
        return _mm256_add_epi16(sums, _mm256_maddubs_epi16(_mm256_abs_epi8(q), _mm256_sign_epi8(x, q)));
    }
    return _mm256_add_epi16(sums, _mm256_maddubs_epi16(q, x));
}

/// Adds a group's dot products to the accumulators.
PARLEY_AVX2 PARLEY_INLINE __m256 add_group(block_form form, const parley_activation_block *x, size_t t, size_t h,
                                           __m256i dot, __m256 scale, __m256 minimum, __m256 acc) {
    __m256 dx = _mm256_set1_ps(x->scale[t]);
    acc = _mm256_fmadd_ps(_mm256_cvtepi32_ps(dot), _mm256_mul_ps(scale, dx), acc);
    if (!form.has_minimum) return acc;
    if (!form.halves) return _mm256_fmadd_ps(minimum, _mm256_set1_ps(x->scaled_sum[t]), acc);
    int32_t sum = h == 0 ? -x->minus_low[t] : x->minus_low[t] - x->minus_sum[t];
    return _mm256_fmadd_ps(minimum, _mm256_set1_ps(x->scale[t] * (float)sum), acc);
}

/// The weights of half a panel in a block of 32 columns.
typedef struct {
    parley_type type;
    const uint8_t *planes;
    size_t half;
} weight_source;

/// Group h of a block: 8 rows by `width` tokens.
PARLEY_AVX2 PARLEY_INLINE void group_product(block_form form, weight_source w, size_t width, size_t h,
                                             const parley_activation_block *x, __m256 scale, __m256 minimum,
                                             __m256 acc[PARLEY_TILE_TOKENS]) {
    const size_t end = group_end(form, h), run = run_length(form);
    __m256i dot[PARLEY_TILE_TOKENS];
    UNROLL for (size_t t = 0; t < width; t++) dot[t] = first_sum(form, x, t, h);
    UNROLL for (size_t begin = group_begin(form, h); begin < end; begin += run) {
        __m256i sums[PARLEY_TILE_TOKENS];
        UNROLL for (size_t t = 0; t < width; t++) sums[t] = _mm256_setzero_si256();
        UNROLL for (size_t g = begin; g < begin + run && g < end; g++) {
            __m256i q = unpack_columns_avx2(w.type, w.planes, g, w.half);
            UNROLL for (size_t t = 0; t < width; t++) {
                sums[t] = add_products(form, sums[t], q, broadcast_columns(x, width, t, g));
            }
        }
        UNROLL for (size_t t = 0; t < width; t++) {
            dot[t] = _mm256_add_epi32(dot[t], _mm256_madd_epi16(sums[t], _mm256_set1_epi16(1)));
        }
    }
    UNROLL for (size_t t = 0; t < width; t++) {
        acc[t] = add_group(form, x, t, h, dot[t], scale, minimum, acc[t]);
    }
}

/// The first `rows` of 8 floats; the rest is neither read nor written.
PARLEY_AVX2 PARLEY_INLINE __m256 load_rows(const float *y, size_t rows) {
    float values[8] = {0};
    if (rows >= 8) return _mm256_loadu_ps(y);
    for (size_t r = 0; r < rows; r++) values[r] = y[r];
    return _mm256_loadu_ps(values);
}

PARLEY_AVX2 PARLEY_INLINE void store_rows(float *y, size_t rows, __m256 x) {
    float values[8];
    if (rows >= 8) {
        _mm256_storeu_ps(y, x);
        return;
    }
    _mm256_storeu_ps(values, x);
    for (size_t r = 0; r < rows; r++) y[r] = values[r];
}

/// The rows of half a panel that exist, where `rows` exist from the panel's first on.
PARLEY_INLINE size_t rows_of_half(size_t rows, size_t half) { return rows > 8 * half ? rows - 8 * half : 0; }

/// `parley_matmul_chunks` with the steps of this instruction set.
void parley_matmul_chunks_avx2(const parley_matrix *w, const void *activations, size_t tokens, float *y,
                               size_t y_stride, size_t panel_begin, size_t panel_end, void *scratch);

#endif
