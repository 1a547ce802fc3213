// SPDX-License-Identifier: Apache-2.0
//
// Products with quantised matrices, AVX-512 with VNNI. One lane is one row, so the sums of a (row, token) are formed in
// the same order whatever the shape of the work.
//
// Up to six tokens (decoding) are limited by memory: weights go from the panel through registers, once. With more,
// arithmetic is the limit: a pair of panels is unpacked to scratch and meets all tiles of tokens, 32 rows x 6 tokens at
// a time.

#include "panel_layout.h"

#if PARLEY_X86

#include "unpack_avx512.h"

#pragma STDC FP_CONTRACT OFF

#define UNROLL _Pragma("clang loop unroll(full)")

/// What distinguishes quantised types once their weights are bytes.
typedef struct {
    bool halves;       // scales cover 16 columns
    bool has_minimum;
    int shift;         // of the offset, -1 for none
} block_kind;

PARLEY_INLINE block_kind kind_of(parley_type type) {
    return (block_kind){parley_unit(type).halves, parley_unit(type).has_minimum, offset_shift(type)};
}

/// What dot products of group `h` with unsigned weights start at: minus the offset times the sum of the activations.
PARLEY_AVX512 PARLEY_INLINE __m512i first_sum(block_kind kind, const parley_activation_block *x, size_t t, int h) {
    if (kind.shift < 0) return _mm512_setzero_si512();
    __m512i sum = _mm512_set1_epi32(kind.halves && h == 0 ? x->minus_low[t] : x->minus_sum[t]);
    if (kind.halves && h == 1) sum = _mm512_sub_epi32(sum, _mm512_set1_epi32(x->minus_low[t]));
    return _mm512_slli_epi32(sum, (unsigned)kind.shift);
}

/// Adds a group's dot products to the accumulators of 16 rows and token t.
PARLEY_AVX512 PARLEY_INLINE __m512 add_group(block_kind kind, const parley_activation_block *x, size_t t, int h,
                                             __m512i dot, __m512 scale, __m512 minimum, __m512 acc) {
    __m512 dx = _mm512_set1_ps(x->scale[t]);
    acc = _mm512_fmadd_ps(_mm512_cvtepi32_ps(dot), _mm512_mul_ps(scale, dx), acc);
    if (!kind.has_minimum) return acc;
    if (!kind.halves) return _mm512_fmadd_ps(minimum, _mm512_set1_ps(x->scaled_sum[t]), acc);
    int32_t sum = h == 0 ? -x->minus_low[t] : x->minus_low[t] - x->minus_sum[t];
    __m512 scaled_sum = _mm512_mul_ps(dx, _mm512_cvtepi32_ps(_mm512_set1_epi32(sum)));
    return _mm512_fmadd_ps(minimum, scaled_sum, acc);
}

/// Four activations of token t, columns 4g.., in every lane.
PARLEY_AVX512 PARLEY_INLINE __m512i broadcast_columns(const parley_activation_block *x, size_t width, size_t t,
                                                      size_t g) {
    int32_t four;
    __builtin_memcpy(&four, x->q + (g * width + t) * 4, sizeof four);
    return _mm512_set1_epi32(four);
}

