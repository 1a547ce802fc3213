// SPDX-License-Identifier: Apache-2.0
//
// Unpacks rows of panels to floats: the readable definition of the layout.

#include "panel_layout.h"

/// The unsigned number of column `c` (0..<32) of row `row`.
PARLEY_INLINE int plane_value(parley_type type, const uint8_t *planes, size_t row, int c) {
    int g = c / 4;
    size_t at = 4 * row + (size_t)(c % 4);
    const uint8_t *next = planes;
    int value = 0, width = 0;
    if (type == PARLEY_Q8_0) return planes[64 * g + at];
    if (type != PARLEY_Q2_K && type != PARLEY_Q3_K) {
        value = planes[64 * (g % 4) + at] >> (g / 4 * 4) & 15;
        width = 4;
        next = planes + 256;
    }
    if (type == PARLEY_Q2_K || type == PARLEY_Q3_K || type == PARLEY_Q6_K) {
        value |= (next[64 * (g / 4) + at] >> (g % 4 * 2) & 3) << width;
        width += 2;
        next += 128;
    }
    if (type == PARLEY_Q3_K || type == PARLEY_Q5_0 || type == PARLEY_Q5_1 || type == PARLEY_Q5_K) {
        value |= (next[at] >> g & 1) << width;
    }
    return value;
}

/// 2^(e - 128); the two smallest powers are subnormal.
static float power_of_two(uint8_t e) {
    uint32_t bits = e < 2 ? 0x00200000u << e : (uint32_t)(e - 1) << 23;
    float value;
    __builtin_memcpy(&value, &bits, sizeof value);
    return value;
}

static float bf16_to_f32(uint16_t half) {
    uint32_t bits = (uint32_t)half << 16;
    float value;
    __builtin_memcpy(&value, &bits, sizeof value);
    return value;
}

/// The scales and minima of block `s` of a unit.
PARLEY_INLINE void block_scales(parley_type type, const uint8_t *unit, size_t s, size_t row, parley_row_block *out) {
    parley_unit_layout layout = parley_unit(type);
    float d = type == PARLEY_MXFP4 ? power_of_two(unit[row])
                                   : parley_f16_to_f32(parley_load_u16(unit + 2 * row)) * parley_scale_factor(type);
    float minimum = layout.has_minimum ? parley_f16_to_f32(parley_load_u16(unit + 32 + 2 * row)) : 0;
    const uint8_t *scales = unit + layout.scales + row;
    for (size_t h = 0; h < 2; h++) {
        out->scale[h] = d;
        out->minimum[h] = minimum;
        switch (type) {
            case PARLEY_Q2_K:
                out->scale[h] = d * (float)(scales[16 * (2 * s + h)] & 15);
                out->minimum[h] = -minimum * (float)(scales[16 * (2 * s + h)] >> 4);
                break;
            case PARLEY_Q3_K:
            case PARLEY_Q6_K:
            case PARLEY_IQ2_XS:
                out->scale[h] = d * (float)(int8_t)scales[16 * (2 * s + h)];
                break;
            case PARLEY_Q4_K:
            case PARLEY_Q5_K:
                out->scale[h] = d * (float)scales[16 * s];
                out->minimum[h] = -minimum * (float)scales[128 + 16 * s];
                break;
            case PARLEY_IQ4_XS:
            case PARLEY_IQ2_XXS:
            case PARLEY_IQ3_XXS:
            case PARLEY_IQ3_S:
                out->scale[h] = d * (float)(int8_t)scales[16 * s];
                break;
            default: break;
        }
    }
}

PARLEY_INLINE void unpack_block(parley_type type, const uint8_t *panel, size_t block, size_t row,
                                parley_row_block *out) {
    parley_unit_layout layout = parley_unit(type);
    size_t blocks_per_unit = layout.columns / PARLEY_BLOCK_COLUMNS, s = block % blocks_per_unit;
    const uint8_t *unit = panel + block / blocks_per_unit * layout.bytes;
    block_scales(type, unit, s, row, out);
    for (int c = 0; c < PARLEY_BLOCK_COLUMNS; c++) {
        int value = plane_value(type, unit + layout.planes + s * layout.plane_bytes, row, c);
        const int8_t *codebook = parley_codebook(type);
        out->q[c] = (int8_t)((codebook ? codebook[value] : value) - parley_offset(type));
    }
}

