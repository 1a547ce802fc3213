// SPDX-License-Identifier: Apache-2.0
//
// The SHA extensions of x86-64: one instruction does two rounds, two others extend the words of a block.

#include "sha256_internal.h"

#if PARLEY_SHA256_HAS_X86

#include <immintrin.h>

__attribute__((target("sha,sse4.1,ssse3")))
void parley_sha256_blocks_x86(uint32_t *state, const uint8_t *blocks, size_t count) {
    const __m128i big_endian = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
    // The instructions keep a, b, e, f in one register and c, d, g, h in the other, the first one highest.
    __m128i dcba = _mm_loadu_si128((const __m128i *)state);
    __m128i hgfe = _mm_loadu_si128((const __m128i *)(state + 4));
    __m128i cdab = _mm_shuffle_epi32(dcba, 0xb1), efgh = _mm_shuffle_epi32(hgfe, 0x1b);
    __m128i abef = _mm_alignr_epi8(cdab, efgh, 8), cdgh = _mm_blend_epi16(efgh, cdab, 0xf0);

    for (; count > 0; count--, blocks += PARLEY_SHA256_BLOCK_BYTES) {
        const __m128i abef_before = abef, cdgh_before = cdgh;
        // W[t] to W[t + 15] of the standard, four to a vector; the four rounds of each step use the oldest.
        __m128i w[4];
        for (int i = 0; i < 4; i++)
            w[i] = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)blocks + i), big_endian);
#pragma clang loop unroll(full)
        for (int t = 0; t < 64; t += 4) {
            const __m128i *constants = (const __m128i *)(parley_sha256_constants + t);
            __m128i sum = _mm_add_epi32(w[0], _mm_loadu_si128(constants));
            cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sum);
            abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(sum, 0x0e));
            __m128i next = _mm_add_epi32(_mm_sha256msg1_epu32(w[0], w[1]), _mm_alignr_epi8(w[3], w[2], 4));
            next = _mm_sha256msg2_epu32(next, w[3]);
            w[0] = w[1], w[1] = w[2], w[2] = w[3], w[3] = next;
        }
        abef = _mm_add_epi32(abef, abef_before);
        cdgh = _mm_add_epi32(cdgh, cdgh_before);
    }

    __m128i feba = _mm_shuffle_epi32(abef, 0x1b), dchg = _mm_shuffle_epi32(cdgh, 0xb1);
    _mm_storeu_si128((__m128i *)state, _mm_blend_epi16(feba, dchg, 0xf0));
    _mm_storeu_si128((__m128i *)(state + 4), _mm_alignr_epi8(dchg, feba, 8));
}

#endif