/// One panel by `width` tokens, weights unpacked in registers.
PARLEY_AVX512 PARLEY_INLINE void panel_product(parley_type type, size_t width, const uint8_t *panel,
                                               const void *activations, size_t columns, float *y, size_t y_stride,
                                               __mmask16 rows) {
    const parley_unit_layout layout = parley_unit(type);
    const block_kind kind = kind_of(type);
    const size_t unit_blocks = layout.columns / PARLEY_BLOCK_COLUMNS, groups = kind.halves ? 2 : 1;
    __m512 acc[PARLEY_TILE_TOKENS];
    UNROLL for (size_t t = 0; t < width; t++) acc[t] = _mm512_setzero_ps();
    for (size_t block = 0; block < columns / PARLEY_BLOCK_COLUMNS; panel += layout.bytes) {
        __m512 d = load_halves_avx512(panel), m = unit_minima_avx512(type, panel);
        for (size_t s = 0; s < unit_blocks; s++, block++) {
            parley_activation_block x = parley_activations_at(activations, columns, 0, width, block);
            __m512i q[8];
            unpack_columns_avx512(type, panel + layout.planes + s * layout.plane_bytes, q);
            UNROLL for (size_t h = 0; h < groups; h++) {
                __m512 scale, minimum;
                group_scales_avx512(type, panel, s * groups + h, d, m, &scale, &minimum);
                UNROLL for (size_t t = 0; t < width; t++) {
                    __m512i dot = first_sum(kind, &x, t, (int)h);
                    UNROLL for (size_t g = h * 4; g < (kind.halves ? h * 4 + 4 : 8); g++) {
                        dot = _mm512_dpbusd_epi32(dot, q[g], broadcast_columns(&x, width, t, g));
                    }
                    acc[t] = add_group(kind, &x, t, (int)h, dot, scale, minimum, acc[t]);
                }
            }
        }
    }
    UNROLL for (size_t t = 0; t < width; t++) _mm512_mask_storeu_ps(y + t * y_stride, rows, acc[t]);
}

/// The rows of panel `p` that exist, as a mask.
static __mmask16 panel_rows(const parley_matrix *w, size_t p) {
    size_t left = w->rows - p * PARLEY_PANEL_ROWS;
    return left >= PARLEY_PANEL_ROWS ? 0xffff : (__mmask16)((1u << left) - 1);
}

PARLEY_AVX512 PARLEY_INLINE void panel_products(parley_type type, size_t width, const parley_matrix *w,
                                                const void *activations, float *y, size_t y_stride,
                                                size_t panel_begin, size_t panel_end) {
    size_t panel_bytes = parley_panel_bytes(type, w->columns);
    for (size_t p = panel_begin; p < panel_end; p++) {
        const uint8_t *panel = (const uint8_t *)w->panels + p * panel_bytes;
        panel_product(type, width, panel, activations, w->columns, y + p * PARLEY_PANEL_ROWS, y_stride,
                      panel_rows(w, p));
    }
}

PARLEY_AVX512 PARLEY_INLINE void few_tokens(parley_type type, const parley_matrix *w, const void *activations,
                                            size_t tokens, float *y, size_t y_stride, size_t begin, size_t end) {
    switch (tokens) {
        case 1: panel_products(type, 1, w, activations, y, y_stride, begin, end); break;
        case 2: panel_products(type, 2, w, activations, y, y_stride, begin, end); break;
        case 3: panel_products(type, 3, w, activations, y, y_stride, begin, end); break;
        case 4: panel_products(type, 4, w, activations, y, y_stride, begin, end); break;
        case 5: panel_products(type, 5, w, activations, y, y_stride, begin, end); break;
        case 6: panel_products(type, 6, w, activations, y, y_stride, begin, end); break;
        default: break;
    }
}

/// Unpacks blocks [begin, end) of a panel: each as u8[8][64], then the scales f32[16] of its one or two groups, then
/// their minima, `stride` bytes apart. Chunks begin at a unit.
PARLEY_AVX512 PARLEY_INLINE void unpack_chunk(parley_type type, const uint8_t *panel, size_t begin, size_t end,
                                              uint8_t *out, size_t stride) {
    const parley_unit_layout layout = parley_unit(type);
    const size_t unit_blocks = layout.columns / PARLEY_BLOCK_COLUMNS, groups = layout.halves ? 2 : 1;
    const uint8_t *unit = panel + begin / unit_blocks * layout.bytes;
    for (size_t block = begin; block < end; unit += layout.bytes) {
        __m512 d = load_halves_avx512(unit), m = unit_minima_avx512(type, unit);
        for (size_t s = 0; s < unit_blocks; s++, block++, out += stride) {
            __m512i q[8];
            unpack_columns_avx512(type, unit + layout.planes + s * layout.plane_bytes, q);
            UNROLL for (int g = 0; g < 8; g++) _mm512_store_si512(out + 64 * g, q[g]);
            UNROLL for (size_t h = 0; h < groups; h++) {
                __m512 scale, minimum;
                group_scales_avx512(type, unit, s * groups + h, d, m, &scale, &minimum);
                _mm512_store_ps(out + 512 + 64 * h, scale);
                if (layout.has_minimum) _mm512_store_ps(out + 640 + 64 * h, minimum);
            }
        }
    }
}

