// SPDX-License-Identifier: Apache-2.0

#include "panel_layout.h"

#if PARLEY_X86

void parley_quantize_avx512(const float *x, size_t x_stride, size_t columns, void *activations, size_t tokens,
                          size_t token_begin, size_t token_end) {
    parley_quantize_generic(x, x_stride, columns, activations, tokens, token_begin, token_end);
}

#endif
