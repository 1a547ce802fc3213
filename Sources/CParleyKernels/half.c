// SPDX-License-Identifier: Apache-2.0
//
// IEEE half precision in portable code.

#include "kernels_internal.h"

static float float_of_bits(uint32_t bits) {
    float f;
    __builtin_memcpy(&f, &bits, sizeof f);
    return f;
}

static uint32_t bits_of_float(float f) {
    uint32_t bits;
    __builtin_memcpy(&bits, &f, sizeof bits);
    return bits;
}

float parley_f16_to_f32(uint16_t h) {
    uint32_t sign = (uint32_t)(h & 0x8000) << 16;
    uint32_t exponent = h & 0x7c00, mantissa = h & 0x03ff;
    if (exponent == 0x7c00) {
        // A signalling NaN becomes quiet, as in hardware conversions.
        uint32_t quiet = mantissa ? 0x00400000 : 0;
        return float_of_bits(sign | 0x7f800000 | quiet | mantissa << 13);
    }
    if (exponent == 0) {
        float magnitude = (float)mantissa * 0x1p-24f;
        return sign ? -magnitude : magnitude;
    }
    return float_of_bits(sign | (((uint32_t)(h & 0x7fff) << 13) + ((127 - 15) << 23)));
}

uint16_t parley_f32_to_f16(float f) {
    uint32_t bits = bits_of_float(f);
    uint16_t sign = (uint16_t)(bits >> 16 & 0x8000);
    bits &= 0x7fffffff;
    if (bits > 0x7f800000) return (uint16_t)(sign | 0x7e00 | (bits >> 13 & 0x03ff));
    // 65520 is the smallest number that rounds past the largest half, 65504.
    if (bits >= 0x477ff000) return sign | 0x7c00;
    if (bits < 0x38800000) {
        // A subnormal half counts units of 2^-24, the spacing of floats at 0.5: the addition rounds.
        return (uint16_t)(sign | (bits_of_float(float_of_bits(bits) + 0.5f) - 0x3f000000));
    }
    bits += 0x0fff + (bits >> 13 & 1);
    return (uint16_t)(sign | ((bits - ((127 - 15) << 23)) >> 13));
}