typedef struct {
    const uint8_t *weights;  // blocks of `panels` unpacked panels, interleaved
    const void *activations;
    size_t columns;          // of a row of activations
    size_t begin, end;       // blocks of the chunk
    float *y;                // the first row of the pair, token 0
    size_t y_stride;
    __mmask16 rows[2];
} chunk;

/// `panels` unpacked panels by the `width` tokens of the tile at `tile_begin`, over one chunk of columns. Between
/// chunks the accumulators stand in y.
PARLEY_AVX512 PARLEY_INLINE void tile_product(block_kind kind, size_t panels, size_t width, const chunk *c,
                                              size_t tile_begin) {
    const size_t groups = kind.halves ? 2 : 1;
    float *y = c->y + tile_begin * c->y_stride;
    __m512 acc[2][PARLEY_TILE_TOKENS];
    UNROLL for (size_t p = 0; p < panels; p++) {
        UNROLL for (size_t t = 0; t < width; t++) {
            acc[p][t] = c->begin == 0 ? _mm512_setzero_ps()
                                      : _mm512_maskz_loadu_ps(c->rows[p], y + t * c->y_stride + 16 * p);
        }
    }
    const uint8_t *weights = c->weights;
    for (size_t block = c->begin; block < c->end; block++, weights += panels * PARLEY_UNPACKED_BLOCK_BYTES) {
        parley_activation_block x = parley_activations_at(c->activations, c->columns, tile_begin, width, block);
        UNROLL for (size_t h = 0; h < groups; h++) {
            __m512i dot[2][PARLEY_TILE_TOKENS];
            UNROLL for (size_t t = 0; t < width; t++) {
                UNROLL for (size_t p = 0; p < panels; p++) dot[p][t] = first_sum(kind, &x, t, (int)h);
            }
            UNROLL for (size_t g = h * 4; g < (kind.halves ? h * 4 + 4 : 8); g++) {
                __m512i q[2];
                UNROLL for (size_t p = 0; p < panels; p++) {
                    q[p] = _mm512_load_si512(weights + p * PARLEY_UNPACKED_BLOCK_BYTES + 64 * g);
                }
                UNROLL for (size_t t = 0; t < width; t++) {
                    __m512i four = broadcast_columns(&x, width, t, g);
                    UNROLL for (size_t p = 0; p < panels; p++) {
                        dot[p][t] = _mm512_dpbusd_epi32(dot[p][t], q[p], four);
                    }
                }
            }
            UNROLL for (size_t p = 0; p < panels; p++) {
                const uint8_t *scales = weights + p * PARLEY_UNPACKED_BLOCK_BYTES + 512 + 64 * h;
                __m512 scale = _mm512_load_ps(scales), minimum = _mm512_setzero_ps();
                if (kind.has_minimum) minimum = _mm512_load_ps(scales + 128);
                UNROLL for (size_t t = 0; t < width; t++) {
                    acc[p][t] = add_group(kind, &x, t, (int)h, dot[p][t], scale, minimum, acc[p][t]);
                }
            }
        }
    }
    UNROLL for (size_t p = 0; p < panels; p++) {
        UNROLL for (size_t t = 0; t < width; t++) {
            _mm512_mask_storeu_ps(y + t * c->y_stride + 16 * p, c->rows[p], acc[p][t]);
        }
    }
}

/// All tiles of tokens; more than six tokens make tiles of three to six.
PARLEY_AVX512 PARLEY_INLINE void chunk_product(block_kind kind, size_t panels, const chunk *c, size_t tokens) {
    for (size_t tile = 0; tile < parley_tile_count(tokens); tile++) {
        size_t begin = parley_tile_begin(tokens, tile);
        switch (parley_tile_begin(tokens, tile + 1) - begin) {
            case 3: tile_product(kind, panels, 3, c, begin); break;
            case 4: tile_product(kind, panels, 4, c, begin); break;
            case 5: tile_product(kind, panels, 5, c, begin); break;
            case 6: tile_product(kind, panels, 6, c, begin); break;
            default: break;
        }
    }
}

