// SPDX-License-Identifier: Apache-2.0
//
// Packs the types of less than four bits a weight: the IQ1, IQ2 and IQ3 types, whose weights come from grids, and the
// ternary TQ types. All become panels of indices into a codebook of 16 numbers, in one of four forms
// (`parley_panel_type`), so that they multiply as the other types do.

#include "iq_grids.h"
#include "panel_layout.h"

/// A block of 256 columns: indices into the codebook, and sub-scales of 32 or 16 columns.
typedef struct {
    uint16_t scale;
    uint8_t index[256];
    uint8_t scales[16];
} indexed_block;

// Where the indices of the IQ1 and TQ types begin in the codebook of `parley_ternary_values`.
#define IQ1_INDICES 6
#define TQ_INDICES 12

/// Eight signs are stored as seven bits: the number of negative ones is even.
PARLEY_INLINE uint8_t eight_signs(uint32_t seven) {
    seven &= 127;
    return (uint8_t)(seven | (uint32_t)__builtin_parity(seven) << 7);
}

/// Eight columns of a magnitude from a grid and a sign.
PARLEY_INLINE void iq2_columns(uint16_t entry, uint8_t signs, uint8_t *index) {
    for (int j = 0; j < 8; j++) index[j] = (uint8_t)((entry >> 2 * j & 3) + 3 * (signs >> j & 1));
}

/// Four such columns of the IQ3 types.
PARLEY_INLINE void iq3_columns(uint16_t entry, int signs, uint8_t *index) {
    for (int j = 0; j < 4; j++) index[j] = (uint8_t)((entry >> 3 * j & 7) | (signs >> j & 1) << 3);
}

/// Eight columns of -1, 0 or 1, and an eighth more or less.
PARLEY_INLINE void iq1_columns(uint16_t entry, bool less, uint8_t *index) {
    for (int j = 0; j < 8; j++) index[j] = (uint8_t)(IQ1_INDICES + (entry >> 2 * j & 3) + (less ? 3 : 0));
}

/// f16 d; per 32 columns u8 grid[4], then u32: four times seven signs, and a scale of 4 bits.
static void iq2_xxs(const uint8_t *source, indexed_block *out) {
    out->scale = parley_load_u16(source);
    for (int s = 0; s < 8; s++) {
        const uint8_t *grid = source + 2 + 8 * s;
        const uint32_t rest = parley_load_u32(grid + 4);
        out->scales[s] = (uint8_t)(2 * (rest >> 28) + 1);
        for (int k = 0; k < 4; k++) {
            iq2_columns(parley_iq2_xxs_grid[grid[k]], eight_signs(rest >> 7 * k), out->index + 32 * s + 8 * k);
        }
    }
}

/// f16 d; u16 qs[32], 9 bits of grid and 7 of signs; u8 scales[8], two of 4 bits each.
static void iq2_xs(const uint8_t *source, indexed_block *out) {
    out->scale = parley_load_u16(source);
    for (int i = 0; i < 16; i++) out->scales[i] = (uint8_t)(2 * (source[66 + i / 2] >> 4 * (i % 2) & 15) + 1);
    for (int k = 0; k < 32; k++) {
        const uint32_t q = parley_load_u16(source + 2 + 2 * k);
        iq2_columns(parley_iq2_xs_grid[q & 511], eight_signs(q >> 9), out->index + 8 * k);
    }
}

/// f16 d; u8 grid[32]; u8 signs[32]; u8 qh[8], two high bits of each grid index; u8 scales[8].
static void iq2_s(const uint8_t *source, indexed_block *out) {
    out->scale = parley_load_u16(source);
    for (int i = 0; i < 16; i++) out->scales[i] = (uint8_t)(2 * (source[74 + i / 2] >> 4 * (i % 2) & 15) + 1);
    for (int k = 0; k < 32; k++) {
        const int high = source[66 + k / 4] >> 2 * (k % 4) & 3;
        iq2_columns(parley_iq2_s_grid[source[2 + k] | high << 8], source[34 + k], out->index + 8 * k);
    }
}

/// f16 d; u8 grid[64]; per 32 columns u32: four times seven signs, and a scale of 4 bits.
static void iq3_xxs(const uint8_t *source, indexed_block *out) {
    out->scale = parley_load_u16(source);
    for (int s = 0; s < 8; s++) {
        const uint32_t rest = parley_load_u32(source + 66 + 4 * s);
        out->scales[s] = (uint8_t)(2 * (rest >> 28) + 1);
        for (int k = 0; k < 8; k++) {
            const int signs = eight_signs(rest >> 7 * (k / 2)) >> 4 * (k % 2);
            iq3_columns(parley_iq3_xxs_grid[source[2 + 8 * s + k]], signs, out->index + 32 * s + 4 * k);
        }
    }
}

