// SPDX-License-Identifier: Apache-2.0
//
// Packs a GGUF block of one row into a unit of a panel. Four columns are moved at a time, as a 32-bit word: the planes
// of `panel_layout.h` are arranged so that words of the file become words of the panel by masks and shifts.

#include "panel_layout.h"

#define NIBBLES 0x0f0f0f0fu
#define PAIRS 0x03030303u
#define BITS 0x01010101u

/// Spreads 32 bits, one per column, over a word of a plane: bit 4g + j of `bits` becomes bit g of byte j.
PARLEY_INLINE uint32_t bit_plane(uint32_t bits) {
    uint32_t word = 0;
    for (int g = 0; g < 8; g++) {
        // Spread the four bits of a group over the four bytes of a word.
        uint32_t four = bits >> 4 * g & 0xf;
        word |= ((four * 0x00204081u) & BITS) << g;
    }
    return word;
}

/// The 16 bytes of the block already hold column c in the low nibble and column 16 + c in the high nibble.
PARLEY_INLINE void pack_nibbles(const uint8_t *qs, size_t row, uint8_t *planes) {
    for (int g = 0; g < 4; g++) parley_store_u32(planes + 64 * g + 4 * row, parley_load_u32(qs + 4 * g));
}

PARLEY_INLINE void pack_header(const uint8_t *source, bool has_minimum, size_t row, uint8_t *unit) {
    parley_store_u16(unit + 2 * row, parley_load_u16(source));
    if (has_minimum) parley_store_u16(unit + 32 + 2 * row, parley_load_u16(source + 2));
}

PARLEY_INLINE void pack_32(parley_type type, const uint8_t *source, size_t row, uint8_t *unit) {
    parley_unit_layout layout = parley_unit(type);
    uint8_t *planes = unit + layout.planes;
    const uint8_t *qs = source + (layout.has_minimum ? 4 : 2);
    pack_header(source, layout.has_minimum, row, unit);
    switch (type) {
        case PARLEY_Q8_0:
            for (int g = 0; g < 8; g++) {
                parley_store_u32(planes + 64 * g + 4 * row, parley_load_u32(qs + 4 * g) ^ 0x80808080u);
            }
            break;
        case PARLEY_Q5_0:
        case PARLEY_Q5_1:
            parley_store_u32(planes + 256 + 4 * row, bit_plane(parley_load_u32(qs)));
            pack_nibbles(qs + 4, row, planes);
            break;
        default:
            pack_nibbles(qs, row, planes);
    }
}

/// u8 e, for the scale 2^(e - 128); u8 qs[16].
PARLEY_INLINE void pack_mxfp4(const uint8_t *source, size_t row, uint8_t *unit) {
    unit[row] = source[0];
    pack_nibbles(source + 1, row, unit + parley_unit(PARLEY_MXFP4).planes);
}

/// Reads sub-scale and minimum `i` from the twelve bytes in which Q4_K and Q5_K store eight pairs of 6-bit numbers.
PARLEY_INLINE void k4_scales(const uint8_t *s, int i, uint8_t *scale, uint8_t *minimum) {
    if (i < 4) {
        *scale = s[i] & 63;
        *minimum = s[i + 4] & 63;
    } else {
        *scale = (uint8_t)((s[i + 4] & 0xf) | s[i - 4] >> 6 << 4);
        *minimum = (uint8_t)(s[i + 4] >> 4 | s[i] >> 6 << 4);
    }
}

/// Q4_K: f16 d, dmin; u8 scales[12]; u8 qs[128]. Q5_K: u8 qh[32] before qs, bit s for columns 32s...
PARLEY_INLINE void pack_q45k(parley_type type, const uint8_t *source, size_t row, uint8_t *unit) {
    parley_unit_layout layout = parley_unit(type);
    const uint8_t *scales = source + 4, *qh = source + 16, *qs = source + (type == PARLEY_Q5_K ? 48 : 16);
    parley_store_u16(unit + 2 * row, parley_load_u16(source));
    parley_store_u16(unit + 32 + 2 * row, parley_load_u16(source + 2));
    for (int s = 0; s < 8; s++) {
        uint8_t *planes = unit + layout.planes + (size_t)s * layout.plane_bytes;
        uint8_t *scale = unit + layout.scales + 16 * s + row;
        k4_scales(scales, s, scale, scale + 128);
        // 32 bytes hold two blocks: the even one in the low nibbles, the odd one in the high.
        const uint8_t *q = qs + 32 * (s / 2);
        for (int g = 0; g < 4; g++) {
            uint32_t left = parley_load_u32(q + 4 * g) >> 4 * (s & 1) & NIBBLES;
            uint32_t right = parley_load_u32(q + 16 + 4 * g) >> 4 * (s & 1) & NIBBLES;
            parley_store_u32(planes + 64 * g + 4 * row, left | right << 4);
        }
        if (type == PARLEY_Q5_K) {
            uint32_t bits = 0;
            for (int g = 0; g < 8; g++) bits |= (parley_load_u32(qh + 4 * g) >> s & BITS) << g;
            parley_store_u32(planes + 256 + 4 * row, bits);
        }
    }
}

/// Packs the bit pairs at `shift` of 32 bytes (one per column) into the two words of a plane of pairs.
PARLEY_INLINE void pack_pairs(const uint8_t *bytes, int shift, size_t row, uint8_t *plane) {
    for (int h = 0; h < 2; h++) {
        uint32_t pairs = 0;
        for (int k = 0; k < 4; k++) pairs |= (parley_load_u32(bytes + 16 * h + 4 * k) >> shift & PAIRS) << 2 * k;
        parley_store_u32(plane + 64 * h + 4 * row, pairs);
    }
}

