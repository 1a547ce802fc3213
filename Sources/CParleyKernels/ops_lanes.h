// SPDX-License-Identifier: Apache-2.0
//
// The small operations with vectors of sixteen lanes: the body of `ops_<isa>.c`, which defines LANES_TARGET (the target
// attribute) and LANES_KERNEL(operation) (the beginning of that operation's definition). The contracts are documented
// in `parley_kernels.h`.

#include "lanes.h"

#pragma STDC FP_CONTRACT OFF

LANES_KERNEL(rms_norm)(const float *x, const float *weight, float *y, size_t n, float epsilon) {
    size_t body = n - n % 16;
    f32x16 squares = (f32x16)(0.0f);
    for (size_t i = 0; i < body; i += 16) {
        f32x16 lanes = lanes_load(x + i);
        squares = lanes_fma(lanes, lanes, squares);
    }
    if (body < n) {
        f32x16 lanes = lanes_load_part(x + body, n - body);
        squares = lanes_fma(lanes, lanes, squares);
    }
    float scale = 1.0f / sqrtf(lanes_sum(squares) / (float)n + epsilon);
    for (size_t i = 0; i < n; i++) y[i] = weight ? (x[i] * scale) * weight[i] : x[i] * scale;
}

LANES_KERNEL(layer_norm)(const float *x, const float *weight, const float *bias, float *y, size_t n, float epsilon) {
    size_t body = n - n % 16;
    f32x16 sum = (f32x16)(0.0f);
    for (size_t i = 0; i < body; i += 16) sum += lanes_load(x + i);
    if (body < n) sum += lanes_load_part(x + body, n - body);
    float mean = lanes_sum(sum) / (float)n;
    f32x16 squares = (f32x16)(0.0f);
    for (size_t i = 0; i < body; i += 16) {
        f32x16 apart = lanes_load(x + i) - mean;
        squares = lanes_fma(apart, apart, squares);
    }
    if (body < n) {
        // The lanes beyond the row must add nothing, though they too differ from the mean.
        float rest[16] = {0};
        for (size_t i = body; i < n; i++) rest[i - body] = x[i] - mean;
        f32x16 apart = lanes_load(rest);
        squares = lanes_fma(apart, apart, squares);
    }
    float scale = 1.0f / sqrtf(lanes_sum(squares) / (float)n + epsilon);
    for (size_t i = 0; i < body; i += 16)
        lanes_store(y + i, lanes_fma((lanes_load(x + i) - mean) * scale, lanes_load(weight + i), lanes_load(bias + i)));
    for (size_t i = body; i < n; i++) y[i] = fmaf((x[i] - mean) * scale, weight[i], bias[i]);
}

/// Rotates pairs one by one: (x[i * step], x[i * step + apart]).
LANES_INLINE void rotate(float *x, size_t step, size_t apart, size_t begin, size_t end, const float *cosine,
                         const float *sine) {
    for (size_t i = begin; i < end; i++) {
        float a = x[i * step], b = x[i * step + apart];
        x[i * step] = fmaf(a, cosine[i], -(b * sine[i]));
        x[i * step + apart] = fmaf(b, cosine[i], a * sine[i]);
    }
}

/// Rotates sixteen pairs (a, b).
LANES_INLINE void rotate_lanes(f32x16 *a, f32x16 *b, const float *cosine, const float *sine) {
    f32x16 c = lanes_load(cosine), s = lanes_load(sine);
    f32x16 rotated = lanes_fma(*a, c, -(*b * s));
    *b = lanes_fma(*b, c, *a * s);
    *a = rotated;
}

LANES_INLINE void rope_halves(float *x, size_t pairs, const float *cosine, const float *sine) {
    size_t body = pairs - pairs % 16;
    for (size_t i = 0; i < body; i += 16) {
        f32x16 a = lanes_load(x + i), b = lanes_load(x + i + pairs);
        rotate_lanes(&a, &b, cosine + i, sine + i);
        lanes_store(x + i, a);
        lanes_store(x + i + pairs, b);
    }
    rotate(x, 1, pairs, body, pairs, cosine, sine);
}

