// SPDX-License-Identifier: Apache-2.0
//
// What the files of this target share. Files for another architecture are empty.

#ifndef PARLEY_SHA256_INTERNAL_H
#define PARLEY_SHA256_INTERNAL_H

#include "parley_sha256.h"

// Functions carry their instruction set as an attribute, because SwiftPM forbids unsafe compiler flags in dependencies.
#if defined(__x86_64__)
#define PARLEY_SHA256_HAS_X86 1
#elif defined(__aarch64__) && defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define PARLEY_SHA256_HAS_ARM 1
#endif

/// The constants K of FIPS 180-4, section 4.2.2.
extern const uint32_t parley_sha256_constants[64];

/// Take `count` blocks of 64 bytes, of any alignment, into `state[8]`: section 6.2.2.
void parley_sha256_blocks_generic(uint32_t *state, const uint8_t *blocks, size_t count);
#if PARLEY_SHA256_HAS_X86
void parley_sha256_blocks_x86(uint32_t *state, const uint8_t *blocks, size_t count);
#elif PARLEY_SHA256_HAS_ARM
void parley_sha256_blocks_arm(uint32_t *state, const uint8_t *blocks, size_t count);
#endif

#endif
