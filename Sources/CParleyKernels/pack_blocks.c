// SPDX-License-Identifier: Apache-2.0
//
// Packs a GGUF block of each of four rows into a unit of a panel. Four columns are moved at a time, as a 32-bit word:
// the planes of `panel_layout.h` are arranged so that words of the file become words of the panel by masks and shifts.

#include "four_rows.h"
#include "panel_layout.h"

#define NIBBLES 0x0f0f0f0fu
#define PAIRS 0x03030303u
#define BITS 0x01010101u

typedef parley_words words;
typedef uint8_t bytes __attribute__((vector_size(16)));

/// The blocks of four rows, and where they go.
typedef struct {
    const uint8_t *const *source;
    size_t row;  // the first one in the panel
    uint8_t *unit;
    parley_unit_layout layout;
} four_blocks;

PARLEY_INLINE words load_word(four_blocks b, size_t offset) {
    return (words){parley_load_u32(b.source[0] + offset), parley_load_u32(b.source[1] + offset),
                   parley_load_u32(b.source[2] + offset), parley_load_u32(b.source[3] + offset)};
}

PARLEY_INLINE void load_eight_words(four_blocks b, size_t offset, words *w) {
    parley_load_words(b.source, offset, w);
    parley_load_words(b.source, offset + 16, w + 4);
}

/// The planes of columns 32s...
PARLEY_INLINE uint8_t *planes_of(four_blocks b, size_t s) {
    return b.unit + b.layout.planes + s * b.layout.plane_bytes;
}

PARLEY_INLINE void store_word(four_blocks b, uint8_t *plane, words w) { memcpy(plane + 4 * b.row, &w, sizeof w); }

