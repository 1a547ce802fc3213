// SPDX-License-Identifier: Apache-2.0
//
// Cuts what comes into blocks, pads the last, and gives them to the code that was chosen.

#include "sha256_internal.h"

#include <string.h>

static void take_blocks(parley_sha256 *hash, const uint8_t *blocks, size_t count) {
    switch (hash->code) {
#if PARLEY_SHA256_HAS_X86
        case PARLEY_SHA256_X86: parley_sha256_blocks_x86(hash->state, blocks, count); break;
#elif PARLEY_SHA256_HAS_ARM
        case PARLEY_SHA256_ARM: parley_sha256_blocks_arm(hash->state, blocks, count); break;
#endif
        default: parley_sha256_blocks_generic(hash->state, blocks, count); break;
    }
}

void parley_sha256_begin(parley_sha256 *hash, parley_sha256_code code) {
    // Section 5.3.3.
    static const uint32_t initial[8] = {
        0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
    };
    memset(hash, 0, sizeof *hash);
    memcpy(hash->state, initial, sizeof initial);
    hash->code = parley_sha256_has(code) ? code : PARLEY_SHA256_GENERIC;
}

void parley_sha256_update(parley_sha256 *hash, const void *bytes, size_t count) {
    if (count == 0) return;
    const uint8_t *next = bytes;
    size_t held = hash->byte_count % PARLEY_SHA256_BLOCK_BYTES;
    hash->byte_count += count;
    if (held > 0) {
        size_t missing = PARLEY_SHA256_BLOCK_BYTES - held;
        size_t taken = count < missing ? count : missing;
        memcpy(hash->rest + held, next, taken);
        if (taken < missing) return;
        take_blocks(hash, hash->rest, 1);
        next += taken;
        count -= taken;
    }
    size_t blocks = count / PARLEY_SHA256_BLOCK_BYTES;
    if (blocks > 0) take_blocks(hash, next, blocks);
    size_t left = count % PARLEY_SHA256_BLOCK_BYTES;
    if (left > 0) memcpy(hash->rest, next + blocks * PARLEY_SHA256_BLOCK_BYTES, left);
}

void parley_sha256_digest(const parley_sha256 *hash, uint8_t *digest) {
    // Section 5.1.1: a one bit, zeros, and the number of bits in the last eight bytes of a block.
    parley_sha256 last = *hash;
    uint8_t padding[2 * PARLEY_SHA256_BLOCK_BYTES] = {0x80};
    size_t held = last.byte_count % PARLEY_SHA256_BLOCK_BYTES;
    size_t end = held < PARLEY_SHA256_BLOCK_BYTES - 8 ? PARLEY_SHA256_BLOCK_BYTES : 2 * PARLEY_SHA256_BLOCK_BYTES;
    uint64_t bits = last.byte_count * 8;
    for (size_t i = 0; i < 8; i++) padding[end - held - 1 - i] = (uint8_t)(bits >> (8 * i));
    parley_sha256_update(&last, padding, end - held);
    for (size_t i = 0; i < PARLEY_SHA256_DIGEST_BYTES; i++)
        digest[i] = (uint8_t)(last.state[i / 4] >> (24 - 8 * (i % 4)));
}
