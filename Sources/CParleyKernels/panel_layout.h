// SPDX-License-Identifier: Apache-2.0
//
// The memory layout of packed weights and quantised activations; that of PARLEY_Q8_256 is in `q8_256_layout.h`. Only the files of this target depend on it.
//
// A panel of 16 rows is a sequence of units along the columns. A unit contains the data of one GGUF block of each row:
// 32 columns, or 256 for the K types, IQ4_XS and the types of less than four bits. Numbers are little-endian, at the byte offsets of `parley_unit`:
//
//     f16 scale[16] (MXFP4: u8 exponents), f16 minimum[16] (types with one), sub-scales (K types), then per 32 columns the planes of bits:
//
//     nibbles   4 x 64 bytes: byte 4 * row + j of part g holds column 4g + j low and column 16 + 4g + j high
//     pairs     2 x 64 bytes: byte 4 * row + j of part h holds columns 16h + 4k + j at bits 2k, k in 0..<4
//     bits      64 bytes:     byte 4 * row + j holds columns 4g + j at bit g, g in 0..<8
//     bytes     8 x 64 bytes: byte 4 * row + j of part g holds column 4g + j
//
// So 64 bytes are 16 rows by 4 columns, the operand of a four-way dot product. Numbers in planes are unsigned:
// `parley_offset` is to be subtracted. In types with a codebook they are indices into it.
//
// Panels of float types are [column][16].

#ifndef PARLEY_PANEL_LAYOUT_H
#define PARLEY_PANEL_LAYOUT_H

#include "kernels_internal.h"

typedef struct {
    uint32_t columns;       // of a unit
    uint32_t source_bytes;  // of the GGUF block
    uint32_t bytes;         // of the packed unit
    uint32_t scales;        // where sub-scales begin
    uint32_t planes;        // where the planes of the first 32 columns begin
    uint32_t plane_bytes;   // of 32 columns
    bool has_minimum;       // f16 minima follow the f16 scales
    bool halves;            // scales cover 16 columns, not 32
} parley_unit_layout;

/// All zero where `type` is not quantised.
PARLEY_INLINE parley_unit_layout parley_unit(parley_type type) {
    switch (type) {
        //                         columns source bytes scales planes plane_bytes minimum halves
        case PARLEY_Q4_0: return (parley_unit_layout){32, 18, 288, 0, 32, 256, false, false};
        case PARLEY_Q4_1: return (parley_unit_layout){32, 20, 320, 0, 64, 256, true, false};
        case PARLEY_Q5_0: return (parley_unit_layout){32, 22, 352, 0, 32, 320, false, false};
        case PARLEY_Q5_1: return (parley_unit_layout){32, 24, 384, 0, 64, 320, true, false};
        case PARLEY_Q8_0: return (parley_unit_layout){32, 34, 544, 0, 32, 512, false, false};
        case PARLEY_IQ4_NL: return (parley_unit_layout){32, 18, 288, 0, 32, 256, false, false};
        case PARLEY_MXFP4: return (parley_unit_layout){32, 17, 272, 0, 16, 256, false, false};
        // Sub-scales u8 [16 groups][16 rows]: the scale in the low nibble, the minimum in the high one.
        case PARLEY_Q2_K: return (parley_unit_layout){256, 84, 1344, 64, 320, 128, true, true};
        // Sub-scales s8 [16 groups][16 rows]. Planes: pairs, then bits.
        case PARLEY_Q3_K: return (parley_unit_layout){256, 110, 1824, 32, 288, 192, false, true};
        // Sub-scales u8 [8 groups][16 rows], then the minima's in the same form.
        case PARLEY_Q4_K: return (parley_unit_layout){256, 144, 2368, 64, 320, 256, true, false};
        case PARLEY_Q5_K: return (parley_unit_layout){256, 176, 2880, 64, 320, 320, true, false};
        // Sub-scales s8 [16 groups][16 rows]. Planes: nibbles, then pairs.
        case PARLEY_Q6_K: return (parley_unit_layout){256, 210, 3360, 32, 288, 384, false, true};
        // Sub-scales s8 [8 groups][16 rows].
        case PARLEY_IQ4_XS: return (parley_unit_layout){256, 136, 2208, 32, 160, 256, false, false};
        // Types of less than four bits, as `pack_grids.c` packs them: sub-scales s8 [8 groups][16 rows].
        case PARLEY_IQ2_XXS: return (parley_unit_layout){256, 66, 2208, 32, 160, 256, false, false};
        case PARLEY_IQ3_XXS: return (parley_unit_layout){256, 98, 2208, 32, 160, 256, false, false};
        case PARLEY_IQ3_S: return (parley_unit_layout){256, 110, 2208, 32, 160, 256, false, false};
        case PARLEY_IQ1_S: return (parley_unit_layout){256, 50, 2208, 32, 160, 256, false, false};
        case PARLEY_TQ1_0: return (parley_unit_layout){256, 54, 2208, 32, 160, 256, false, false};
        case PARLEY_TQ2_0: return (parley_unit_layout){256, 66, 2208, 32, 160, 256, false, false};
        // The same with sub-scales s8 [16 groups][16 rows].
        case PARLEY_IQ2_XS: return (parley_unit_layout){256, 74, 2336, 32, 288, 256, false, true};
        case PARLEY_IQ2_S: return (parley_unit_layout){256, 82, 2336, 32, 288, 256, false, true};
        case PARLEY_IQ1_M: return (parley_unit_layout){256, 56, 2336, 32, 288, 256, false, true};
        default: return (parley_unit_layout){0, 0, 0, 0, 0, 0, false, false};
    }
}

