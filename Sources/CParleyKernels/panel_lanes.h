// SPDX-License-Identifier: Apache-2.0
//
// A panel in registers, for the products of all instruction sets: its weights, its scales and minima, and the rows of a
// result. A register holds LANES_ROWS rows by 4 columns of bytes, or one f32 per row; LANES_PARTS registers are the 16
// rows of a panel. With a constant `type` each function compiles to a few instructions.
//
// `matmul_<isa>.h` includes this file. It defines LANES_TARGET, LANES_KERNEL(operation), LANES_CHUNKS (the name of its
// `parley_matmul_chunks`), LANES_ROWS, the register types `plane_bytes` (bytes as they are stored in planes) and
// `weight_bytes` (bytes as they are multiplied), and three functions: `load_bytes` loads a register from a plane;
// `merge_bits(q, x, left, mask)` is q | (x << left & mask) for bytes whose bits do not cross, where a negative `left`
// shifts right; `finish_weights` converts the numbers of a plane to the operands of the multiplication. With
// LANES_HAVE_MASKS it also defines `load_rows` and `store_rows`.

#ifndef PARLEY_PANEL_LANES_H
#define PARLEY_PANEL_LANES_H

#include "matmul_chunks.h"

#define LANES_PARTS (PARLEY_PANEL_ROWS / LANES_ROWS)

#define UNROLL _Pragma("clang loop unroll(full)")
#define KEEP_ROLLED _Pragma("clang loop unroll(disable)")

typedef float f32_rows __attribute__((vector_size(4 * LANES_ROWS)));
typedef int32_t i32_rows __attribute__((vector_size(4 * LANES_ROWS)));
typedef uint32_t u32_rows __attribute__((vector_size(4 * LANES_ROWS)));
typedef uint16_t u16_rows __attribute__((vector_size(2 * LANES_ROWS)));
typedef _Float16 f16_rows __attribute__((vector_size(2 * LANES_ROWS)));
typedef uint8_t u8_rows __attribute__((vector_size(LANES_ROWS)));
typedef int8_t i8_rows __attribute__((vector_size(LANES_ROWS)));

LANES_INLINE f32_rows load_f32(const void *from) {
    f32_rows rows;
    __builtin_memcpy(&rows, from, sizeof rows);
    return rows;
}

LANES_INLINE f32_rows load_f16(const void *from) {
    f16_rows rows;
    __builtin_memcpy(&rows, from, sizeof rows);
    return __builtin_convertvector(rows, f32_rows);
}

LANES_INLINE i32_rows load_u8(const void *from) {
    u8_rows rows;
    __builtin_memcpy(&rows, from, sizeof rows);
    return __builtin_convertvector(rows, i32_rows);
}

LANES_INLINE i32_rows load_i8(const void *from) {
    i8_rows rows;
    __builtin_memcpy(&rows, from, sizeof rows);
    return __builtin_convertvector(rows, i32_rows);
}

/// 2^(e - 128) for exponents of one byte; the two smallest powers are subnormal.
LANES_INLINE f32_rows load_powers(const void *from) {
    const i32_rows e = load_u8(from), isSmall = e < 2;
    return (f32_rows)((isSmall & ((e + 1) << 21)) | (~isSmall & ((e - 1) << 23)));
}

LANES_INLINE void store_f32(void *to, f32_rows rows) { __builtin_memcpy(to, &rows, sizeof rows); }

/// The same number in every row.
LANES_INLINE f32_rows splat(float x) { return x - (f32_rows){0}; }

LANES_INLINE f32_rows as_floats(i32_rows x) { return __builtin_convertvector(x, f32_rows); }

