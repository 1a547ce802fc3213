// SPDX-License-Identifier: Apache-2.0
//
// Property check of the products: on random shapes, an instruction set gives the bits of the generic kernels, for every
// type, whatever the tokens beside each other, and writes nothing but its rows. Used where the Swift tests do not run.

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

typedef struct {
    parley_type type;
    const char *name;
    size_t block_columns;
    size_t block_bytes;
    int halves[2];  // positions of the f16 scales in a block, -1 for none
} type_case;

static const type_case type_cases[] = {
    {PARLEY_F32, "F32", 1, 4, {-1, -1}},         {PARLEY_F16, "F16", 1, 2, {0, -1}},
    {PARLEY_BF16, "BF16", 1, 2, {-1, -1}},       {PARLEY_Q4_0, "Q4_0", 32, 18, {0, -1}},
    {PARLEY_Q4_1, "Q4_1", 32, 20, {0, 2}},       {PARLEY_Q5_0, "Q5_0", 32, 22, {0, -1}},
    {PARLEY_Q5_1, "Q5_1", 32, 24, {0, 2}},       {PARLEY_Q8_0, "Q8_0", 32, 34, {0, -1}},
    {PARLEY_Q2_K, "Q2_K", 256, 84, {80, 82}},    {PARLEY_Q3_K, "Q3_K", 256, 110, {108, -1}},
    {PARLEY_Q4_K, "Q4_K", 256, 144, {0, 2}},     {PARLEY_Q5_K, "Q5_K", 256, 176, {0, 2}},
    {PARLEY_Q6_K, "Q6_K", 256, 210, {208, -1}},  {PARLEY_IQ4_NL, "IQ4_NL", 32, 18, {0, -1}},
    {PARLEY_IQ4_XS, "IQ4_XS", 256, 136, {0, -1}}, {PARLEY_MXFP4, "MXFP4", 32, 17, {-1, -1}},
    {PARLEY_IQ2_XXS, "IQ2_XXS", 256, 66, {0, -1}}, {PARLEY_IQ2_XS, "IQ2_XS", 256, 74, {0, -1}},
    {PARLEY_IQ2_S, "IQ2_S", 256, 82, {0, -1}},   {PARLEY_IQ3_XXS, "IQ3_XXS", 256, 98, {0, -1}},
    {PARLEY_IQ3_S, "IQ3_S", 256, 110, {0, -1}},  {PARLEY_IQ1_S, "IQ1_S", 256, 50, {0, -1}},
    {PARLEY_IQ1_M, "IQ1_M", 256, 56, {-1, -1}},  {PARLEY_TQ1_0, "TQ1_0", 256, 54, {52, -1}},
    {PARLEY_TQ2_0, "TQ2_0", 256, 66, {64, -1}},  {PARLEY_Q8_256, "Q8_256", 1, 4, {-1, -1}},
};

static uint64_t random_state = 1;

static uint32_t random_bits(void) {
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(random_state >> 32);
}

static size_t random_below(size_t n) { return random_bits() % n; }
static float random_float(void) { return (float)((int32_t)random_bits()) * 0x1p-30f; }

/// Activations that a product cannot use, and that must not tell instruction sets apart.
static const float odd_values[] = {NAN, -INFINITY, INFINITY, 0x1p-149f, -0x1.9p-143f, 0x1.fffffep127f};

static void *allocate(size_t bytes) {
    void *memory = NULL;
    if (posix_memalign(&memory, 64, bytes + 64) != 0) abort();
    memset(memory, 0xa5, bytes + 64);
    return memory;
}

/// Random bytes are a valid block of every type once its scales are finite.
static void fill_weights(const type_case *type, uint8_t *source, size_t blocks) {
    for (size_t b = 0; b < blocks; b++) {
        uint8_t *block = source + b * type->block_bytes;
        for (size_t i = 0; i < type->block_bytes; i++) block[i] = (uint8_t)random_bits();
        for (int i = 0; i < 2; i++) {
            if (type->halves[i] < 0) continue;
            uint16_t half = parley_f32_to_f16(random_float());
            memcpy(block + type->halves[i], &half, sizeof half);
        }
        float value = random_float();
        if (type->type == PARLEY_F32 || type->type == PARLEY_Q8_256) memcpy(block, &value, 4);
        if (type->type == PARLEY_MXFP4) block[0] = block[0] % 8 ? 120 + block[0] % 8 : block[0] % 3;
        // The scale's highest four bits: less than 2.
        if (type->type == PARLEY_IQ1_M) block[55] &= 0xbf;
        if (type->type == PARLEY_BF16) memcpy(block, (uint8_t *)&value + 2, 2);
    }
}

static void multiply(const parley_kernels *kernels, const parley_matrix *w, const float *x, const void *activations,
                     size_t tokens, float *y, size_t stride, size_t panels, void *scratch) {
    // In two calls, as two threads would.
    size_t middle = random_below(panels + 1);
    for (int part = 0; part < 2; part++) {
        size_t begin = part ? middle : 0, end = part ? panels : middle;
        if (w->type == PARLEY_Q8_256) {
            kernels->matmul_q8_256(w, activations, tokens, y, stride, begin, end, scratch);
        } else if (parley_type_is_quantized(w->type)) {
            kernels->matmul(w, activations, tokens, y, stride, begin, end, scratch);
        } else {
            kernels->matmul_float(w, x, w->columns, tokens, y, stride, begin, end, scratch);
        }
    }
}