/// The type whose panels those of `type` are like: types of less than four bits share codebooks and forms.
PARLEY_INLINE parley_type parley_panel_type(parley_type type) {
    switch (type) {
        case PARLEY_IQ1_S:
        case PARLEY_TQ1_0:
        case PARLEY_TQ2_0: return PARLEY_IQ2_XXS;
        case PARLEY_IQ2_S:
        case PARLEY_IQ1_M: return PARLEY_IQ2_XS;
        default: return type;
    }
}

/// What the scale of a unit is multiplied by; a power of two. `type` is that of a panel.
PARLEY_INLINE float parley_scale_factor(parley_type type) {
    switch (type) {
        case PARLEY_IQ2_XXS:
        case PARLEY_IQ2_XS: return 0.125f;
        case PARLEY_IQ3_XXS: return 0.25f;
        default: return 1;
    }
}

/// The offset to be subtracted from the unsigned number in a plane, or in a codebook, to get the centred one.
PARLEY_INLINE int parley_offset(parley_type type) {
    switch (type) {
        case PARLEY_Q4_0: return 8;
        case PARLEY_Q5_0:
        case PARLEY_MXFP4: return 16;
        case PARLEY_Q8_0: return 128;
        case PARLEY_Q3_K: return 4;
        case PARLEY_Q6_K: return 32;
        case PARLEY_IQ2_XXS:
        case PARLEY_IQ2_XS:
        case PARLEY_IQ3_XXS:
        case PARLEY_IQ3_S: return 64;
        default: return 0;
    }
}

/// The codebook of the IQ4 types.
static const int8_t parley_iq4_values[16] = {
    -127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113,
};

/// The codebook of MXFP4, floats of 4 bits (e2m1) in halves, with the offset 16: so they multiply as Q5_0's weights do.
static const int8_t parley_mxfp4_values[16] = {
    16, 17, 18, 19, 20, 22, 24, 28, 16, 15, 14, 13, 12, 10, 8, 4,
};

/// The codebook of the IQ2, IQ1 and TQ types in eighths, with the offset 64: the IQ2 types' three magnitudes with both
/// signs; the numbers -1, 0 and 1 of the IQ1 types and an eighth more, then less; the TQ types' numbers, without their scale.
static const int8_t parley_ternary_values[16] = {
    72, 89, 107, 56, 39, 21, 57, 65, 73, 55, 63, 71, 63, 64, 65, 66,
};

/// The codebooks of the IQ3 types, with the offset 64: eight magnitudes with both signs.
static const int8_t parley_iq3_xxs_values[16] = {
    68, 76, 84, 92, 100, 108, 116, 126, 60, 52, 44, 36, 28, 20, 12, 2,
};
static const int8_t parley_iq3_s_values[16] = {
    65, 67, 69, 71, 73, 75, 77, 79, 63, 61, 59, 57, 55, 53, 51, 49,
};

/// The codebook of a type whose planes hold indices; NULL in the other types. The IQ4 types' is signed.
PARLEY_INLINE const int8_t *parley_codebook(parley_type type) {
    switch (type) {
        case PARLEY_IQ4_NL:
        case PARLEY_IQ4_XS: return parley_iq4_values;
        case PARLEY_MXFP4: return parley_mxfp4_values;
        case PARLEY_IQ2_XXS:
        case PARLEY_IQ2_XS: return parley_ternary_values;
        case PARLEY_IQ3_XXS: return parley_iq3_xxs_values;
        case PARLEY_IQ3_S: return parley_iq3_s_values;
        default: return NULL;
    }
}

/// The part of a row in one block of 32 columns, as the generic kernels use it.
typedef struct {
    int8_t q[PARLEY_BLOCK_COLUMNS];  // centred
    float scale[2];                  // of columns 0..<16 and 16..<32
    float minimum[2];                // 0 in types without
} parley_row_block;