/// f16 d; u8 grid[64]; u8 qh[8], a high bit of each grid index; u8 signs[32]; u8 scales[4], two of 4 bits each.
static void iq3_s(const uint8_t *source, indexed_block *out) {
    out->scale = parley_load_u16(source);
    for (int s = 0; s < 8; s++) {
        out->scales[s] = (uint8_t)(2 * (source[106 + s / 2] >> 4 * (s % 2) & 15) + 1);
        for (int k = 0; k < 8; k++) {
            const int entry = source[2 + 8 * s + k] | (source[66 + s] >> k & 1) << 8;
            const int signs = source[74 + 4 * s + k / 2] >> 4 * (k % 2);
            iq3_columns(parley_iq3_s_grid[entry], signs, out->index + 32 * s + 4 * k);
        }
    }
}

/// f16 d; u8 grid[32]; u16 qh[8]: four times three high bits of grid indices, a scale of 3 bits, and a sign.
static void iq1_s(const uint8_t *source, indexed_block *out) {
    out->scale = parley_load_u16(source);
    for (int s = 0; s < 8; s++) {
        const int high = parley_load_u16(source + 34 + 2 * s);
        out->scales[s] = (uint8_t)(2 * (high >> 12 & 7) + 1);
        for (int k = 0; k < 4; k++) {
            const int entry = source[2 + 4 * s + k] | (high >> 3 * k & 7) << 8;
            iq1_columns(parley_iq1_s_grid[entry], high >> 15, out->index + 32 * s + 8 * k);
        }
    }
}

/// u8 grid[32]; u8 qh[16], two times three high bits and a sign; u16 scales[4], four of 3 bits each and a quarter of the
/// f16 d.
static void iq1_m(const uint8_t *source, indexed_block *out) {
    int scale = 0;
    for (int i = 0; i < 4; i++) scale |= parley_load_u16(source + 48 + 2 * i) >> 12 << 4 * i;
    out->scale = (uint16_t)scale;
    for (int i = 0; i < 16; i++) {
        const int four = parley_load_u16(source + 48 + i / 4 * 2);
        out->scales[i] = (uint8_t)(2 * (four >> 3 * (i % 4) & 7) + 1);
    }
    for (int k = 0; k < 32; k++) {
        const int high = source[32 + k / 2] >> 4 * (k % 2) & 15;
        iq1_columns(parley_iq1_s_grid[source[k] | (high & 7) << 8], high >> 3, out->index + 8 * k);
    }
}

/// Five ternary digits a byte, as a fraction of 256: the next one is the whole part of three times the fraction. `count`
/// bytes give that many columns for each digit.
PARLEY_INLINE void ternary_digits(const uint8_t *bytes, int count, int digits, uint8_t *index) {
    for (int m = 0; m < count; m++) {
        uint32_t fraction = bytes[m];
        for (int n = 0; n < digits; n++, fraction = fraction * 3 & 255) {
            index[count * n + m] = (uint8_t)(TQ_INDICES + (fraction * 3 >> 8));
        }
    }
}

/// u8 qs[48], five digits each; u8 qh[4], four digits each; f16 d.
static void tq1_0(const uint8_t *source, indexed_block *out) {
    out->scale = parley_load_u16(source + 52);
    ternary_digits(source, 32, 5, out->index);
    ternary_digits(source + 32, 16, 5, out->index + 160);
    ternary_digits(source + 48, 4, 4, out->index + 240);
}

/// u8 qs[64], four digits of 2 bits each; f16 d.
static void tq2_0(const uint8_t *source, indexed_block *out) {
    out->scale = parley_load_u16(source + 64);
    for (int c = 0; c < 256; c++) {
        out->index[c] = (uint8_t)(TQ_INDICES + (source[c / 128 * 32 + c % 32] >> c % 128 / 32 * 2 & 3));
    }
}

void parley_pack_grid_block(parley_type type, const uint8_t *source, size_t row, uint8_t *unit) {
    indexed_block block;
    // The scale of ternary types is that of the others' eighths.
    for (int i = 0; i < 16; i++) block.scales[i] = 8;
    switch (type) {
        case PARLEY_IQ2_XXS: iq2_xxs(source, &block); break;
        case PARLEY_IQ2_XS: iq2_xs(source, &block); break;
        case PARLEY_IQ2_S: iq2_s(source, &block); break;
        case PARLEY_IQ3_XXS: iq3_xxs(source, &block); break;
        case PARLEY_IQ3_S: iq3_s(source, &block); break;
        case PARLEY_IQ1_S: iq1_s(source, &block); break;
        case PARLEY_IQ1_M: iq1_m(source, &block); break;
        case PARLEY_TQ1_0: tq1_0(source, &block); break;
        case PARLEY_TQ2_0: tq2_0(source, &block); break;
        default: return;
    }
    const parley_unit_layout layout = parley_unit(type);
    parley_store_u16(unit + 2 * row, block.scale);
    for (size_t i = 0; i < (layout.halves ? 16 : 8); i++) unit[layout.scales + 16 * i + row] = block.scales[i];
    for (size_t s = 0; s < 8; s++) {
        uint8_t *planes = unit + layout.planes + s * layout.plane_bytes;
        for (size_t c = 0; c < 16; c++) {
            const uint8_t *index = block.index + 32 * s + c;
            planes[64 * (c / 4) + 4 * row + c % 4] = (uint8_t)(index[0] | index[16] << 4);
        }
    }
}
