// SPDX-License-Identifier: Apache-2.0

#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int parley_report(const char *kernels, const char *check, bool passed) {
    printf("%s %s: %s\n", passed ? "ok    " : "FAILED", kernels, check);
    return passed ? 0 : 1;
}

// Marsaglia's xorshift32.
uint32_t parley_random(void) {
    static uint32_t state = 2463534242u;
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state;
}

size_t parley_random_size(size_t low, size_t high) { return low + parley_random() % (high - low + 1); }

static void *allocated(size_t bytes) {
    void *memory = malloc(bytes ? bytes : 1);
    if (!memory) {
        fprintf(stderr, "out of memory\n");
        exit(1);
    }
    return memory;
}

float *parley_random_floats(size_t count, float range) {
    float *x = allocated(count * sizeof *x);
    for (size_t i = 0; i < count; i++) x[i] = range * ((float)(parley_random() >> 8) / 8388608.0f - 1.0f);
    return x;
}

void *parley_copy(const void *source, size_t bytes) { return memcpy(allocated(bytes), source, bytes); }
