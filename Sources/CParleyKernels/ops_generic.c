// SPDX-License-Identifier: Apache-2.0
//
// The small operations in plain C: the reference, whose bits every other instruction set reproduces.

#include "elementary.h"
#include "kernels_internal.h"

#pragma STDC FP_CONTRACT OFF

void parley_rms_norm_generic(const float *x, const float *weight, float *y, size_t n, float epsilon) {
    // Sixteen partial sums, by index modulo 16, added in a fixed tree: an order that any vector width can follow.
    float lanes[16] = {0};
    for (size_t i = 0; i < n; i++) lanes[i % 16] = fmaf(x[i], x[i], lanes[i % 16]);
    float scale = 1.0f / sqrtf(parley_lane_sum(lanes) / (float)n + epsilon);
    for (size_t i = 0; i < n; i++) y[i] = weight ? (x[i] * scale) * weight[i] : x[i] * scale;
}

void parley_layer_norm_generic(const float *x, const float *weight, const float *bias, float *y, size_t n,
                               float epsilon) {
    float lanes[16] = {0};
    for (size_t i = 0; i < n; i++) lanes[i % 16] += x[i];
    float mean = parley_lane_sum(lanes) / (float)n;
    float squares[16] = {0};
    for (size_t i = 0; i < n; i++) squares[i % 16] = fmaf(x[i] - mean, x[i] - mean, squares[i % 16]);
    float scale = 1.0f / sqrtf(parley_lane_sum(squares) / (float)n + epsilon);
    for (size_t i = 0; i < n; i++) y[i] = fmaf((x[i] - mean) * scale, weight[i], bias[i]);
}

void parley_rope_generic(float *x, size_t heads, size_t head_dim, size_t rotary_dim, const float *cosine,
                         const float *sine, bool halves) {
    size_t pairs = rotary_dim / 2;
    for (size_t head = 0; head < heads; head++, x += head_dim) {
        for (size_t i = 0; i < pairs; i++) {
            float *first = halves ? x + i : x + 2 * i;
            float *second = halves ? x + i + pairs : x + 2 * i + 1;
            float a = *first, b = *second;
            *first = fmaf(a, cosine[i], -(b * sine[i]));
            *second = fmaf(b, cosine[i], a * sine[i]);
        }
    }
}

void parley_silu_mul_generic(const float *gate, const float *up, float *y, size_t n) {
    for (size_t i = 0; i < n; i++) y[i] = parley_silu(gate[i]) * up[i];
}

void parley_gelu_mul_generic(const float *gate, const float *up, float *y, size_t n) {
    for (size_t i = 0; i < n; i++) y[i] = parley_gelu(gate[i]) * up[i];
}

void parley_clamped_swish_mul_generic(const float *gate, const float *up, float *y, size_t n) {
    for (size_t i = 0; i < n; i++) y[i] = parley_clamped_swish_mul(gate[i], up[i]);
}

void parley_silu_generic(const float *bias, float *y, size_t n) {
    for (size_t i = 0; i < n; i++) y[i] = parley_silu(bias ? y[i] + bias[i] : y[i]);
}

void parley_sigmoid_mul_generic(const float *gate, float *y, size_t n) {
    for (size_t i = 0; i < n; i++) y[i] = y[i] / (1.0f + parley_exp(-gate[i]));
}

void parley_gelu_erf_generic(const float *bias, float *y, size_t n) {
    for (size_t i = 0; i < n; i++) y[i] = parley_gelu_erf(bias ? y[i] + bias[i] : y[i]);
}

void parley_softcap_generic(float cap, float *y, size_t n) {
    for (size_t i = 0; i < n; i++) y[i] = cap * parley_tanh(y[i] / cap);
}

void parley_exp_sum_generic(const float *x, float highest, float *sum, size_t n) {
    float lanes[16] = {0};
    for (size_t i = 0; i < n; i++) lanes[i % 16] += parley_exp(x[i] - highest);
    *sum = parley_lane_sum(lanes);
}

void parley_softmax_parts_generic(const float *bias, float scale, float *y, float *sum, size_t n) {
    float highest = -INFINITY, lanes[16] = {0};
    for (size_t i = 0; i < n; i++) {
        y[i] = bias ? y[i] * scale + bias[i] : y[i] * scale;
        highest = y[i] > highest ? y[i] : highest;
    }
    for (size_t i = 0; i < n; i++) {
        y[i] = parley_exp(y[i] - highest);
        lanes[i % 16] += y[i];
    }
    *sum = parley_lane_sum(lanes);
}

void parley_add_generic(const float *x, float *y, size_t n) {
    for (size_t i = 0; i < n; i++) y[i] += x[i];
}

void parley_mul_generic(const float *x, float *y, size_t n) {
    for (size_t i = 0; i < n; i++) y[i] *= x[i];
}

void parley_scale_generic(float factor, float *y, size_t n) {
    for (size_t i = 0; i < n; i++) y[i] *= factor;
}

void parley_short_convolution_generic(const float *x, size_t x_stride, size_t tokens, const float *weight,
                                      size_t width, float *state, size_t n, float *y, size_t y_stride,
                                      size_t channel_begin, size_t channel_end) {
    size_t history = width - 1;
    for (size_t t = 0; t < tokens; t++) {
        for (size_t c = channel_begin; c < channel_end; c++) {
            float sum = 0.0f;
            for (size_t j = 0; j < width; j++) {
                size_t row = t + j;  // counted from the oldest row of the state
                float u = row < history ? state[row * n + c] : x[(row - history) * x_stride + c];
                sum = fmaf(weight[c * width + j], u, sum);
            }
            y[t * y_stride + c] = sum;
        }
    }
    for (size_t i = 0; i < history; i++) {
        size_t row = tokens + i;
        for (size_t c = channel_begin; c < channel_end; c++)
            state[i * n + c] = row < history ? state[row * n + c] : x[(row - history) * x_stride + c];
    }
}

void parley_linear_attention_generic(const parley_linear_attention *a, size_t column_begin, size_t column_end) {
    for (size_t t = 0; t < a->rows; t++) {
        const float *q = a->q + t * a->stride, *k = a->k + t * a->stride, *v = a->v + t * a->stride;
        float decay = a->decay[t * a->gate_stride], rate = a->rate[t * a->gate_stride];
        for (size_t j = column_begin; j < column_end; j++) {
            float *column = a->state + j;
            float predicted = 0.0f, y = 0.0f;
            if (a->corrects)
                for (size_t i = 0; i < a->key_dim; i++)
                    predicted = fmaf(column[i * a->value_dim] * decay, k[i], predicted);
            float d = (a->corrects ? v[j] - predicted : v[j]) * rate;
            for (size_t i = 0; i < a->key_dim; i++) {
                float s = fmaf(k[i], d, column[i * a->value_dim] * decay);
                column[i * a->value_dim] = s;
                y = fmaf(s, q[i], y);
            }
            a->y[t * a->y_stride + j] = y;
        }
    }
}
