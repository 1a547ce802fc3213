// SPDX-License-Identifier: Apache-2.0
//
// Which code this machine can run.

#include "sha256_internal.h"

#if PARLEY_SHA256_HAS_X86

#include <cpuid.h>

static const parley_sha256_code fast = PARLEY_SHA256_X86;

static bool has_instructions(void) {
    unsigned a, b, c, d;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_SSSE3) || !(c & bit_SSE4_1)) return false;
    return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & bit_SHA);
}

#elif PARLEY_SHA256_HAS_ARM

static const parley_sha256_code fast = PARLEY_SHA256_ARM;

#if defined(__linux__)

#include <asm/hwcap.h>
#include <sys/auxv.h>

static bool has_instructions(void) { return (getauxval(AT_HWCAP) & HWCAP_SHA2) != 0; }

#elif defined(__APPLE__)

#include <sys/sysctl.h>

static bool has_instructions(void) {
    int value = 0;
    size_t size = sizeof value;
    return sysctlbyname("hw.optional.arm.FEAT_SHA256", &value, &size, NULL, 0) == 0 && value != 0;
}

#else

static bool has_instructions(void) { return false; }

#endif

#else

static const parley_sha256_code fast = PARLEY_SHA256_GENERIC;

static bool has_instructions(void) { return false; }

#endif

parley_sha256_code parley_sha256_best(void) { return has_instructions() ? fast : PARLEY_SHA256_GENERIC; }

bool parley_sha256_has(parley_sha256_code code) {
    return code == PARLEY_SHA256_GENERIC || code == parley_sha256_best();
}
