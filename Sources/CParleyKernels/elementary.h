// SPDX-License-Identifier: Apache-2.0
//
// Elementary functions in single precision. They use only fma, the four operations and integer shifts, so that every
// instruction set computes the same bits. `lanes.h` has the same steps for sixteen values at a time.
//
// exp(x) = 2^n exp(r) with n = round(x / ln 2) and r = x - n ln 2 in two steps, the first of which is exact (Cody and
// Waite, Software Manual for the Elementary Functions, 1980). exp(r) - 1 = r + r^2 h(r) on |r| <= ln(2) / 2, h being
// the minimax polynomial of degree 4, each coefficient rounded to f32 before the next was fitted: relative error
// 3.1e-9 before rounding, within 1 ulp in all.

#ifndef PARLEY_ELEMENTARY_H
#define PARLEY_ELEMENTARY_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#pragma STDC FP_CONTRACT OFF

#define PARLEY_LOG2_E 0x1.715476p+0f
#define PARLEY_LN2_HIGH 0x1.62e4p-1f  // 15 bits: n * PARLEY_LN2_HIGH is exact
#define PARLEY_LN2_LOW 0x1.7f7d1cp-20f
#define PARLEY_EXP_C2 0x1.fffffcp-2f
#define PARLEY_EXP_C3 0x1.555492p-3f
#define PARLEY_EXP_C4 0x1.5558b0p-5f
#define PARLEY_EXP_C5 0x1.12398ap-7f
#define PARLEY_EXP_C6 0x1.6a4d14p-10f
/// Adding 1.5 * 2^23 rounds to an integer, to nearest even, and leaves that integer in the low bits.
#define PARLEY_ROUNDING_SHIFT 0x1.8p+23f
/// Below this (-126 ln 2) exp gives 0: its results are never subnormal.
#define PARLEY_EXP_LOWEST -0x1.5d589ep+6f
/// Above this (127.5 ln 2) exp gives infinity.
#define PARLEY_EXP_HIGHEST 0x1.61814ap+6f
/// tanh is 1 in f32 from here on.
#define PARLEY_TANH_HIGHEST 10.0f

/// Splits exp(x) = (1 + *fraction) * 2^n and returns 2^n. Valid for |x| < 88.
static inline float parley_exp_parts(float x, float *fraction) {
    float shifted = fmaf(x, PARLEY_LOG2_E, PARLEY_ROUNDING_SHIFT);
    float n = shifted - PARLEY_ROUNDING_SHIFT;
    float r = fmaf(n, -PARLEY_LN2_LOW, fmaf(n, -PARLEY_LN2_HIGH, x));
    float h = fmaf(PARLEY_EXP_C6, r, PARLEY_EXP_C5);
    h = fmaf(h, r, PARLEY_EXP_C4);
    h = fmaf(h, r, PARLEY_EXP_C3);
    h = fmaf(h, r, PARLEY_EXP_C2);
    *fraction = fmaf(h, r * r, r);
    uint32_t bits;
    float power;
    memcpy(&bits, &shifted, sizeof bits);
    bits = (bits << 23) + 0x3f800000u;
    memcpy(&power, &bits, sizeof power);
    return power;
}

static inline float parley_exp(float x) {
    float fraction;
    float power = parley_exp_parts(x, &fraction);
    float y = (1.0f + fraction) * power;
    y = x < PARLEY_EXP_LOWEST ? 0.0f : y;
    return x > PARLEY_EXP_HIGHEST ? INFINITY : y;
}

/// tanh(|x|) = e / (e + 2) with e = exp(2|x|) - 1, which keeps its precision near 0.
static inline float parley_tanh(float x) {
    float magnitude = fabsf(x) > PARLEY_TANH_HIGHEST ? PARLEY_TANH_HIGHEST : fabsf(x);
    float fraction;
    float power = parley_exp_parts(2.0f * magnitude, &fraction);
    float e = fmaf(fraction, power, power - 1.0f);
    return copysignf(e / (e + 2.0f), x);
}

#define PARLEY_SWISH_LIMIT 7.0f
#define PARLEY_SWISH_SLOPE 1.702f

/// The gated activation of gpt-oss, with limits for both of its inputs.
static inline float parley_clamped_swish_mul(float gate, float up) {
    float x = gate > PARLEY_SWISH_LIMIT ? PARLEY_SWISH_LIMIT : gate;
    float u = up > PARLEY_SWISH_LIMIT ? PARLEY_SWISH_LIMIT : up < -PARLEY_SWISH_LIMIT ? -PARLEY_SWISH_LIMIT : up;
    return x / (1.0f + parley_exp(x * -PARLEY_SWISH_SLOPE)) * (u + 1.0f);
}

/// x * sigmoid(x). Large |x| need no special case, because exp(-x) is then 0 or infinite.
static inline float parley_silu(float x) { return x / (1.0f + parley_exp(-x)); }

#define PARLEY_GELU_CUBIC 0.044715f
#define PARLEY_GELU_SLOPE -0x1.988454p+0f  // -2 sqrt(2 / pi)

/// 0.5 x (1 + tanh(u)) with u = sqrt(2 / pi) (x + 0.044715 x^3), written as x * sigmoid(2u).
static inline float parley_gelu(float x) {
    float u = (PARLEY_GELU_SLOPE * x) * fmaf(PARLEY_GELU_CUBIC * x, x, 1.0f);
    return x / (1.0f + parley_exp(u));
}

/// 1 / sqrt(2), and the coefficients of 1 - erf(z) = (a1 t + ... + a5 t^5) exp(-z^2) with t = 1 / (1 + p z) (Abramowitz
/// and Stegun, 1964, 7.1.26): within 1.5e-7.
#define PARLEY_SQRT_HALF 0x1.6a09e6p-1f
#define PARLEY_ERF_P 0.3275911f
#define PARLEY_ERF_A1 0.254829592f
#define PARLEY_ERF_A2 -0.284496736f
#define PARLEY_ERF_A3 1.421413741f
#define PARLEY_ERF_A4 -1.453152027f
#define PARLEY_ERF_A5 1.061405429f

/// 0.5 x (1 + erf(x / sqrt(2))). What is missing to x, or to 0, is computed alone, which keeps the precision of the tail.
static inline float parley_gelu_erf(float x) {
    float magnitude = fabsf(x), z = magnitude * PARLEY_SQRT_HALF;
    float t = 1.0f / fmaf(PARLEY_ERF_P, z, 1.0f);
    float h = fmaf(PARLEY_ERF_A5, t, PARLEY_ERF_A4);
    h = fmaf(h, t, PARLEY_ERF_A3);
    h = fmaf(h, t, PARLEY_ERF_A2);
    h = fmaf(h, t, PARLEY_ERF_A1);
    float tail = (0.5f * magnitude) * ((h * t) * parley_exp(-(z * z)));
    return x > 0.0f ? x - tail : -tail;
}

/// The largest finite f16. Larger values are stored as this, because an infinity in the cache would turn scores into
/// NaN.
#define PARLEY_F16_HIGHEST 65504.0f

/// The sum of sixteen lanes, adding the upper half to the lower half four times.
static inline float parley_lane_sum(const float *lanes) {
    float sums[16];
    memcpy(sums, lanes, sizeof sums);
    for (int half = 8; half > 0; half /= 2)
        for (int i = 0; i < half; i++) sums[i] += sums[i + half];
    return sums[0];
}

#endif