PARLEY_AVX512 PARLEY_INLINE void many_tokens(parley_type type, const parley_matrix *w, const void *activations,
                                             size_t tokens, float *y, size_t y_stride, size_t panel_begin,
                                             size_t panel_end, uint8_t *scratch) {
    const block_kind kind = kind_of(type);
    const size_t unit_blocks = parley_unit(type).columns / PARLEY_BLOCK_COLUMNS;
    size_t panel_bytes = parley_panel_bytes(type, w->columns), blocks = w->columns / PARLEY_BLOCK_COLUMNS;
    size_t chunks = (blocks + PARLEY_CHUNK_BLOCKS - 1) / PARLEY_CHUNK_BLOCKS;
    size_t chunk_blocks = ((blocks + chunks - 1) / chunks + unit_blocks - 1) / unit_blocks * unit_blocks;
    for (size_t p = panel_begin; p < panel_end; p += 2) {
        size_t panels = panel_end - p < 2 ? 1 : 2;
        const uint8_t *panel = (const uint8_t *)w->panels + p * panel_bytes;
        for (size_t begin = 0; begin < blocks; begin += chunk_blocks) {
            size_t end = begin + chunk_blocks < blocks ? begin + chunk_blocks : blocks;
            chunk c = {.weights = scratch, .activations = activations, .columns = w->columns, .begin = begin,
                       .end = end, .y = y + p * PARLEY_PANEL_ROWS, .y_stride = y_stride};
            for (size_t i = 0; i < panels; i++) {
                c.rows[i] = panel_rows(w, p + i);
                unpack_chunk(type, panel + i * panel_bytes, begin, end, scratch + i * PARLEY_UNPACKED_BLOCK_BYTES,
                             panels * PARLEY_UNPACKED_BLOCK_BYTES);
            }
            if (panels == 2) {
                chunk_product(kind, 2, &c, tokens);
            } else {
                chunk_product(kind, 1, &c, tokens);
            }
        }
    }
}

PARLEY_AVX512 PARLEY_INLINE void product(parley_type type, const parley_matrix *w, const void *activations,
                                         size_t tokens, float *y, size_t y_stride, size_t begin, size_t end,
                                         uint8_t *scratch) {
    if (tokens <= PARLEY_TILE_TOKENS) {
        few_tokens(type, w, activations, tokens, y, y_stride, begin, end);
    } else {
        many_tokens(type, w, activations, tokens, y, y_stride, begin, end, scratch);
    }
}

#define TYPE_CASE(type)                                                                                                \
    case type: product(type, w, activations, tokens, y, y_stride, panel_begin, panel_end, scratch); break

PARLEY_AVX512 void parley_matmul_avx512(const parley_matrix *w, const void *activations, size_t tokens, float *y,
                                        size_t y_stride, size_t panel_begin, size_t panel_end, void *scratch) {
    switch (w->type) {
        TYPE_CASE(PARLEY_Q4_0);
        TYPE_CASE(PARLEY_Q4_1);
        TYPE_CASE(PARLEY_Q5_0);
        TYPE_CASE(PARLEY_Q5_1);
        TYPE_CASE(PARLEY_Q8_0);
        TYPE_CASE(PARLEY_Q2_K);
        TYPE_CASE(PARLEY_Q3_K);
        TYPE_CASE(PARLEY_Q4_K);
        TYPE_CASE(PARLEY_Q5_K);
        TYPE_CASE(PARLEY_Q6_K);
        TYPE_CASE(PARLEY_IQ4_NL);
        TYPE_CASE(PARLEY_IQ4_XS);
        default: break;
    }
}

PARLEY_AVX512 void parley_matmul_float_avx512(const parley_matrix *w, const float *x, size_t x_stride, size_t tokens, float *y,
                              size_t y_stride, size_t panel_begin, size_t panel_end, void *scratch) {
    parley_matmul_float_generic(w, x, x_stride, tokens, y, y_stride, panel_begin, panel_end, scratch);
}

#endif
