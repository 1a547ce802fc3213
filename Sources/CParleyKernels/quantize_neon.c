// SPDX-License-Identifier: Apache-2.0
//
// Activations to 8 bits, NEON: a block of 32 columns is eight registers of floats, one for each word of four columns.

#include "kernels_internal.h"

#if PARLEY_ARM

#pragma STDC FP_CONTRACT OFF

#include <arm_neon.h>

#include "panel_layout.h"

#define LANES_TARGET PARLEY_NEON
#define LANES_KERNEL(operation) LANES_TARGET void parley_##operation##_neon

LANES_INLINE void quantize_block(const float *values, const parley_activation_block *out, size_t width, size_t lane) {
    float32x4_t x[8], maxima = vdupq_n_f32(0);
    for (int g = 0; g < 8; g++) {
        x[g] = vld1q_f32(values + 4 * g);
        // A comparison with NaN fails, so it leaves no trace.
        float32x4_t magnitude = vabsq_f32(x[g]);
        maxima = vbslq_f32(vcgtq_f32(magnitude, maxima), magnitude, maxima);
    }
    float d = vmaxnmvq_f32(maxima) / 127;
    int32x4_t sums[2] = {vdupq_n_s32(0), vdupq_n_s32(0)};
    for (size_t g = 0; g < 8; g++) {
        // The "number" form of the maximum sends NaN to -127.
        float32x4_t scaled = vmaxnmq_f32(vdivq_f32(x[g], vdupq_n_f32(d)), vdupq_n_f32(-127));
        int32x4_t q = vcvtnq_s32_f32(vminnmq_f32(scaled, vdupq_n_f32(127)));
        if (!(d > 0)) q = vdupq_n_s32(0);
        sums[g / 4] = vaddq_s32(sums[g / 4], q);
        int8x8_t bytes = vmovn_s16(vcombine_s16(vmovn_s32(q), vdup_n_s16(0)));
        parley_store_u32((uint8_t *)out->q + (g * width + lane) * 4, vget_lane_u32(vreinterpret_u32_s8(bytes), 0));
    }
    int32_t low_sum = vaddvq_s32(sums[0]), sum = low_sum + vaddvq_s32(sums[1]);
    parley_store_sums(out, lane, d, low_sum, sum);
}

#include "quantize_lanes.h"

#endif
