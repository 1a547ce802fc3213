// SPDX-License-Identifier: Apache-2.0
//
// Vectors of sixteen f32 lanes and the functions of `elementary.h` on them, in the compiler's portable vector types:
// one AVX-512 register, two AVX registers, four NEON registers. A file for one instruction set defines LANES_TARGET,
// its target attribute, and includes this file. Each step is the same as in the scalar function, so the bits are the
// same.

#ifndef PARLEY_LANES_H
#define PARLEY_LANES_H

#include "elementary.h"
#include "kernels_internal.h"

#pragma STDC FP_CONTRACT OFF
// The calling convention of these vectors does not matter, because every function with such a parameter is inlined.
#pragma clang diagnostic ignored "-Wpsabi"

typedef float f32x16 __attribute__((ext_vector_type(16)));
typedef int32_t i32x16 __attribute__((ext_vector_type(16)));
typedef uint32_t u32x16 __attribute__((ext_vector_type(16)));
typedef _Float16 f16x16 __attribute__((ext_vector_type(16)));
typedef int8_t i8x16 __attribute__((ext_vector_type(16)));

LANES_INLINE f32x16 lanes_load(const float *x) {
    f32x16 lanes;
    memcpy(&lanes, x, sizeof lanes);
    return lanes;
}

LANES_INLINE void lanes_store(float *y, f32x16 lanes) { memcpy(y, &lanes, sizeof lanes); }

/// Loads the first `count` lanes and sets the others to zero, so that the end of a row takes the same steps as the
/// rest.
LANES_INLINE f32x16 lanes_load_part(const float *x, size_t count) {
    f32x16 lanes = (f32x16)(0.0f);
    memcpy(&lanes, x, count * sizeof *x);
    return lanes;
}

LANES_INLINE void lanes_store_part(float *y, f32x16 lanes, size_t count) { memcpy(y, &lanes, count * sizeof *y); }

LANES_INLINE f32x16 lanes_load_f16(const uint16_t *x) {
    f16x16 halves;
    memcpy(&halves, x, sizeof halves);
    return __builtin_convertvector(halves, f32x16);
}

/// Loads eight f16 and sets the other lanes to zero.
LANES_INLINE f32x16 lanes_load_half_f16(const uint16_t *x) {
    f16x16 halves = (f16x16)((_Float16)0.0f);
    memcpy(&halves, x, sizeof halves / 2);
    return __builtin_convertvector(halves, f32x16);
}

/// Loads the first `count` int8 and sets the other lanes to zero.
LANES_INLINE f32x16 lanes_load_i8(const uint8_t *x, const size_t count) {
    i8x16 bytes = (i8x16)((int8_t)0);
    memcpy(&bytes, x, count);
    return __builtin_convertvector(bytes, f32x16);
}

LANES_INLINE f32x16 lanes_fma(f32x16 a, f32x16 b, f32x16 c) { return __builtin_elementwise_fma(a, b, c); }

LANES_INLINE f32x16 lanes_select(i32x16 mask, f32x16 yes, f32x16 no) {
    return (f32x16)((mask & (i32x16)yes) | (~mask & (i32x16)no));
}

/// The larger of each pair; `b` where `a` is NaN.
LANES_INLINE f32x16 lanes_max(f32x16 a, f32x16 b) { return lanes_select(a > b, a, b); }

/// The largest lane.
LANES_INLINE float lanes_highest(f32x16 lanes) {
    float highest = lanes[0];
    for (int i = 1; i < 16; i++) highest = lanes[i] > highest ? lanes[i] : highest;
    return highest;
}

LANES_INLINE float lanes_sum(f32x16 lanes) {
    float sums[16];
    lanes_store(sums, lanes);
    return parley_lane_sum(sums);
}

LANES_INLINE f32x16 lanes_exp_parts(f32x16 x, f32x16 *fraction) {
    f32x16 shift = (f32x16)(PARLEY_ROUNDING_SHIFT);
    f32x16 shifted = lanes_fma(x, (f32x16)(PARLEY_LOG2_E), shift);
    f32x16 n = shifted - shift;
    f32x16 r = lanes_fma(n, (f32x16)(-PARLEY_LN2_LOW), lanes_fma(n, (f32x16)(-PARLEY_LN2_HIGH), x));
    f32x16 h = lanes_fma((f32x16)(PARLEY_EXP_C6), r, (f32x16)(PARLEY_EXP_C5));
    h = lanes_fma(h, r, (f32x16)(PARLEY_EXP_C4));
    h = lanes_fma(h, r, (f32x16)(PARLEY_EXP_C3));
    h = lanes_fma(h, r, (f32x16)(PARLEY_EXP_C2));
    *fraction = lanes_fma(h, r * r, r);
    return (f32x16)(((u32x16)shifted << 23) + 0x3f800000u);
}

LANES_INLINE f32x16 lanes_exp(f32x16 x) {
    f32x16 fraction;
    f32x16 power = lanes_exp_parts(x, &fraction);
    f32x16 y = (1.0f + fraction) * power;
    y = lanes_select(x < PARLEY_EXP_LOWEST, (f32x16)(0.0f), y);
    return lanes_select(x > PARLEY_EXP_HIGHEST, (f32x16)(INFINITY), y);
}

LANES_INLINE f32x16 lanes_tanh(f32x16 x) {
    f32x16 magnitude = __builtin_elementwise_abs(x);
    magnitude = lanes_select(magnitude > PARLEY_TANH_HIGHEST, (f32x16)(PARLEY_TANH_HIGHEST), magnitude);
    f32x16 fraction;
    f32x16 power = lanes_exp_parts(2.0f * magnitude, &fraction);
    f32x16 e = lanes_fma(fraction, power, power - 1.0f);
    return __builtin_elementwise_copysign(e / (e + 2.0f), x);
}

LANES_INLINE f32x16 lanes_silu(f32x16 x) { return x / (1.0f + lanes_exp(-x)); }

LANES_INLINE f32x16 lanes_clamped_swish_mul(f32x16 gate, f32x16 up) {
    const f32x16 limit = (f32x16)(PARLEY_SWISH_LIMIT);
    f32x16 x = lanes_select(gate > limit, limit, gate);
    f32x16 u = lanes_select(up > limit, limit, lanes_select(up < -limit, -limit, up));
    return x / (1.0f + lanes_exp(x * -PARLEY_SWISH_SLOPE)) * (u + 1.0f);
}

LANES_INLINE f32x16 lanes_gelu(f32x16 x) {
    f32x16 u = (PARLEY_GELU_SLOPE * x) * lanes_fma(PARLEY_GELU_CUBIC * x, x, (f32x16)(1.0f));
    return x / (1.0f + lanes_exp(u));
}

LANES_INLINE f32x16 lanes_gelu_erf(f32x16 x) {
    f32x16 magnitude = __builtin_elementwise_abs(x), z = magnitude * PARLEY_SQRT_HALF;
    f32x16 t = 1.0f / lanes_fma((f32x16)(PARLEY_ERF_P), z, (f32x16)(1.0f));
    f32x16 h = lanes_fma((f32x16)(PARLEY_ERF_A5), t, (f32x16)(PARLEY_ERF_A4));
    h = lanes_fma(h, t, (f32x16)(PARLEY_ERF_A3));
    h = lanes_fma(h, t, (f32x16)(PARLEY_ERF_A2));
    h = lanes_fma(h, t, (f32x16)(PARLEY_ERF_A1));
    f32x16 tail = (0.5f * magnitude) * ((h * t) * lanes_exp(-(z * z)));
    return lanes_select(x > 0.0f, x - tail, -tail);
}

#endif
