// SPDX-License-Identifier: Apache-2.0
//
// Products with quantised and float matrices: the readable reference, whose bits every other instruction set
// reproduces.

#include <math.h>

#pragma STDC FP_CONTRACT OFF

#include "panel_layout.h"

/// Adds one block of 32 columns to the accumulator of one row and one token (token `t` of a tile of `width` tokens).
static float add_block(const parley_row_block *w, bool halves, bool has_minimum, const parley_activation_block *x,
                       size_t width, size_t t, float acc) {
    int32_t dot[2] = {0, 0};
    int32_t sum[2] = {-x->minus_low[t], x->minus_low[t] - x->minus_sum[t]};
    for (size_t c = 0; c < PARLEY_BLOCK_COLUMNS; c++) {
        dot[c / 16] += w->q[c] * x->q[(c / 4 * width + t) * 4 + c % 4];
    }
    if (!halves) {
        acc = fmaf((float)(dot[0] + dot[1]), w->scale[0] * x->scale[t], acc);
        return has_minimum ? fmaf(w->minimum[0], x->scaled_sum[t], acc) : acc;
    }
    for (size_t h = 0; h < 2; h++) {
        acc = fmaf((float)dot[h], w->scale[h] * x->scale[t], acc);
        if (has_minimum) acc = fmaf(w->minimum[h], x->scale[t] * (float)sum[h], acc);
    }
    return acc;
}

void parley_matmul_generic(const parley_matrix *w, const void *activations, size_t tokens, float *y, size_t y_stride,
                           size_t panel_begin, size_t panel_end, void *scratch) {
    (void)scratch;
    parley_unit_layout layout = parley_unit(w->type);
    size_t panel_bytes = parley_panel_bytes(w->type, w->columns), blocks = w->columns / PARLEY_BLOCK_COLUMNS;
    size_t row_end = panel_end * PARLEY_PANEL_ROWS < w->rows ? panel_end * PARLEY_PANEL_ROWS : w->rows;
    for (size_t row = panel_begin * PARLEY_PANEL_ROWS; row < row_end; row++) {
        const uint8_t *panel = (const uint8_t *)w->panels + row / PARLEY_PANEL_ROWS * panel_bytes;
        for (size_t tile = 0; tile < parley_tile_count(tokens, PARLEY_TILE_TOKENS); tile++) {
            size_t begin = parley_tile_begin(tokens, PARLEY_TILE_TOKENS, tile);
            size_t width = parley_tile_begin(tokens, PARLEY_TILE_TOKENS, tile + 1) - begin;
            float acc[PARLEY_TILE_TOKENS] = {0};
            for (size_t b = 0; b < blocks; b++) {
                parley_row_block weights;
                parley_unpack_block(w->type, panel, b, row % PARLEY_PANEL_ROWS, &weights);
                parley_activation_block x = parley_activations_at(activations, w->columns, begin, width, b);
                for (size_t t = 0; t < width; t++) {
                    acc[t] = add_block(&weights, layout.halves, layout.has_minimum, &x, width, t, acc[t]);
                }
            }
            for (size_t t = 0; t < width; t++) y[(begin + t) * y_stride + row] = acc[t];
        }
    }
}

void parley_matmul_float_generic(const parley_matrix *w, const float *x, size_t x_stride, size_t tokens, float *y,
                                 size_t y_stride, size_t panel_begin, size_t panel_end, void *scratch) {
    (void)scratch;
    size_t panel_bytes = parley_panel_bytes(w->type, w->columns);
    size_t row_end = panel_end * PARLEY_PANEL_ROWS < w->rows ? panel_end * PARLEY_PANEL_ROWS : w->rows;
    for (size_t row = panel_begin * PARLEY_PANEL_ROWS; row < row_end; row++) {
        const uint8_t *panel = (const uint8_t *)w->panels + row / PARLEY_PANEL_ROWS * panel_bytes;
        for (size_t t = 0; t < tokens; t++) {
            float acc = 0;
            for (size_t c = 0; c < w->columns; c++) {
                float value = parley_panel_float(w->type, panel, PARLEY_PANEL_ROWS * c + row % PARLEY_PANEL_ROWS);
                acc = fmaf(value, x[t * x_stride + c], acc);
            }
            y[t * y_stride + row] = acc;
        }
    }
}