/// The numbers of columns 4g to 4g + 3 of the rows of part `part`, put together from the planes of a block of 32 columns.
LANES_INLINE plane_bytes plane_columns(parley_type type, const uint8_t *planes, size_t g, size_t part) {
    const uint8_t *next = planes + 4 * LANES_ROWS * part;
    plane_bytes q = {0};
    int width = 0, group = (int)g;  // bits of q so far
    if (type == PARLEY_Q8_0) return load_bytes(next + 64 * g);
    if (type != PARLEY_Q2_K && type != PARLEY_Q3_K) {
        q = merge_bits(q, load_bytes(next + 64 * (g % 4)), -(group / 4 * 4), 15);
        width = 4;
        next += 256;
    }
    if (type == PARLEY_Q2_K || type == PARLEY_Q3_K || type == PARLEY_Q6_K) {
        q = merge_bits(q, load_bytes(next + 64 * (g / 4)), width - 2 * (group % 4), (char)(3 << width));
        width += 2;
        next += 128;
    }
    if (type == PARLEY_Q3_K || type == PARLEY_Q5_0 || type == PARLEY_Q5_1 || type == PARLEY_Q5_K) {
        q = merge_bits(q, load_bytes(next), width - group, (char)(1 << width));
    }
    return q;
}

/// Unpacks the same columns.
LANES_INLINE weight_bytes unpack_columns(parley_type type, const uint8_t *planes, size_t g, size_t part) {
    return finish_weights(type, plane_columns(type, planes, g, part));
}

/// The scale and minimum of each row of a part, for a unit or for a group of columns in it.
typedef struct {
    f32_rows scale;
    f32_rows minimum;  // negative in types that subtract it; 0 in types without
} row_factors;

LANES_INLINE row_factors unit_factors(parley_type type, const uint8_t *unit, size_t part) {
    const parley_unit_layout layout = parley_unit(type);
    row_factors unit_rows = {
        type == PARLEY_MXFP4 ? load_powers(unit + LANES_ROWS * part) : load_f16(unit + 2 * LANES_ROWS * part), {0},
    };
    if (parley_scale_factor(type) != 1) unit_rows.scale *= parley_scale_factor(type);
    if (layout.has_minimum) unit_rows.minimum = load_f16(unit + 32 + 2 * LANES_ROWS * part);
    if (layout.has_minimum && layout.columns == 256) unit_rows.minimum = -unit_rows.minimum;
    return unit_rows;
}

/// The factors of group `i` of a unit (16 columns in types whose scales cover half a block, else 32); `whole` are the
/// factors of the unit.
LANES_INLINE row_factors group_factors(parley_type type, const uint8_t *unit, size_t i, size_t part,
                                       row_factors whole) {
    const uint8_t *scales = unit + parley_unit(type).scales + 16 * i + LANES_ROWS * part;
    switch (type) {
        case PARLEY_Q2_K: {
            const i32_rows both = load_u8(scales);
            return (row_factors){whole.scale * as_floats(both & 15), whole.minimum * as_floats(both >> 4)};
        }
        case PARLEY_Q3_K:
        case PARLEY_Q6_K:
        case PARLEY_IQ4_XS:
        case PARLEY_IQ2_XXS:
        case PARLEY_IQ2_XS:
        case PARLEY_IQ3_XXS:
        case PARLEY_IQ3_S: return (row_factors){whole.scale * as_floats(load_i8(scales)), whole.minimum};
        case PARLEY_Q4_K:
        case PARLEY_Q5_K:
            return (row_factors){whole.scale * as_floats(load_u8(scales)),
                                 whole.minimum * as_floats(load_u8(scales + 128))};
        default: return whole;
    }
}

/// Writes the factors of the groups of block `s` of a unit: f32 scale[groups][16], and 128 bytes on the minima.
LANES_INLINE void unpack_factors(parley_type type, const uint8_t *unit, size_t s, uint8_t *out) {
    const parley_unit_layout layout = parley_unit(type);
    const size_t groups = layout.halves ? 2 : 1;
    UNROLL for (size_t i = 0; i < groups * LANES_PARTS; i++) {
        const size_t part = i % LANES_PARTS;
        const row_factors whole = unit_factors(type, unit, part);
        const row_factors group = group_factors(type, unit, s * groups + i / LANES_PARTS, part, whole);
        store_f32(out + 4 * LANES_ROWS * i, group.scale);
        if (layout.has_minimum) store_f32(out + 128 + 4 * LANES_ROWS * i, group.minimum);
    }
}

