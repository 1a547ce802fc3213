// SPDX-License-Identifier: Apache-2.0
//
// The short convolution, sixteen channels at a time. Included by `ops_<isa>.c` after `ops_lanes.h`.

#include "lanes.h"

#pragma STDC FP_CONTRACT OFF

/// The largest kernel width for which weights and rows are kept in local arrays; models have 3 or 4.
#define WIDEST_CONVOLUTION 8

/// Computes channels [c, c + 16). `rows` is a sliding window over the input rows, oldest first.
LANES_INLINE void convolve_lanes(const float *x, size_t x_stride, size_t tokens, const float *weight, size_t width,
                                 float *state, size_t n, float *y, size_t y_stride, size_t c) {
    f32x16 taps[WIDEST_CONVOLUTION], rows[WIDEST_CONVOLUTION];
    for (size_t j = 0; j < width; j++)
        for (size_t i = 0; i < 16; i++) taps[j][i] = weight[(c + i) * width + j];
    for (size_t j = 0; j + 1 < width; j++) rows[j] = lanes_load(state + j * n + c);
    for (size_t t = 0; t < tokens; t++) {
        rows[width - 1] = lanes_load(x + t * x_stride + c);
        f32x16 sum = (f32x16)(0.0f);
        for (size_t j = 0; j < width; j++) sum = lanes_fma(taps[j], rows[j], sum);
        lanes_store(y + t * y_stride + c, sum);
        for (size_t j = 0; j + 1 < width; j++) rows[j] = rows[j + 1];
    }
    for (size_t j = 0; j + 1 < width; j++) lanes_store(state + j * n + c, rows[j]);
}

LANES_KERNEL(short_convolution)(const float *x, size_t x_stride, size_t tokens, const float *weight, size_t width,
                                float *state, size_t n, float *y, size_t y_stride, size_t channel_begin,
                                size_t channel_end) {
    size_t c = channel_begin;
    if (width <= WIDEST_CONVOLUTION)
        for (; c + 16 <= channel_end; c += 16)
            convolve_lanes(x, x_stride, tokens, weight, width, state, n, y, y_stride, c);
    parley_short_convolution_generic(x, x_stride, tokens, weight, width, state, n, y, y_stride, c, channel_end);
}
