// SPDX-License-Identifier: Apache-2.0
//
// Measures the products of Parley's kernels alone, on one thread, with every instruction set that this machine has:
//
//     cc=clang; k=Sources/CParleyKernels
//     $cc -O3 -I$k/include -I$k Benchmarks/products.c $k/*.c -lm -o /tmp/products
//     /tmp/products [ROWS COLUMNS TOKENS]        1536 768 504 unless told; columns are whole blocks of 256
//
// Prints multiply-adds a second of processor time for each type: the fastest of the turns, in which the instruction sets
// alternate, since what else runs on the machine only slows them down.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "parley_kernels.h"

enum { TURNS = 25, SETS = 8 };

static const struct {
    parley_type type;
    const char *name;
    size_t columns, bytes;  // of a block
    int scales[2];          // where its f16 are; -1 for none
} types[] = {
    {PARLEY_Q4_0, "Q4_0", 32, 18, {0, -1}},      {PARLEY_Q4_1, "Q4_1", 32, 20, {0, 2}},
    {PARLEY_Q5_0, "Q5_0", 32, 22, {0, -1}},      {PARLEY_Q5_1, "Q5_1", 32, 24, {0, 2}},
    {PARLEY_Q8_0, "Q8_0", 32, 34, {0, -1}},      {PARLEY_Q2_K, "Q2_K", 256, 84, {80, 82}},
    {PARLEY_Q3_K, "Q3_K", 256, 110, {108, -1}},  {PARLEY_Q4_K, "Q4_K", 256, 144, {0, 2}},
    {PARLEY_Q5_K, "Q5_K", 256, 176, {0, 2}},     {PARLEY_Q6_K, "Q6_K", 256, 210, {208, -1}},
    {PARLEY_IQ4_NL, "IQ4_NL", 32, 18, {0, -1}},  {PARLEY_IQ4_XS, "IQ4_XS", 256, 136, {0, -1}},
    {PARLEY_MXFP4, "MXFP4", 32, 17, {-1, -1}},
    {PARLEY_Q8_256, "Q8_256", 1, 4, {-1, -1}},   // made of floats
};

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void *memory(size_t bytes) {
    void *result = NULL;
    if (posix_memalign(&result, 64, (bytes + 63) / 64 * 64)) exit(1);
    return memset(result, 0, bytes);
}

int main(int count, char **arguments) {
    const size_t rows = count > 3 ? strtoul(arguments[1], NULL, 10) : 1536;
    const size_t columns = count > 3 ? strtoul(arguments[2], NULL, 10) / 256 * 256 : 768;
    const size_t tokens = count > 3 ? strtoul(arguments[3], NULL, 10) : 504;
    const size_t panels = (rows + 15) / 16;
    const parley_kernels *sets[SETS];
    size_t set_count = 0;
    for (int isa = PARLEY_ISA_GENERIC + 1; isa < SETS; isa++) {
        const parley_kernels *kernels = parley_kernels_for((parley_isa)isa);
        if (kernels) sets[set_count++] = kernels;
    }
    if (!set_count || !rows || !columns || !tokens) return fprintf(stderr, "nothing to measure here\n"), 2;
    printf("%zu rows, %zu columns, %zu tokens, GMAC/s on one thread\n%-8s", rows, columns, tokens, "");
    for (size_t s = 0; s < set_count; s++) printf("%14s", sets[s]->name);
    printf("\n");

    float *x = memory(tokens * columns * sizeof *x), *y = memory(tokens * rows * sizeof *y);
    const size_t of_blocks = parley_activation_bytes(tokens, columns);
    const size_t of_groups = parley_q8_256_activation_bytes(tokens, columns);
    void *activations = memory(of_blocks > of_groups ? of_blocks : of_groups);
    void *scratch = memory(parley_matmul_scratch_bytes());
    for (size_t i = 0; i < tokens * columns; i++) x[i] = (float)(i * 2654435761u % 2048) / 1024 - 1;
    for (size_t t = 0; t < sizeof types / sizeof types[0]; t++) {
        const size_t bytes = rows * columns / types[t].columns * types[t].bytes;
        uint8_t *source = memory(bytes);
        for (size_t i = 0; i < bytes; i++) source[i] = (uint8_t)(i * 2654435761u >> 24);
        for (size_t block = 0; block < bytes; block += types[t].bytes) {
            for (int i = 0; i < 2; i++) {
                const uint16_t scale = parley_f32_to_f16(0.01f);
                if (types[t].scales[i] >= 0) memcpy(source + block + types[t].scales[i], &scale, sizeof scale);
            }
            // Arbitrary powers of two would make subnormal sums, for which processors take their time.
            if (types[t].type == PARLEY_MXFP4) source[block] = 120;
        }
        void *packed = memory(panels * parley_panel_bytes(types[t].type, columns));
        const int grouped = types[t].type == PARLEY_Q8_256;
        if (grouped) {
            for (size_t i = 0; i < rows * columns; i++) memcpy(source + 4 * i, x + i % (tokens * columns), 4);
            parley_pack_q8_256(PARLEY_F32, source, columns, rows, columns, packed, 0, panels);
        } else {
            parley_pack(types[t].type, source, rows, columns, packed, 0, panels);
        }
        const parley_matrix w = {packed, types[t].type, rows, columns};
        double fastest[SETS];
        for (int turn = 0; turn < TURNS; turn++) {
            for (size_t s = 0; s < set_count; s++) {
                const parley_kernels *set = sets[s];
                (grouped ? set->quantize_q8_256 : set->quantize)(x, columns, columns, activations, tokens, 0, tokens);
                const double begin = now();
                (grouped ? set->matmul_q8_256 : set->matmul)(&w, activations, tokens, y, rows, 0, panels, scratch);
                const double taken = now() - begin;
                if (turn == 0 || taken < fastest[s]) fastest[s] = taken;
            }
        }
        printf("%-8s", types[t].name);
        for (size_t s = 0; s < set_count; s++) {
            printf("%14.1f", 1e-9 * (double)rows * (double)columns * (double)tokens / fastest[s]);
        }
        printf("\n");
        free(source), free(packed);
    }
    return 0;
}