/// Reads columns [32 * block, 32 * block + 32) of row `row` (0..<16) of a panel of a quantised type.
void parley_unpack_block(parley_type type, const uint8_t *panel, size_t block, size_t row, parley_row_block *out);

/// The size in bytes of the largest GGUF block.
#define PARLEY_SOURCE_BYTES 210

/// Writes the part of a unit that is made of a GGUF block of each of four rows, of which `row` (0, 4, 8 or 12) is the
/// first.
void parley_pack_blocks(parley_type type, const uint8_t *const source[4], size_t row, uint8_t *unit);

/// The same for one row and the types of less than four bits; does nothing for other types.
void parley_pack_grid_block(parley_type type, const uint8_t *source, size_t row, uint8_t *unit);

/// Reads weights of type F32, F16 or BF16 with any alignment. Infinite ones of F16, which no weight is, become 65536.
void parley_load_floats(parley_type type, const uint8_t *source, size_t count, float *values);

/// Number `index` of a panel of F32, F16 or BF16.
float parley_panel_float(parley_type type, const void *panel, size_t index);

// Activations. Tokens are cut into tiles of nearly equal width, at most six; a tile's blocks of 32 columns follow each
// other, so a product reads it as one stream. A block of a tile of w tokens is
//
//     s8 q[8][w][4]       column 4g + j of token t at [g][t][j]
//     f32 scale[w]        dx
//     f32 scaled_sum[w]   dx * (f32) sum
//     s32 minus_sum[w]    of the 32 q, and
//     s32 minus_low[w]    of the first 16 q, negative: times the offset, dot products with unsigned weights start there
//
// With many tokens AMX has a layout of its own, that of `activations_amx.h`.

#define PARLEY_TILE_TOKENS 6
#define PARLEY_ACTIVATION_BLOCK_BYTES 48  // of one token

typedef struct {
    int8_t *q;
    float *scale;
    float *scaled_sum;
    int32_t *minus_sum;
    int32_t *minus_low;
} parley_activation_block;

/// The number of tiles of at most `most` tokens.
PARLEY_INLINE size_t parley_tile_count(size_t tokens, size_t most) { return (tokens + most - 1) / most; }

/// The first token of a tile; a tile ends where the next begins.
PARLEY_INLINE size_t parley_tile_begin(size_t tokens, size_t most, size_t tile) {
    return tokens * tile / parley_tile_count(tokens, most);
}

PARLEY_INLINE size_t parley_tile_of_token(size_t tokens, size_t most, size_t token) {
    return ((token + 1) * parley_tile_count(tokens, most) - 1) / tokens;
}

/// The activations in block `block` of the tile of `width` tokens that begins at token `tile_begin`.
PARLEY_INLINE parley_activation_block parley_activations_at(const void *activations, size_t columns, size_t tile_begin,
                                                            size_t width, size_t block) {
    size_t at = (tile_begin * (columns / PARLEY_BLOCK_COLUMNS) + block * width) * PARLEY_ACTIVATION_BLOCK_BYTES;
    uint8_t *base = (uint8_t *)(uintptr_t)activations + at;
    float *floats = (float *)(void *)(base + PARLEY_BLOCK_COLUMNS * width);
    int32_t *integers = (int32_t *)(void *)(floats + 2 * width);
    return (parley_activation_block){(int8_t *)base, floats, floats + width, integers, integers + width};
}

/// Writes the scale and sums for the 32 q of a token, of which the first 16 add up to `low_sum` and all to `sum`.
PARLEY_INLINE void parley_store_sums(const parley_activation_block *block, size_t lane, float scale, int32_t low_sum,
                                     int32_t sum) {
    block->scale[lane] = scale;
    block->scaled_sum[lane] = scale * (float)sum;
    block->minus_sum[lane] = -sum;
    block->minus_low[lane] = -low_sum;
}

/// Unaligned loads and stores of little-endian numbers, as in model files.
PARLEY_INLINE uint32_t parley_load_u32(const uint8_t *p) {
    uint32_t x;
    __builtin_memcpy(&x, p, sizeof x);
    return x;
}

PARLEY_INLINE uint16_t parley_load_u16(const uint8_t *p) {
    uint16_t x;
    __builtin_memcpy(&x, p, sizeof x);
    return x;
}

PARLEY_INLINE void parley_store_u32(uint8_t *p, uint32_t x) { __builtin_memcpy(p, &x, sizeof x); }
PARLEY_INLINE void parley_store_u16(uint8_t *p, uint16_t x) { __builtin_memcpy(p, &x, sizeof x); }

#endif
