// SPDX-License-Identifier: Apache-2.0
//
// Products with quantised matrices and few tokens: the body of `matmul_<isa>.c`. One lane is one row, so the sum of
// each (row, token) is added in the same order whatever the shape of the work. With few tokens (decoding), memory
// bandwidth is the limit: each weight is loaded from its panel into registers once. With more tokens,
// `matmul_chunks_<isa>.c` is used.
//
// That file defines LANES_TOKENS (the maximum number of tokens for this path, 4 or 6), LANES_AHEAD (the prefetch
// distance of weights in bytes) and `block_product`, which adds block `s` of a unit to the accumulators. The parts of a
// unit are not read in order, which defeats the hardware prefetcher: with AVX-512, prefetching 8 KiB ahead makes
// reading from memory a third faster.

#pragma STDC FP_CONTRACT OFF

/// Multiplies one panel with `width` tokens, unpacking the weights in registers.
LANES_INLINE void panel_product(parley_type type, size_t width, const uint8_t *panel, const void *activations,
                                size_t columns, float *y, size_t y_stride, size_t rows) {
    const parley_unit_layout layout = parley_unit(type);
    const size_t unit_blocks = layout.columns / PARLEY_BLOCK_COLUMNS, step = layout.bytes / unit_blocks;
    const uint8_t *ahead = panel + LANES_AHEAD;
    f32_rows acc[LANES_PARTS][PARLEY_TILE_TOKENS];
    UNROLL for (size_t i = 0; i < LANES_PARTS; i++) {
        UNROLL for (size_t t = 0; t < width; t++) acc[i][t] = (f32_rows){0};
    }
    for (size_t block = 0; block < columns / PARLEY_BLOCK_COLUMNS; panel += layout.bytes) {
        KEEP_ROLLED for (size_t s = 0; s < unit_blocks; s++, block++) {
            const parley_activation_block x = parley_activations_at(activations, columns, 0, width, block);
            UNROLL for (size_t i = 0; i < step; i += 64) __builtin_prefetch(ahead + i);
            ahead += step;
            block_product(type, width, panel, s, &x, acc);
        }
    }
    UNROLL for (size_t i = 0; i < LANES_PARTS; i++) {
        UNROLL for (size_t t = 0; t < width; t++) {
            store_rows(y + t * y_stride + LANES_ROWS * i, rows_of_part(rows, i), acc[i][t]);
        }
    }
}

LANES_INLINE void panel_products(parley_type type, size_t width, const parley_matrix *w, const void *activations,
                                 float *y, size_t y_stride, size_t panel_begin, size_t panel_end) {
    const size_t panel_bytes = parley_panel_bytes(type, w->columns);
    for (size_t p = panel_begin; p < panel_end; p++) {
        const uint8_t *panel = (const uint8_t *)w->panels + p * panel_bytes;
        const size_t row = p * PARLEY_PANEL_ROWS;
        panel_product(type, width, panel, activations, w->columns, y + row, y_stride, w->rows - row);
    }
}

LANES_INLINE void few_tokens(parley_type type, const parley_matrix *w, const void *activations, size_t tokens,
                             float *y, size_t y_stride, size_t begin, size_t end) {
    switch (tokens) {
        case 1: panel_products(type, 1, w, activations, y, y_stride, begin, end); break;
        case 2: panel_products(type, 2, w, activations, y, y_stride, begin, end); break;
        case 3: panel_products(type, 3, w, activations, y, y_stride, begin, end); break;
        case 4: panel_products(type, 4, w, activations, y, y_stride, begin, end); break;
#if LANES_TOKENS >= 6
        case 5: panel_products(type, 5, w, activations, y, y_stride, begin, end); break;
        case 6: panel_products(type, 6, w, activations, y, y_stride, begin, end); break;
#endif
        default: break;
    }
}

#define FEW_TOKENS(type)                                                                                               \
    case type: few_tokens(type, w, activations, tokens, y, y_stride, panel_begin, panel_end); break;

LANES_KERNEL(matmul)(const parley_matrix *w, const void *activations, size_t tokens, float *y, size_t y_stride,
                     size_t panel_begin, size_t panel_end, void *scratch) {
    if (tokens > LANES_TOKENS) {
        LANES_CHUNKS(w, activations, tokens, y, y_stride, panel_begin, panel_end, scratch);
        return;
    }
    switch (parley_panel_type(w->type)) {
        FOR_QUANTISED_TYPES(FEW_TOKENS)
        default: break;
    }
}