LANES_INLINE void rope_neighbours(float *x, size_t pairs, const float *cosine, const float *sine) {
    size_t body = pairs - pairs % 16;
    for (size_t i = 0; i < body; i += 16) {
        f32x16 low = lanes_load(x + 2 * i), high = lanes_load(x + 2 * i + 16);
        f32x16 a = __builtin_shufflevector(low, high, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
        f32x16 b = __builtin_shufflevector(low, high, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
        rotate_lanes(&a, &b, cosine + i, sine + i);
        low = __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
        high = __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
        lanes_store(x + 2 * i, low);
        lanes_store(x + 2 * i + 16, high);
    }
    rotate(x, 2, 1, body, pairs, cosine, sine);
}

LANES_KERNEL(rope)(float *x, size_t heads, size_t head_dim, size_t rotary_dim, const float *cosine, const float *sine,
                   bool halves) {
    for (size_t head = 0; head < heads; head++, x += head_dim) {
        if (halves) rope_halves(x, rotary_dim / 2, cosine, sine);
        else rope_neighbours(x, rotary_dim / 2, cosine, sine);
    }
}

LANES_KERNEL(silu_mul)(const float *gate, const float *up, float *y, size_t n) {
    size_t body = n - n % 16;
    for (size_t i = 0; i < body; i += 16) lanes_store(y + i, lanes_silu(lanes_load(gate + i)) * lanes_load(up + i));
    if (body == n) return;
    f32x16 g = lanes_load_part(gate + body, n - body), u = lanes_load_part(up + body, n - body);
    lanes_store_part(y + body, lanes_silu(g) * u, n - body);
}

LANES_KERNEL(gelu_mul)(const float *gate, const float *up, float *y, size_t n) {
    size_t body = n - n % 16;
    for (size_t i = 0; i < body; i += 16) lanes_store(y + i, lanes_gelu(lanes_load(gate + i)) * lanes_load(up + i));
    if (body == n) return;
    f32x16 g = lanes_load_part(gate + body, n - body), u = lanes_load_part(up + body, n - body);
    lanes_store_part(y + body, lanes_gelu(g) * u, n - body);
}

LANES_KERNEL(clamped_swish_mul)(const float *gate, const float *up, float *y, size_t n) {
    size_t body = n - n % 16;
    for (size_t i = 0; i < body; i += 16) {
        lanes_store(y + i, lanes_clamped_swish_mul(lanes_load(gate + i), lanes_load(up + i)));
    }
    if (body == n) return;
    f32x16 g = lanes_load_part(gate + body, n - body), u = lanes_load_part(up + body, n - body);
    lanes_store_part(y + body, lanes_clamped_swish_mul(g, u), n - body);
}

LANES_KERNEL(silu)(const float *bias, float *y, size_t n) {
    size_t body = n - n % 16;
    for (size_t i = 0; i < body; i += 16) {
        f32x16 x = lanes_load(y + i);
        if (bias) x += lanes_load(bias + i);
        lanes_store(y + i, lanes_silu(x));
    }
    if (body == n) return;
    f32x16 x = lanes_load_part(y + body, n - body);
    if (bias) x += lanes_load_part(bias + body, n - body);
    lanes_store_part(y + body, lanes_silu(x), n - body);
}

LANES_KERNEL(sigmoid_mul)(const float *gate, float *y, size_t n) {
    size_t body = n - n % 16;
    for (size_t i = 0; i < body; i += 16)
        lanes_store(y + i, lanes_load(y + i) / (1.0f + lanes_exp(-lanes_load(gate + i))));
    if (body == n) return;
    f32x16 x = lanes_load_part(y + body, n - body), g = lanes_load_part(gate + body, n - body);
    lanes_store_part(y + body, x / (1.0f + lanes_exp(-g)), n - body);
}

LANES_KERNEL(gelu_erf)(const float *bias, float *y, size_t n) {
    size_t body = n - n % 16;
    for (size_t i = 0; i < body; i += 16) {
        f32x16 x = lanes_load(y + i);
        if (bias) x += lanes_load(bias + i);
        lanes_store(y + i, lanes_gelu_erf(x));
    }
    if (body == n) return;
    f32x16 x = lanes_load_part(y + body, n - body);
    if (bias) x += lanes_load_part(bias + body, n - body);
    lanes_store_part(y + body, lanes_gelu_erf(x), n - body);
}

LANES_KERNEL(softcap)(float cap, float *y, size_t n) {
    size_t body = n - n % 16;
    for (size_t i = 0; i < body; i += 16) lanes_store(y + i, cap * lanes_tanh(lanes_load(y + i) / cap));
    if (body == n) return;
    lanes_store_part(y + body, cap * lanes_tanh(lanes_load_part(y + body, n - body) / cap), n - body);
}

LANES_KERNEL(exp_sum)(const float *x, float highest, float *sum, size_t n) {
    size_t body = n - n % 16;
    f32x16 sums = (f32x16)(0.0f);
    for (size_t i = 0; i < body; i += 16) sums += lanes_exp(lanes_load(x + i) - highest);
    if (body < n) {
        // The lanes beyond the row must add nothing.
        float rest[16];
        for (size_t i = 0; i < 16; i++) rest[i] = body + i < n ? x[body + i] - highest : -INFINITY;
        sums += lanes_exp(lanes_load(rest));
    }
    *sum = lanes_sum(sums);
}

LANES_KERNEL(softmax_parts)(const float *bias, float scale, float *y, float *sum, size_t n) {
    size_t body = n - n % 16;
    f32x16 highest = (f32x16)(-INFINITY), sums = (f32x16)(0.0f);
    for (size_t i = 0; i < body; i += 16) {
        f32x16 x = lanes_load(y + i) * scale;
        if (bias) x += lanes_load(bias + i);
        highest = lanes_max(x, highest);
        lanes_store(y + i, x);
    }
    float most = lanes_highest(highest);
    for (size_t i = body; i < n; i++) {
        y[i] = bias ? y[i] * scale + bias[i] : y[i] * scale;
        most = y[i] > most ? y[i] : most;
    }
    for (size_t i = 0; i < body; i += 16) {
        f32x16 e = lanes_exp(lanes_load(y + i) - most);
        sums += e;
        lanes_store(y + i, e);
    }
    if (body < n) {
        // The lanes beyond the row must add nothing.
        float rest[16];
        for (size_t i = 0; i < 16; i++) rest[i] = body + i < n ? y[body + i] - most : -INFINITY;
        f32x16 e = lanes_exp(lanes_load(rest));
        sums += e;
        lanes_store_part(y + body, e, n - body);
    }
    *sum = lanes_sum(sums);
}

// Each value is rounded once, so code that the compiler vectorises gives the same bits as scalar code.

LANES_KERNEL(add)(const float *x, float *y, size_t n) {
    for (size_t i = 0; i < n; i++) y[i] += x[i];
}

LANES_KERNEL(mul)(const float *x, float *y, size_t n) {
    for (size_t i = 0; i < n; i++) y[i] *= x[i];
}

LANES_KERNEL(scale)(float factor, float *y, size_t n) {
    for (size_t i = 0; i < n; i++) y[i] *= factor;
}
