// SPDX-License-Identifier: Apache-2.0
//
// Products with F32, F16 and BF16 matrices: the body of `matmul_float_<isa>.c`. With few tokens, several panels are
// multiplied at a time, so that enough independent chains of fma are in flight.
//
// That file defines LANES_PANELS (the number of panels at a time), LANES_PANEL_TOKENS (the maximum number of tokens for
// which several panels are used) and LANES_AHEAD (the prefetch distance of weights in bytes, or 0).

#pragma STDC FP_CONTRACT OFF

/// Loads the rows of part `part` of one column.
LANES_INLINE f32_rows load_column(parley_type type, const uint8_t *column, size_t part) {
    if (type == PARLEY_F32) return load_f32(column + 4 * LANES_ROWS * part);
    if (type == PARLEY_F16) return load_f16(column + 2 * LANES_ROWS * part);
    u16_rows halves;
    __builtin_memcpy(&halves, column + 2 * LANES_ROWS * part, sizeof halves);
    return (f32_rows)(__builtin_convertvector(halves, u32_rows) << 16);
}

LANES_INLINE void tile_product(parley_type type, size_t panels, size_t width, const parley_matrix *w, const float *x,
                               size_t x_stride, float *y, size_t y_stride, size_t first_panel) {
    const size_t panel_bytes = parley_panel_bytes(type, w->columns), column_bytes = type == PARLEY_F32 ? 64 : 32;
    const uint8_t *panel = (const uint8_t *)w->panels + first_panel * panel_bytes;
    const size_t parts = LANES_PARTS * panels;
    f32_rows acc[LANES_PARTS * LANES_PANELS][PARLEY_TILE_TOKENS];
    UNROLL for (size_t i = 0; i < parts; i++) {
        UNROLL for (size_t t = 0; t < width; t++) acc[i][t] = (f32_rows){0};
    }
    for (size_t c = 0; c < w->columns; c++) {
        f32_rows weights[LANES_PARTS * LANES_PANELS];
        UNROLL for (size_t i = 0; i < parts; i++) {
            const uint8_t *column = panel + i / LANES_PARTS * panel_bytes + c * column_bytes;
            weights[i] = load_column(type, column, i % LANES_PARTS);
            if (LANES_AHEAD > 0 && i % LANES_PARTS == 0) __builtin_prefetch(column + LANES_AHEAD);
        }
        UNROLL for (size_t t = 0; t < width; t++) {
            const f32_rows value = splat(x[t * x_stride + c]);
            UNROLL for (size_t i = 0; i < parts; i++) {
                acc[i][t] = __builtin_elementwise_fma(weights[i], value, acc[i][t]);
            }
        }
    }
    const size_t row = first_panel * PARLEY_PANEL_ROWS, rows = w->rows - row;
    UNROLL for (size_t i = 0; i < parts; i++) {
        UNROLL for (size_t t = 0; t < width; t++) {
            store_rows(y + t * y_stride + row + LANES_ROWS * i, rows_of_part(rows, i), acc[i][t]);
        }
    }
}

#define TILE_PRODUCT(tokens)                                                                                           \
    case tokens:                                                                                                       \
        if (panels == 1 || tokens <= LANES_PANEL_TOKENS) {                                                             \
            tile_product(type, panels, tokens, w, x, x_stride, y, y_stride, panel);                                    \
        }                                                                                                              \
        break;

LANES_INLINE void widths(parley_type type, size_t panels, size_t width, const parley_matrix *w, const float *x,
                         size_t x_stride, float *y, size_t y_stride, size_t panel) {
    switch (width) {
        TILE_PRODUCT(1)
        TILE_PRODUCT(2)
        TILE_PRODUCT(3)
        TILE_PRODUCT(4)
        TILE_PRODUCT(5)
        TILE_PRODUCT(6)
        default: break;
    }
}

LANES_INLINE void product(parley_type type, const parley_matrix *w, const float *x, size_t x_stride, size_t tokens,
                          float *y, size_t y_stride, size_t begin, size_t end) {
    const size_t tiles = parley_tile_count(tokens, PARLEY_TILE_TOKENS);
    const bool few = tokens <= tiles * LANES_PANEL_TOKENS;
    for (size_t p = begin; p < end;) {
        const bool several = LANES_PANELS > 1 && few && end - p >= LANES_PANELS;
        for (size_t tile = 0; tile < tiles; tile++) {
            const size_t first = parley_tile_begin(tokens, PARLEY_TILE_TOKENS, tile);
            const size_t width = parley_tile_begin(tokens, PARLEY_TILE_TOKENS, tile + 1) - first;
            const float *tile_x = x + first * x_stride;
            float *tile_y = y + first * y_stride;
            if (several) {
                widths(type, LANES_PANELS, width, w, tile_x, x_stride, tile_y, y_stride, p);
            } else {
                widths(type, 1, width, w, tile_x, x_stride, tile_y, y_stride, p);
            }
        }
        p += several ? LANES_PANELS : 1;
    }
}

LANES_KERNEL(matmul_float)(const parley_matrix *w, const float *x, size_t x_stride, size_t tokens, float *y,
                           size_t y_stride, size_t panel_begin, size_t panel_end, void *scratch) {
    (void)scratch;
    switch (w->type) {
        case PARLEY_F32: product(PARLEY_F32, w, x, x_stride, tokens, y, y_stride, panel_begin, panel_end); break;
        case PARLEY_F16: product(PARLEY_F16, w, x, x_stride, tokens, y, y_stride, panel_begin, panel_end); break;
        case PARLEY_BF16: product(PARLEY_BF16, w, x, x_stride, tokens, y, y_stride, panel_begin, panel_end); break;
        default: break;
    }
}