/// Stores the sub-scales, or minima, of four groups of columns, of which each byte of a word is one.
PARLEY_INLINE void store_scales(four_blocks b, uint8_t *scales, words w) {
    const bytes v = (bytes)w;
    const bytes groups = __builtin_shufflevector(v, v, 0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    for (int j = 0; j < 4; j++) memcpy(scales + 16 * j + b.row, (const uint8_t *)&groups + 4 * j, 4);
}

/// Copies a number of 16 bits of each row.
PARLEY_INLINE void copy_halves(four_blocks b, size_t offset, uint8_t *halves) {
    for (size_t r = 0; r < 4; r++) {
        parley_store_u16(halves + 2 * (b.row + r), parley_load_u16(b.source[r] + offset));
    }
}

/// The 16 bytes of a block already hold column c in the low nibble and column 16 + c in the high nibble.
PARLEY_INLINE void pack_nibbles(four_blocks b, size_t offset, uint8_t *planes) {
    words w[4];
    parley_load_words(b.source, offset, w);
    for (int g = 0; g < 4; g++) store_word(b, planes + 64 * g, w[g]);
}

/// Packs the nibbles at `shift` of 32 bytes, one per column.
PARLEY_INLINE void pack_split_nibbles(four_blocks b, const words *w, int shift, uint8_t *planes) {
    for (int g = 0; g < 4; g++) {
        store_word(b, planes + 64 * g, (w[g] >> shift & NIBBLES) | (w[g + 4] >> shift & NIBBLES) << 4);
    }
}

/// Packs the bit pairs at `shift` of 32 bytes, one per column.
PARLEY_INLINE void pack_pairs(four_blocks b, const words *w, int shift, uint8_t *plane) {
    for (int h = 0; h < 2; h++) {
        words pairs = {0};
        for (int k = 0; k < 4; k++) pairs |= (w[4 * h + k] >> shift & PAIRS) << 2 * k;
        store_word(b, plane + 64 * h, pairs);
    }
}

/// Packs the bits at `shift` of 32 bytes, one per column.
PARLEY_INLINE void pack_bits(four_blocks b, const words *w, int shift, uint8_t *plane) {
    words bits = {0};
    for (int g = 0; g < 8; g++) bits |= (w[g] >> shift & BITS) << g;
    store_word(b, plane, bits);
}

/// Packs 32 bits, one per column: bit 4g + j becomes bit g of byte j.
PARLEY_INLINE void pack_bit_row(four_blocks b, size_t offset, uint8_t *plane) {
    const words bits = load_word(b, offset);
    words plane_bits = {0};
    for (int g = 0; g < 8; g++) {
        // Spread the four bits of a group over the four bytes of a word.
        plane_bits |= ((bits >> 4 * g & 0xf) * 0x00204081u & BITS) << g;
    }
    store_word(b, plane, plane_bits);
}

/// f16 d, and m in types with a minimum; u32 high bits in types of five; the numbers.
PARLEY_INLINE void pack_32(parley_type type, four_blocks b) {
    uint8_t *planes = planes_of(b, 0);
    const size_t qs = b.layout.has_minimum ? 4 : 2;
    copy_halves(b, 0, b.unit);
    if (b.layout.has_minimum) copy_halves(b, 2, b.unit + 32);
    switch (type) {
        case PARLEY_Q8_0: {
            words w[8];
            load_eight_words(b, qs, w);
            for (int g = 0; g < 8; g++) store_word(b, planes + 64 * g, w[g] ^ 0x80808080u);
            break;
        }
        case PARLEY_Q5_0:
        case PARLEY_Q5_1:
            pack_bit_row(b, qs, planes + 256);
            pack_nibbles(b, qs + 4, planes);
            break;
        default: pack_nibbles(b, qs, planes);
    }
}

/// u8 e, for the scale 2^(e - 128); u8 qs[16].
PARLEY_INLINE void pack_mxfp4(four_blocks b) {
    for (size_t r = 0; r < 4; r++) b.unit[b.row + r] = b.source[r][0];
    pack_nibbles(b, 1, planes_of(b, 0));
}

/// Q4_K: f16 d, dmin; u8 scales[12]; u8 qs[128]. Q5_K: u8 qh[32] before qs, bit s for columns 32s...
PARLEY_INLINE void pack_q45k(parley_type type, four_blocks b) {
    copy_halves(b, 0, b.unit);
    copy_halves(b, 2, b.unit + 32);
    // Eight scales and eight minima of 6 bits: the first four of each in a word of their own, whose high bits belong to
    // the last four, as the nibbles of the third word do.
    words w[4];
    parley_load_words(b.source, 4, w);
    uint8_t *scales = b.unit + b.layout.scales;
    store_scales(b, scales, w[0] & 0x3f3f3f3fu);
    store_scales(b, scales + 64, (w[2] & NIBBLES) | (w[0] >> 6 & PAIRS) << 4);
    store_scales(b, scales + 128, w[1] & 0x3f3f3f3fu);
    store_scales(b, scales + 192, (w[2] >> 4 & NIBBLES) | (w[1] >> 6 & PAIRS) << 4);
    words high[8];
    if (type == PARLEY_Q5_K) load_eight_words(b, 16, high);
    for (size_t s = 0; s < 8; s += 2) {
        // 32 bytes hold two blocks: the even one in the low nibbles, the odd one in the high.
        words q[8];
        load_eight_words(b, (type == PARLEY_Q5_K ? 48 : 16) + 16 * s, q);
        for (size_t odd = 0; odd < 2; odd++) {
            uint8_t *planes = planes_of(b, s + odd);
            pack_split_nibbles(b, q, odd ? 4 : 0, planes);
            if (type == PARLEY_Q5_K) pack_bits(b, high, (int)(s + odd), planes + 256);
        }
    }
}

/// u8 scales[16] (minimum in the high nibble); u8 qs[64]; f16 d, dmin.
PARLEY_INLINE void pack_q2k(four_blocks b) {
    copy_halves(b, 80, b.unit);
    copy_halves(b, 82, b.unit + 32);
    words w[8];
    parley_load_words(b.source, 0, w);
    for (int i = 0; i < 4; i++) store_scales(b, b.unit + b.layout.scales + 64 * i, w[i]);
    for (size_t s = 0; s < 8; s++) {
        if (s % 4 == 0) load_eight_words(b, 16 + 8 * s, w);
        pack_pairs(b, w, 2 * (s % 4), planes_of(b, s));
    }
}

/// u8 hmask[32], bit s for columns 32s...; u8 qs[64]; u8 scales[12]: 16 of 6 bits, less 32; f16 d.
PARLEY_INLINE void pack_q3k(four_blocks b) {
    copy_halves(b, 108, b.unit);
    const words low[2] = {load_word(b, 96), load_word(b, 100)}, high = load_word(b, 104);
    for (int i = 0; i < 4; i++) {
        const words scales = (low[i % 2] >> 4 * (i / 2) & NIBBLES) | (high >> 2 * i & PAIRS) << 4;
        store_scales(b, b.unit + b.layout.scales + 64 * i, (words)((bytes)scales - 32));
    }
    words mask[8], q[8];
    load_eight_words(b, 0, mask);
    for (size_t s = 0; s < 8; s++) {
        if (s % 4 == 0) load_eight_words(b, 32 + 8 * s, q);
        uint8_t *planes = planes_of(b, s);
        pack_pairs(b, q, 2 * (s % 4), planes);
        pack_bits(b, mask, (int)s, planes + 128);
    }
}

/// u8 ql[128], u8 qh[64], s8 scales[16], f16 d. Each half of 128 columns: 64 bytes of ql, 32 bytes of qh.
PARLEY_INLINE void pack_q6k(four_blocks b) {
    copy_halves(b, 208, b.unit);
    words w[8];
    parley_load_words(b.source, 192, w);
    for (int i = 0; i < 4; i++) store_scales(b, b.unit + b.layout.scales + 64 * i, w[i]);
    for (size_t half = 0; half < 2; half++) {
        words high[8];
        load_eight_words(b, 128 + 32 * half, high);
        for (size_t odd = 0; odd < 2; odd++) {
            load_eight_words(b, 64 * half + 32 * odd, w);
            for (size_t s = odd; s < 4; s += 2) {
                uint8_t *planes = planes_of(b, 4 * half + s);
                pack_split_nibbles(b, w, s < 2 ? 0 : 4, planes);
                pack_pairs(b, high, 2 * (int)s, planes + 256);
            }
        }
    }
}

/// f16 d; u16 scales_h, u8 scales_l[4]: 8 of 6 bits, less 32; u8 qs[128], 16 bytes a block.
PARLEY_INLINE void pack_iq4xs(four_blocks b) {
    copy_halves(b, 0, b.unit);
    for (size_t s = 0; s < 8; s++) {
        for (size_t r = 0; r < 4; r++) {
            const uint8_t *source = b.source[r];
            const int low = source[4 + s / 2] >> 4 * (s % 2) & 0xf;
            const int high = parley_load_u16(source + 2) >> 2 * s & 3;
            b.unit[b.layout.scales + 16 * s + b.row + r] = (uint8_t)((low | high << 4) - 32);
        }
        pack_nibbles(b, 8 + 16 * s, planes_of(b, s));
    }
}

void parley_pack_blocks(parley_type type, const uint8_t *const source[4], size_t row, uint8_t *unit) {
    const four_blocks b = {source, row, unit, parley_unit(type)};
    switch (type) {
        case PARLEY_Q4_0: pack_32(PARLEY_Q4_0, b); break;
        case PARLEY_Q4_1: pack_32(PARLEY_Q4_1, b); break;
        case PARLEY_Q5_0: pack_32(PARLEY_Q5_0, b); break;
        case PARLEY_Q5_1: pack_32(PARLEY_Q5_1, b); break;
        case PARLEY_Q8_0: pack_32(PARLEY_Q8_0, b); break;
        case PARLEY_IQ4_NL: pack_32(PARLEY_IQ4_NL, b); break;
        case PARLEY_MXFP4: pack_mxfp4(b); break;
        case PARLEY_Q2_K: pack_q2k(b); break;
        case PARLEY_Q3_K: pack_q3k(b); break;
        case PARLEY_Q4_K: pack_q45k(PARLEY_Q4_K, b); break;
        case PARLEY_Q5_K: pack_q45k(PARLEY_Q5_K, b); break;
        case PARLEY_Q6_K: pack_q6k(b); break;
        case PARLEY_IQ4_XS: pack_iq4xs(b); break;
        default:
            for (size_t r = 0; r < 4; r++) parley_pack_grid_block(type, source[r], row + r, unit);
    }
}
