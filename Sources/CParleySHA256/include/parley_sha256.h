// SPDX-License-Identifier: Apache-2.0
//
// SHA-256 (FIPS 180-4) of bytes that come piece by piece, with the processor's own instructions where it has them.
//
// It is there to notice damaged and exchanged files, on systems without a library for it. Nothing here allocates, does
// I/O or keeps state outside of the hash that is passed in. The time taken depends on the number of bytes alone.

#ifndef PARLEY_SHA256_H
#define PARLEY_SHA256_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Bytes of a digest.
#define PARLEY_SHA256_DIGEST_BYTES 32
/// Bytes of the blocks that are hashed one after the other.
#define PARLEY_SHA256_BLOCK_BYTES 64

/// The code that takes in whole blocks. All of it gives the same digests.
typedef enum {
    PARLEY_SHA256_GENERIC = 0,  // portable C
    PARLEY_SHA256_X86 = 1,      // the SHA extensions of x86-64
    PARLEY_SHA256_ARM = 2,      // the SHA-2 instructions of 64-bit ARM
} parley_sha256_code;

/// Whether this machine runs the code.
bool parley_sha256_has(parley_sha256_code code);

/// The fastest code that this machine runs. Asks the processor, which takes microseconds in a virtual machine.
parley_sha256_code parley_sha256_best(void);

/// A hash on its way: what came so far. A copy goes on by itself.
typedef struct {
    uint32_t state[8];
    uint64_t byte_count;
    uint8_t rest[PARLEY_SHA256_BLOCK_BYTES];  // the last byte_count % 64 bytes, which make no whole block yet
    parley_sha256_code code;
} parley_sha256;

/// Begins a hash of nothing. Where this machine cannot run `code`, the portable code takes its place.
/// A hash that was begun may be copied, which is cheaper than to begin another.
void parley_sha256_begin(parley_sha256 *hash, parley_sha256_code code);

/// Takes in `count` further bytes, of any alignment; `bytes` may be NULL where `count` is 0.
void parley_sha256_update(parley_sha256 *hash, const void *bytes, size_t count);

/// Writes the digest of everything that was taken in to `digest[32]`. The hash stays as it is and may go on.
void parley_sha256_digest(const parley_sha256 *hash, uint8_t *digest);

#endif