/// Quantises tokens [begin, end), as products with the type need them.
static void quantize(const parley_kernels *kernels, parley_type type, const float *x, size_t columns, void *activations,
                     size_t tokens, size_t begin, size_t end) {
    const bool grouped = type == PARLEY_Q8_256;
    (grouped ? kernels->quantize_q8_256 : kernels->quantize)(x, columns, columns, activations, tokens, begin, end);
}

/// Returns the number of failures.
static int check_shape(const parley_kernels *kernels, const type_case *type, size_t rows, size_t columns,
                       size_t tokens) {
    const parley_kernels *generic = parley_kernels_for(PARLEY_ISA_GENERIC);
    size_t blocks = rows * columns / type->block_columns, panels = (rows + 15) / 16, stride = rows + 5;
    bool grouped = type->type == PARLEY_Q8_256, quantized = grouped || parley_type_is_quantized(type->type);
    size_t activation_bytes = (grouped ? parley_q8_256_activation_bytes : parley_activation_bytes)(tokens, columns);
    size_t y_bytes = (tokens * stride + 8) * sizeof(float);
    uint8_t *source = allocate(blocks * type->block_bytes);
    void *packed = allocate(panels * parley_panel_bytes(type->type, columns));
    void *scratch = allocate(parley_matmul_scratch_bytes());
    float *x = allocate(tokens * columns * sizeof(float));
    void *activations[2] = {allocate(activation_bytes), allocate(activation_bytes)};
    float *y[2] = {allocate(y_bytes), allocate(y_bytes)};
    int failures = 0;

    fill_weights(type, source, blocks);
    if (grouped) {
        parley_pack_q8_256(PARLEY_F32, source, columns, rows, columns, packed, 0, panels);
    } else {
        parley_pack(type->type, source, rows, columns, packed, 0, panels);
    }
    for (size_t i = 0; i < tokens * columns; i++) x[i] = random_float();
    memset(x, 0, (columns < 32 ? columns : 32) * sizeof(float));
    if (quantized) {
        size_t middle = random_below(tokens + 1), odd = random_below(tokens * columns);
        float kept = x[odd];
        x[odd] = odd_values[random_below(sizeof odd_values / sizeof odd_values[0])];
        quantize(generic, type->type, x, columns, activations[0], tokens, 0, tokens);
        quantize(kernels, type->type, x, columns, activations[1], tokens, 0, middle);
        quantize(kernels, type->type, x, columns, activations[1], tokens, middle, tokens);
        // AMX has a layout of its own for blocks.
        if (grouped || kernels->isa != PARLEY_ISA_AMX) {
            failures += memcmp(activations[0], activations[1], activation_bytes) != 0;
        }
        x[odd] = kept;
        quantize(generic, type->type, x, columns, activations[0], tokens, 0, tokens);
        quantize(kernels, type->type, x, columns, activations[1], tokens, middle, tokens);
        quantize(kernels, type->type, x, columns, activations[1], tokens, 0, middle);
    }
    parley_matrix w = {packed, type->type, rows, columns};
    multiply(generic, &w, x, activations[0], tokens, y[0], stride, panels, scratch);
    multiply(kernels, &w, x, activations[1], tokens, y[1], stride, panels, scratch);
    failures += memcmp(y[0], y[1], y_bytes) != 0;
    // Some of the tokens alone.
    size_t first = random_below(tokens), count = 1 + random_below(tokens - first);
    memset(y[1], 0xa5, y_bytes);
    if (quantized) quantize(kernels, type->type, x + first * columns, columns, activations[1], count, 0, count);
    multiply(kernels, &w, x + first * columns, activations[1], count, y[1], stride, panels, scratch);
    for (size_t t = 0; t < count; t++) {
        failures += memcmp(y[0] + (first + t) * stride, y[1] + t * stride, rows * sizeof(float)) != 0;
    }
    if (failures) {
        printf("%s differs from generic: %s, %zu rows, %zu columns, %zu tokens\n", kernels->name, type->name, rows,
               columns, tokens);
    }
    void *memory[] = {source, packed, scratch, x, activations[0], activations[1], y[0], y[1]};
    for (size_t i = 0; i < sizeof memory / sizeof memory[0]; i++) free(memory[i]);
    return failures;
}

/// Rows at the ends of pairs, of parts of a panel, of panels and of pairs of panels.
static const size_t edges[] = {1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33};
enum { EDGES = sizeof edges / sizeof edges[0] };

int parley_check_matmul(const parley_kernels *kernels, size_t most_tokens) {
    int failures = 0;
    size_t shapes = 0;
    for (size_t c = 0; c < sizeof type_cases / sizeof type_cases[0]; c++) {
        const type_case *type = &type_cases[c];
        const bool grouped = type->type == PARLEY_Q8_256;
        size_t unit = type->block_columns < 32 ? 1 : type->block_columns;
        for (size_t tokens = 1; tokens <= most_tokens; tokens++, shapes++) {
            size_t columns = unit == 1 && !grouped ? 1 + random_below(300) : unit * (1 + random_below(1300 / unit));
            failures += check_shape(kernels, type, 1 + random_below(100), columns, tokens);
        }
        for (size_t tokens = 3; tokens <= 40; tokens++, shapes++) {
            size_t columns = grouped ? 16 * tokens : unit == 1 ? tokens : unit * (1 + tokens % 3);
            failures += check_shape(kernels, type, edges[(tokens + c) % EDGES], columns, tokens);
        }
    }
    printf("%s products: %zu shapes, %d failures\n", kernels->name, shapes, failures);
    return failures;
}
