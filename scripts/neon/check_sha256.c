// SPDX-License-Identifier: Apache-2.0
//
// SHA-256 with the processor's instructions: the digests of FIPS 180-2's examples, and those of the portable code for
// messages of any length, cut anywhere, at any alignment. NIST's vectors are for the Swift tests.

#include "check_neon.h"

#include <stdlib.h>
#include <string.h>

#include "parley_sha256.h"

enum { ROUNDS = 2000, LONGEST = 1000 };

static bool one_example(parley_sha256_code code, const char *piece, size_t times, const uint32_t *expected) {
    parley_sha256 hash;
    parley_sha256_begin(&hash, code);
    for (size_t i = 0; i < times; i++) parley_sha256_update(&hash, piece, strlen(piece));
    uint8_t digest[PARLEY_SHA256_DIGEST_BYTES];
    parley_sha256_digest(&hash, digest);
    bool passed = true;
    for (size_t i = 0; i < sizeof digest; i++)
        passed = passed && digest[i] == (uint8_t)(expected[i / 4] >> (24 - 8 * (i % 4)));
    return passed;
}

static bool examples(parley_sha256_code code) {
    static const uint32_t abc[8] = {
        0xba7816bf, 0x8f01cfea, 0x414140de, 0x5dae2223, 0xb00361a3, 0x96177a9c, 0xb410ff61, 0xf20015ad,
    };
    static const uint32_t million[8] = {
        0xcdc76e5c, 0x9914fb92, 0x81a1c7e2, 0x84d73e67, 0xf1809a48, 0xa497200e, 0x046d39cc, 0xc7112cd0,
    };
    return one_example(code, "abc", 1, abc) && one_example(code, "aaaaaaaaaa", 100000, million);
}

static bool one_message(parley_sha256_code code) {
    size_t offset = parley_random_size(0, 15), count = parley_random_size(0, LONGEST);
    uint8_t *memory = malloc(offset + count + 1);
    if (!memory) return false;
    for (size_t i = 0; i < offset + count; i++) memory[i] = (uint8_t)(parley_random() >> 8);
    const uint8_t *message = memory + offset;

    uint8_t expected[PARLEY_SHA256_DIGEST_BYTES], actual[PARLEY_SHA256_DIGEST_BYTES];
    parley_sha256 hash;
    parley_sha256_begin(&hash, PARLEY_SHA256_GENERIC);
    parley_sha256_update(&hash, message, count);
    parley_sha256_digest(&hash, expected);
    parley_sha256_begin(&hash, code);
    for (size_t done = 0; done < count;) {
        size_t piece = parley_random_size(0, count - done);
        parley_sha256_update(&hash, message + done, piece);
        done += piece;
    }
    parley_sha256_digest(&hash, actual);
    free(memory);
    return memcmp(expected, actual, sizeof actual) == 0;
}

int parley_check_sha256(void) {
    parley_sha256_code best = parley_sha256_best();
    // Every processor that is emulated here has the instructions.
    int failures = parley_report("SHA-256", "instructions chosen", best == PARLEY_SHA256_ARM);
    failures += parley_report("SHA-256 portable", "examples", examples(PARLEY_SHA256_GENERIC));
    failures += parley_report("SHA-256", "examples", examples(best));
    bool passed = true;
    for (int round = 0; round < ROUNDS; round++) passed = one_message(best) && passed;
    return failures + parley_report("SHA-256", "messages in pieces", passed);
}
