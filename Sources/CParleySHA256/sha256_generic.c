// SPDX-License-Identifier: Apache-2.0
//
// The readable reference: sections 4.1.2 and 6.2.2 of FIPS 180-4, in the standard's own letters.

#include "sha256_internal.h"

const uint32_t parley_sha256_constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t rotated(uint32_t x, unsigned n) { return x >> n | x << (32 - n); }
// These two are the standard's Ch and Maj with an operation fewer.
static uint32_t choice(uint32_t x, uint32_t y, uint32_t z) { return z ^ (x & (y ^ z)); }
static uint32_t majority(uint32_t x, uint32_t y, uint32_t z) { return (x & y) | (z & (x | y)); }
static uint32_t Sigma0(uint32_t x) { return rotated(x, 2) ^ rotated(x, 13) ^ rotated(x, 22); }
static uint32_t Sigma1(uint32_t x) { return rotated(x, 6) ^ rotated(x, 11) ^ rotated(x, 25); }
static uint32_t sigma0(uint32_t x) { return rotated(x, 7) ^ rotated(x, 18) ^ x >> 3; }
static uint32_t sigma1(uint32_t x) { return rotated(x, 17) ^ rotated(x, 19) ^ x >> 10; }

static uint32_t big_endian(const uint8_t *bytes) {
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

void parley_sha256_blocks_generic(uint32_t *state, const uint8_t *blocks, size_t count) {
    for (; count > 0; count--, blocks += PARLEY_SHA256_BLOCK_BYTES) {
        uint32_t W[16];  // W[t % 16] holds W[t] of the standard until round t, then W[t + 16]
        for (size_t t = 0; t < 16; t++) W[t] = big_endian(blocks + 4 * t);
        uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
        uint32_t e = state[4], f = state[5], g = state[6], h = state[7];
        // Unrolled so far, the window's indices and the moves of the eight variables cost nothing.
#pragma clang loop unroll_count(16)
        for (size_t t = 0; t < 64; t++) {
            uint32_t T1 = h + Sigma1(e) + choice(e, f, g) + parley_sha256_constants[t] + W[t % 16];
            uint32_t T2 = Sigma0(a) + majority(a, b, c);
            h = g, g = f, f = e, e = d + T1;
            d = c, c = b, b = a, a = T1 + T2;
            W[t % 16] += sigma1(W[(t + 14) % 16]) + W[(t + 9) % 16] + sigma0(W[(t + 1) % 16]);
        }
        state[0] += a, state[1] += b, state[2] += c, state[3] += d;
        state[4] += e, state[5] += f, state[6] += g, state[7] += h;
    }
}
