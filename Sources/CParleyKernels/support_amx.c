// SPDX-License-Identifier: Apache-2.0
//
// Whether AMX can be used: the processor has it, the system lends its tiles to this process, and a small product has
// the right bits.

#define _GNU_SOURCE  // for syscall
#include "kernels_internal.h"

#if PARLEY_X86

#include <stdatomic.h>
#include <string.h>

#include "matmul_chunks.h"
#include "q8_256_layout.h"

#ifdef PARLEY_EMULATED_TILES

static bool has_tiles(void) { return true; }

#elif defined(__linux__)

#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>

/// The kinds of state of a thread that tiles are, in XCR0 and for the system.
enum { TILE_SIZES = 17, TILE_DATA = 18 };

/// AMX-TILE and AMX-INT8, with palette 1 as `matmul_amx.c` takes it to be, and registers that the system saves.
static bool processor_has_tiles(void) {
    unsigned a, b, c, d, saved, high;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE)) return false;
    __asm__ volatile("xgetbv" : "=a"(saved), "=d"(high) : "c"(0));
    if (!(saved >> TILE_SIZES & 1) || !(saved >> TILE_DATA & 1)) return false;
    if (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || !(d >> 24 & 1) || !(d >> 25 & 1)) return false;
    if (!__get_cpuid_count(0x1d, 1, &a, &b, &c, &d)) return false;
    return (b & 0xffff) >= 64 && b >> 16 >= 8 && (c & 0xffff) >= 16;
}

/// The system keeps tiles only for processes that have asked for them (Linux 5.16 and later): their state is large.
static bool system_lends_tiles(void) {
    enum { GET_PERMISSION = 0x1022, REQUEST_PERMISSION = 0x1023 };  // <asm/prctl.h> may be older
    unsigned long lent = 0;
    if (syscall(SYS_arch_prctl, REQUEST_PERMISSION, TILE_DATA) != 0) return false;
    return syscall(SYS_arch_prctl, GET_PERMISSION, &lent) == 0 && (lent >> TILE_DATA & 1);
}

static bool has_tiles(void) { return processor_has_tiles() && system_lends_tiles(); }

#else

// No other system is known to lend tiles.
static bool has_tiles(void) { return false; }

#endif

enum { ROWS = 32, COLUMNS = 256, TOKENS = 13 };

static uint32_t next_random(uint32_t *state) { return *state = *state * 1664525 + 1013904223; }

/// Whether a product of two tiles of tokens with two panels has the bits of the generic kernels.
static bool multiplies(parley_type type) {
    // Weights of 8 bits and their scales fit into ten bits each.
    _Alignas(64) uint8_t panels[ROWS * COLUMNS * 10 / 8], scratch[2 * PARLEY_CHUNK_BLOCKS * PARLEY_UNPACKED_BYTES];
    _Alignas(64) uint8_t activations[TOKENS * COLUMNS / PARLEY_BLOCK_COLUMNS * PARLEY_ACTIVATION_BLOCK_BYTES];
    uint8_t source[ROWS * COLUMNS * 10 / 8];
    float x[TOKENS * COLUMNS], expected[TOKENS * ROWS], actual[TOKENS * ROWS];
    uint32_t random = 1;
    // Without the highest bit of its exponent, a scale of 16 bits is a number below 2.
    for (size_t i = 0; i < sizeof source; i++) source[i] = next_random(&random) >> 24 & 0xbf;
    for (size_t i = 0; i < TOKENS * COLUMNS; i++) x[i] = (float)(int32_t)next_random(&random);
    parley_pack(type, source, ROWS, COLUMNS, panels, 0, 2);
    const parley_matrix w = {panels, type, ROWS, COLUMNS};
    parley_quantize_generic(x, COLUMNS, COLUMNS, activations, TOKENS, 0, TOKENS);
    parley_matmul_generic(&w, activations, TOKENS, expected, ROWS, 0, 2, scratch);
    parley_quantize_amx(x, COLUMNS, COLUMNS, activations, TOKENS, 0, TOKENS);
    parley_matmul_amx(&w, activations, TOKENS, actual, ROWS, 0, 2, scratch);
    return memcmp(expected, actual, sizeof expected) == 0;
}

/// The same for PARLEY_Q8_256, whose tiles are multiplied by another instruction.
static bool multiplies_groups(void) {
    _Alignas(64) uint8_t panels[ROWS / PARLEY_PANEL_ROWS * PARLEY_PANEL_GROUP_BYTES];
    _Alignas(64) uint8_t activations[(TOKENS * (COLUMNS + 8) + 63) / 64 * 64];
    float weights[ROWS * COLUMNS], x[TOKENS * COLUMNS], expected[TOKENS * ROWS], actual[TOKENS * ROWS];
    uint32_t random = 1;
    for (size_t i = 0; i < ROWS * COLUMNS; i++) weights[i] = (float)(int32_t)next_random(&random);
    for (size_t i = 0; i < TOKENS * COLUMNS; i++) x[i] = (float)(int32_t)next_random(&random);
    parley_pack_q8_256(PARLEY_F32, weights, COLUMNS, ROWS, COLUMNS, panels, 0, 2);
    const parley_matrix w = {panels, PARLEY_Q8_256, ROWS, COLUMNS};
    parley_quantize_q8_256_generic(x, COLUMNS, COLUMNS, activations, TOKENS, 0, TOKENS);
    parley_matmul_q8_256_generic(&w, activations, TOKENS, expected, ROWS, 0, 2, NULL);
    parley_matmul_q8_256_amx(&w, activations, TOKENS, actual, ROWS, 0, 2, NULL);
    return memcmp(expected, actual, sizeof expected) == 0;
}

bool parley_supports_amx(void) {
    // Threads that ask at the same time find the same answer.
    static atomic_int answer;  // 0 until one is known, then 1 for no and 2 for yes
    int known = atomic_load(&answer);
    if (known == 0) {
        known = has_tiles() && multiplies(PARLEY_Q8_0) && multiplies(PARLEY_Q6_K) && multiplies_groups() ? 2 : 1;
        atomic_store(&answer, known);
    }
    return known == 2;
}

#endif