/// u8 scales[16] (minimum in the high nibble); u8 qs[64]; f16 d, dmin.
PARLEY_INLINE void pack_q2k(const uint8_t *source, size_t row, uint8_t *unit) {
    parley_unit_layout layout = parley_unit(PARLEY_Q2_K);
    parley_store_u16(unit + 2 * row, parley_load_u16(source + 80));
    parley_store_u16(unit + 32 + 2 * row, parley_load_u16(source + 82));
    for (int i = 0; i < 16; i++) unit[layout.scales + 16 * i + row] = source[i];
    for (int s = 0; s < 8; s++) {
        uint8_t *planes = unit + layout.planes + (size_t)s * layout.plane_bytes;
        pack_pairs(source + 16 + 32 * (s / 4), 2 * (s % 4), row, planes);
    }
}

/// u8 hmask[32], bit s for columns 32s...; u8 qs[64]; u8 scales[12]: 16 of 6 bits, less 32; f16 d.
PARLEY_INLINE void pack_q3k(const uint8_t *source, size_t row, uint8_t *unit) {
    parley_unit_layout layout = parley_unit(PARLEY_Q3_K);
    const uint8_t *scales = source + 96;
    parley_store_u16(unit + 2 * row, parley_load_u16(source + 108));
    for (int i = 0; i < 16; i++) {
        int low = scales[i % 8] >> (i / 8 * 4) & 0xf;
        int high = scales[8 + i % 4] >> (i / 4 * 2) & 3;
        unit[layout.scales + 16 * i + row] = (uint8_t)((low | high << 4) - 32);
    }
    for (int s = 0; s < 8; s++) {
        uint8_t *planes = unit + layout.planes + (size_t)s * layout.plane_bytes;
        uint32_t bits = 0;
        for (int g = 0; g < 8; g++) bits |= (parley_load_u32(source + 4 * g) >> s & BITS) << g;
        pack_pairs(source + 32 + 32 * (s / 4), 2 * (s % 4), row, planes);
        parley_store_u32(planes + 128 + 4 * row, bits);
    }
}

/// u8 ql[128], u8 qh[64], s8 scales[16], f16 d. Each half of 128 columns: 64 bytes of ql, 32 bytes of qh.
PARLEY_INLINE void pack_q6k(const uint8_t *source, size_t row, uint8_t *unit) {
    parley_unit_layout layout = parley_unit(PARLEY_Q6_K);
    parley_store_u16(unit + 2 * row, parley_load_u16(source + 208));
    for (int i = 0; i < 16; i++) unit[layout.scales + 16 * i + row] = source[192 + i];
    for (int s = 0; s < 8; s++) {
        uint8_t *planes = unit + layout.planes + (size_t)s * layout.plane_bytes;
        const uint8_t *q = source + 64 * (s / 4) + 32 * (s % 2);
        int shift = s % 4 / 2 * 4;
        for (int g = 0; g < 4; g++) {
            uint32_t left = parley_load_u32(q + 4 * g) >> shift & NIBBLES;
            uint32_t right = parley_load_u32(q + 16 + 4 * g) >> shift & NIBBLES;
            parley_store_u32(planes + 64 * g + 4 * row, left | right << 4);
        }
        pack_pairs(source + 128 + 32 * (s / 4), 2 * (s % 4), row, planes + 256);
    }
}

/// f16 d; u16 scales_h, u8 scales_l[4]: 8 of 6 bits, less 32; u8 qs[128], 16 bytes a block.
PARLEY_INLINE void pack_iq4xs(const uint8_t *source, size_t row, uint8_t *unit) {
    parley_unit_layout layout = parley_unit(PARLEY_IQ4_XS);
    int scales_high = parley_load_u16(source + 2);
    parley_store_u16(unit + 2 * row, parley_load_u16(source));
    for (int s = 0; s < 8; s++) {
        int low = source[4 + s / 2] >> 4 * (s % 2) & 0xf;
        int high = scales_high >> 2 * s & 3;
        unit[layout.scales + 16 * (size_t)s + row] = (uint8_t)((low | high << 4) - 32);
        pack_nibbles(source + 8 + 16 * s, row, unit + layout.planes + (size_t)s * layout.plane_bytes);
    }
}

void parley_pack_block(parley_type type, const uint8_t *source, size_t row, uint8_t *unit) {
    switch (type) {
        case PARLEY_Q4_0: pack_32(PARLEY_Q4_0, source, row, unit); break;
        case PARLEY_Q4_1: pack_32(PARLEY_Q4_1, source, row, unit); break;
        case PARLEY_Q5_0: pack_32(PARLEY_Q5_0, source, row, unit); break;
        case PARLEY_Q5_1: pack_32(PARLEY_Q5_1, source, row, unit); break;
        case PARLEY_Q8_0: pack_32(PARLEY_Q8_0, source, row, unit); break;
        case PARLEY_IQ4_NL: pack_32(PARLEY_IQ4_NL, source, row, unit); break;
        case PARLEY_MXFP4: pack_mxfp4(source, row, unit); break;
        case PARLEY_Q2_K: pack_q2k(source, row, unit); break;
        case PARLEY_Q3_K: pack_q3k(source, row, unit); break;
        case PARLEY_Q4_K: pack_q45k(PARLEY_Q4_K, source, row, unit); break;
        case PARLEY_Q5_K: pack_q45k(PARLEY_Q5_K, source, row, unit); break;
        case PARLEY_Q6_K: pack_q6k(source, row, unit); break;
        case PARLEY_IQ4_XS: pack_iq4xs(source, row, unit); break;
        default: parley_pack_grid_block(type, source, row, unit);
    }
}