/// Loads the factors of group h of a block in the layout of `matmul_chunks.h`.
LANES_INLINE row_factors unpacked_factors(parley_block_kind kind, const uint8_t *block, size_t h, size_t part) {
    const uint8_t *scales = block + PARLEY_UNPACKED_SCALES + 64 * h + 4 * LANES_ROWS * part;
    row_factors group = {load_f32(scales), {0}};
    if (kind.has_minimum) group.minimum = load_f32(scales + PARLEY_UNPACKED_MINIMA - PARLEY_UNPACKED_SCALES);
    return group;
}

/// The four activations of columns 4g to 4g + 3 of token t, in a tile of `width` tokens.
PARLEY_INLINE int32_t four_columns(const parley_activation_block *x, size_t width, size_t t, size_t g) {
    int32_t four;
    __builtin_memcpy(&four, x->q + (g * width + t) * 4, sizeof four);
    return four;
}

/// The column quadruples [begin, end) of group h of a block, and how many groups there are.
PARLEY_INLINE size_t group_begin(parley_block_kind kind, size_t h) { return kind.halves ? 4 * h : 0; }
PARLEY_INLINE size_t group_end(parley_block_kind kind, size_t h) { return kind.halves ? 4 * h + 4 : 8; }
PARLEY_INLINE size_t group_count(parley_block_kind kind) { return kind.halves ? 2 : 1; }

/// Adds a group's dot products, scaled, and its minima to the accumulators.
LANES_INLINE f32_rows add_group(parley_block_kind kind, const parley_activation_block *x, size_t t, size_t h,
                                i32_rows dot, row_factors group, f32_rows acc) {
    acc = __builtin_elementwise_fma(as_floats(dot), group.scale * x->scale[t], acc);
    if (!kind.has_minimum) return acc;
    if (!kind.halves) return __builtin_elementwise_fma(group.minimum, splat(x->scaled_sum[t]), acc);
    const int32_t sum = h == 0 ? -x->minus_low[t] : x->minus_low[t] - x->minus_sum[t];
    return __builtin_elementwise_fma(group.minimum, splat(x->scale[t] * (float)sum), acc);
}

/// The number of rows that exist from part `part` on, if `rows` exist from part 0 on.
PARLEY_INLINE size_t rows_of_part(size_t rows, size_t part) {
    return rows > LANES_ROWS * part ? rows - LANES_ROWS * part : 0;
}

#ifndef LANES_HAVE_MASKS

/// Loads or stores the first `rows` rows of a part; memory beyond them is neither read nor written.
LANES_INLINE f32_rows load_rows(const float *y, size_t rows) {
    float values[LANES_ROWS] = {0};
    if (rows >= LANES_ROWS) return load_f32(y);
    for (size_t r = 0; r < rows; r++) values[r] = y[r];
    return load_f32(values);
}

LANES_INLINE void store_rows(float *y, size_t rows, f32_rows x) {
    float values[LANES_ROWS];
    if (rows >= LANES_ROWS) {
        store_f32(y, x);
        return;
    }
    store_f32(values, x);
    for (size_t r = 0; r < rows; r++) y[r] = values[r];
}

#endif

/// `parley_matmul_chunks` with the steps of this instruction set.
void LANES_CHUNKS(const parley_matrix *w, const void *activations, size_t tokens, float *y, size_t y_stride,
                  size_t panel_begin, size_t panel_end, void *scratch);

/// Expands CASE for each quantised type of panels, so that the type is a constant in the code of each case.
#define FOR_QUANTISED_TYPES(CASE)                                                                                      \
    CASE(PARLEY_Q4_0) CASE(PARLEY_Q4_1) CASE(PARLEY_Q5_0) CASE(PARLEY_Q5_1) CASE(PARLEY_Q8_0) CASE(PARLEY_Q2_K)        \
    CASE(PARLEY_Q3_K) CASE(PARLEY_Q4_K) CASE(PARLEY_Q5_K) CASE(PARLEY_Q6_K) CASE(PARLEY_IQ4_NL) CASE(PARLEY_IQ4_XS)        \
    CASE(PARLEY_MXFP4) CASE(PARLEY_IQ2_XXS) CASE(PARLEY_IQ2_XS) CASE(PARLEY_IQ3_XXS) CASE(PARLEY_IQ3_S)

#endif
