// SPDX-License-Identifier: Apache-2.0
//
// Weights of a quarter of a panel into registers, NEON: a register is 4 rows by 4 columns of centred s8, or one f32 a
// row.

#ifndef PARLEY_UNPACK_NEON_H
#define PARLEY_UNPACK_NEON_H

#include <arm_neon.h>

#include "matmul_chunks.h"

/// q | (x << left & mask); a negative `left` shifts right.
PARLEY_NEON PARLEY_INLINE uint8x16_t merge_bits_neon(uint8x16_t q, uint8x16_t x, int left, uint8_t mask) {
    return vorrq_u8(q, vandq_u8(vshlq_u8(x, vdupq_n_s8((int8_t)left)), vdupq_n_u8(mask)));
}

/// Columns 4g.. of rows 4 * quarter.. of a panel, from the planes of a block of 32 columns.
PARLEY_NEON PARLEY_INLINE int8x16_t unpack_columns_neon(parley_type type, const uint8_t *planes, size_t g,
                                                        size_t quarter) {
    const uint8_t *next = planes + 16 * quarter;
    uint8x16_t q = vdupq_n_u8(0);
    int width = 0, group = (int)g;  // bits of q so far
    if (type == PARLEY_Q8_0) {
        return vreinterpretq_s8_u8(veorq_u8(vld1q_u8(next + 64 * g), vdupq_n_u8(0x80)));
    }
    if (type != PARLEY_Q2_K && type != PARLEY_Q3_K) {
        q = merge_bits_neon(q, vld1q_u8(next + 64 * (g % 4)), -(group / 4 * 4), 15);
        width = 4;
        next += 256;
    }
    if (type == PARLEY_Q2_K || type == PARLEY_Q3_K || type == PARLEY_Q6_K) {
        q = merge_bits_neon(q, vld1q_u8(next + 64 * (g / 4)), width - 2 * (group % 4), (uint8_t)(3 << width));
        width += 2;
        next += 128;
    }
    if (type == PARLEY_Q3_K || type == PARLEY_Q5_0 || type == PARLEY_Q5_1 || type == PARLEY_Q5_K) {
        q = merge_bits_neon(q, vld1q_u8(next), width - group, (uint8_t)(1 << width));
    }
    if (type == PARLEY_IQ4_NL || type == PARLEY_IQ4_XS) return vqtbl1q_s8(vld1q_s8(parley_iq4_values), q);
    return vsubq_s8(vreinterpretq_s8_u8(q), vdupq_n_s8((int8_t)parley_offset(type)));
}

PARLEY_NEON PARLEY_INLINE float32x4_t load_halves_neon(const uint8_t *halves) {
    return vcvt_f32_f16(vreinterpret_f16_u8(vld1_u8(halves)));
}

PARLEY_NEON PARLEY_INLINE uint32x4_t unsigned_scales_neon(const uint8_t *scales) {
    uint8x8_t four = vreinterpret_u8_u32(vdup_n_u32(parley_load_u32(scales)));
    return vmovl_u16(vget_low_u16(vmovl_u8(four)));
}

PARLEY_NEON PARLEY_INLINE float32x4_t signed_scales_neon(const uint8_t *scales) {
    int8x8_t four = vreinterpret_s8_u32(vdup_n_u32(parley_load_u32(scales)));
    return vcvtq_f32_s32(vmovl_s16(vget_low_s16(vmovl_s8(four))));
}

/// The scales and minima of group `i` (of 16 columns in types that scale halves, else 32) of a unit, for rows
/// 4 * quarter...
PARLEY_NEON PARLEY_INLINE void group_scales_neon(parley_type type, const uint8_t *unit, size_t i, size_t quarter,
                                                 float32x4_t *scale, float32x4_t *minimum) {
    const uint8_t *scales = unit + parley_unit(type).scales + 16 * i + 4 * quarter;
    float32x4_t d = load_halves_neon(unit + 8 * quarter), m = vdupq_n_f32(0);
    if (parley_unit(type).has_minimum) m = load_halves_neon(unit + 32 + 8 * quarter);
    if (parley_unit(type).columns == 256) m = vnegq_f32(m);
    *scale = d;
    *minimum = m;
    switch (type) {
        case PARLEY_Q2_K: {
            uint32x4_t both = unsigned_scales_neon(scales);
            *scale = vmulq_f32(d, vcvtq_f32_u32(vandq_u32(both, vdupq_n_u32(15))));
            *minimum = vmulq_f32(m, vcvtq_f32_u32(vshrq_n_u32(both, 4)));
            break;
        }
        case PARLEY_Q3_K:
        case PARLEY_Q6_K:
        case PARLEY_IQ4_XS:
            *scale = vmulq_f32(d, signed_scales_neon(scales));
            break;
        case PARLEY_Q4_K:
        case PARLEY_Q5_K:
            *scale = vmulq_f32(d, vcvtq_f32_u32(unsigned_scales_neon(scales)));
            *minimum = vmulq_f32(m, vcvtq_f32_u32(unsigned_scales_neon(scales + 128)));
            break;
        default: break;
    }
}

#endif
