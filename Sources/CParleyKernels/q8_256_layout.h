// SPDX-License-Identifier: Apache-2.0
//
// The memory layout of PARLEY_Q8_256 and of the activations that it is multiplied with, the same for every instruction
// set. Both are cut along the columns into groups of 256, of which the last has the columns that remain, rounded up to 64:
// its width w. Columns beyond the last one are 0.
//
// A panel of 16 rows is, for each group,
//
//     u8  q[w / 4][16 rows][4]   column 4g + j of row r at [g][r][j], plus 128
//     f32 scale[16]
//
// so 64 bytes are 16 rows by 4 columns, and 1,024 the right operand of a product of tiles. The activations are, for each
// group, from a multiple of 64 bytes on,
//
//     s8  q[tokens][w]
//     f32 scale[tokens]
//     s32 start[tokens]          -128 times the sum of q: where dot products with the weights start, which are 128 too large

#ifndef PARLEY_Q8_256_LAYOUT_H
#define PARLEY_Q8_256_LAYOUT_H

#include "kernels_internal.h"

/// What the width of a group is a multiple of.
#define PARLEY_GROUP_STEP 64
/// What the bytes of weights are too large by.
#define PARLEY_GROUP_OFFSET 128

PARLEY_INLINE size_t parley_group_count(size_t columns) {
    return columns / PARLEY_GROUP_COLUMNS + (columns % PARLEY_GROUP_COLUMNS ? 1 : 0);
}

/// The width of group `group`.
PARLEY_INLINE size_t parley_group_width(size_t columns, size_t group) {
    const size_t left = columns - group * PARLEY_GROUP_COLUMNS;
    if (left >= PARLEY_GROUP_COLUMNS) return PARLEY_GROUP_COLUMNS;
    return (left + PARLEY_GROUP_STEP - 1) / PARLEY_GROUP_STEP * PARLEY_GROUP_STEP;
}

/// How many of a group's columns exist.
PARLEY_INLINE size_t parley_group_columns(size_t columns, size_t group) {
    const size_t left = columns - group * PARLEY_GROUP_COLUMNS;
    return left < PARLEY_GROUP_COLUMNS ? left : PARLEY_GROUP_COLUMNS;
}

/// The bytes of a whole group of a panel, which is the distance between two groups.
#define PARLEY_PANEL_GROUP_BYTES (PARLEY_PANEL_ROWS * (PARLEY_GROUP_COLUMNS + sizeof(float)))

/// The scales of a panel's group whose numbers begin at `q`.
PARLEY_INLINE const float *parley_group_scales(const uint8_t *q, size_t width) {
    return (const float *)(const void *)(q + PARLEY_PANEL_ROWS * width);
}

/// A group of the activations of all tokens.
typedef struct {
    size_t width;
    int8_t *q;
    float *scale;
    int32_t *start;
} parley_activation_group;

PARLEY_INLINE size_t parley_activation_group_bytes(size_t tokens, size_t width) {
    return (tokens * (width + sizeof(float) + sizeof(int32_t)) + 63) / 64 * 64;
}

PARLEY_INLINE parley_activation_group parley_activation_group_at(const void *activations, size_t tokens, size_t columns,
                                                                 size_t group) {
    const size_t width = parley_group_width(columns, group);
    int8_t *q = (int8_t *)(uintptr_t)activations + group * parley_activation_group_bytes(tokens, PARLEY_GROUP_COLUMNS);
    float *scale = (float *)(void *)(q + tokens * width);
    return (parley_activation_group){width, q, scale, (int32_t *)(void *)(scale + tokens)};
}

/// The scale of numbers whose largest magnitude is `highest`, and what they are multiplied by. The inverse of a subnormal
/// scale may be infinite; such numbers become 0.
typedef struct {
    float scale, inverse;
} parley_group_factors;

PARLEY_INLINE parley_group_factors parley_factors_of(float highest) {
    const float scale = highest / 127, inverse = scale > 0 ? 1 / scale : 0;
    return (parley_group_factors){scale, inverse <= 0x1.fffffep127f ? inverse : 0};
}

#endif