void parley_unpack_block(parley_type type, const uint8_t *panel, size_t block, size_t row, parley_row_block *out) {
    switch (parley_panel_type(type)) {
        case PARLEY_Q4_0: unpack_block(PARLEY_Q4_0, panel, block, row, out); break;
        case PARLEY_Q4_1: unpack_block(PARLEY_Q4_1, panel, block, row, out); break;
        case PARLEY_Q5_0: unpack_block(PARLEY_Q5_0, panel, block, row, out); break;
        case PARLEY_Q5_1: unpack_block(PARLEY_Q5_1, panel, block, row, out); break;
        case PARLEY_Q8_0: unpack_block(PARLEY_Q8_0, panel, block, row, out); break;
        case PARLEY_Q2_K: unpack_block(PARLEY_Q2_K, panel, block, row, out); break;
        case PARLEY_Q3_K: unpack_block(PARLEY_Q3_K, panel, block, row, out); break;
        case PARLEY_Q4_K: unpack_block(PARLEY_Q4_K, panel, block, row, out); break;
        case PARLEY_Q5_K: unpack_block(PARLEY_Q5_K, panel, block, row, out); break;
        case PARLEY_Q6_K: unpack_block(PARLEY_Q6_K, panel, block, row, out); break;
        case PARLEY_IQ4_NL: unpack_block(PARLEY_IQ4_NL, panel, block, row, out); break;
        case PARLEY_MXFP4: unpack_block(PARLEY_MXFP4, panel, block, row, out); break;
        case PARLEY_IQ4_XS: unpack_block(PARLEY_IQ4_XS, panel, block, row, out); break;
        case PARLEY_IQ2_XXS: unpack_block(PARLEY_IQ2_XXS, panel, block, row, out); break;
        case PARLEY_IQ2_XS: unpack_block(PARLEY_IQ2_XS, panel, block, row, out); break;
        case PARLEY_IQ3_XXS: unpack_block(PARLEY_IQ3_XXS, panel, block, row, out); break;
        case PARLEY_IQ3_S: unpack_block(PARLEY_IQ3_S, panel, block, row, out); break;
        default: break;
    }
}

float parley_panel_float(parley_type type, const void *panel, size_t index) {
    if (type == PARLEY_F32) return ((const float *)panel)[index];
    uint16_t half = ((const uint16_t *)panel)[index];
    return type == PARLEY_F16 ? parley_f16_to_f32(half) : bf16_to_f32(half);
}

void parley_unpack_row(const parley_matrix *w, size_t row, float *y) {
    if (w->type == PARLEY_Q8_256) {
        parley_unpack_q8_256_row(w, row, y);
        return;
    }
    const uint8_t *panel =
        (const uint8_t *)w->panels + row / PARLEY_PANEL_ROWS * parley_panel_bytes(w->type, w->columns);
    size_t lane = row % PARLEY_PANEL_ROWS;
    if (!parley_type_is_quantized(w->type)) {
        for (size_t c = 0; c < w->columns; c++) {
            y[c] = parley_panel_float(w->type, panel, PARLEY_PANEL_ROWS * c + lane);
        }
        return;
    }
    for (size_t b = 0; b < w->columns / PARLEY_BLOCK_COLUMNS; b++) {
        parley_row_block block;
        parley_unpack_block(w->type, panel, b, lane, &block);
        for (size_t c = 0; c < PARLEY_BLOCK_COLUMNS; c++) {
            // The product is exact in every type, so whether it is fused with the sum changes nothing.
            y[PARLEY_BLOCK_COLUMNS * b + c] = block.scale[c / 16] * (float)block.q[c] + block.minimum[c / 16];
        }
    }
}
