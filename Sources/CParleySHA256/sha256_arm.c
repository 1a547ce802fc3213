// SPDX-License-Identifier: Apache-2.0
//
// The SHA-2 instructions of 64-bit ARM: a pair does four rounds, another extends the words of a block.

#include "sha256_internal.h"

#if PARLEY_SHA256_HAS_ARM

#include <arm_neon.h>

__attribute__((target("sha2")))
void parley_sha256_blocks_arm(uint32_t *state, const uint8_t *blocks, size_t count) {
    uint32x4_t abcd = vld1q_u32(state), efgh = vld1q_u32(state + 4);

    for (; count > 0; count--, blocks += PARLEY_SHA256_BLOCK_BYTES) {
        const uint32x4_t abcd_before = abcd, efgh_before = efgh;
        // W[t] to W[t + 15] of the standard, four to a vector; the four rounds of each step use the oldest.
        uint32x4_t w[4];
        for (int i = 0; i < 4; i++) w[i] = vreinterpretq_u32_u8(vrev32q_u8(vld1q_u8(blocks + 16 * i)));
#pragma clang loop unroll(full)
        for (int t = 0; t < 64; t += 4) {
            uint32x4_t sum = vaddq_u32(w[0], vld1q_u32(parley_sha256_constants + t)), abcd_old = abcd;
            abcd = vsha256hq_u32(abcd, efgh, sum);
            efgh = vsha256h2q_u32(efgh, abcd_old, sum);
            uint32x4_t next = vsha256su1q_u32(vsha256su0q_u32(w[0], w[1]), w[2], w[3]);
            w[0] = w[1], w[1] = w[2], w[2] = w[3], w[3] = next;
        }
        abcd = vaddq_u32(abcd, abcd_before);
        efgh = vaddq_u32(efgh, efgh_before);
    }

    vst1q_u32(state, abcd);
    vst1q_u32(state + 4, efgh);
}

#endif
