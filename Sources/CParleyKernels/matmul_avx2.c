// SPDX-License-Identifier: Apache-2.0

#include "panel_layout.h"

#if PARLEY_X86

void parley_matmul_avx2(const parley_matrix *w, const void *activations, size_t tokens, float *y, size_t y_stride,
                        size_t panel_begin, size_t panel_end, void *scratch) {
    parley_matmul_generic(w, activations, tokens, y, y_stride, panel_begin, panel_end, scratch);
}

void parley_matmul_float_avx2(const parley_matrix *w, const float *x, size_t x_stride, size_t tokens, float *y,
                              size_t y_stride, size_t panel_begin, size_t panel_end, void *scratch) {
    parley_matmul_float_generic(w, x, x_stride, tokens, y, y_stride, panel_begin, panel_end, scratch);
}

#endif
