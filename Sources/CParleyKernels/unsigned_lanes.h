// SPDX-License-Identifier: Apache-2.0
//
// Products of unsigned weights with signed activations, as VNNI multiplies them, for registers of 256 and 512 bits:
// where the dot products start. `matmul_<isa>.h` includes this file after `panel_lanes.h`.

#ifndef PARLEY_UNSIGNED_LANES_H
#define PARLEY_UNSIGNED_LANES_H

/// The same integer in every row.
LANES_INLINE i32_rows splat_integer(int32_t x) { return x - (i32_rows){0}; }

/// The base-2 logarithm of what to subtract from the unsigned weights, 0 for nothing. Those of the IQ4 types get the
/// offset 128 from `finish_weights`.
PARLEY_INLINE int offset_shift(parley_type type) {
    const int offset = type == PARLEY_IQ4_NL || type == PARLEY_IQ4_XS ? 128 : parley_offset(type);
    return offset ? __builtin_ctz((unsigned)offset) : 0;
}

/// The initial value of dot products with unsigned weights: minus the offset (2 to the power of `shift`) times the sum
/// of the activations. Types with a minimum have no offset.
LANES_INLINE i32_rows first_sum(parley_block_kind kind, const parley_activation_block *x, size_t t, size_t h,
                                i32_rows shift) {
    if (kind.has_minimum) return (i32_rows){0};
    i32_rows sum = splat_integer(kind.halves && h == 0 ? x->minus_low[t] : x->minus_sum[t]);
    if (kind.halves && h == 1) sum -= splat_integer(x->minus_low[t]);
    return sum << shift;
}

#endif
