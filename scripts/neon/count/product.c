// SPDX-License-Identifier: Apache-2.0
//
// One matrix product with the kernels of Parley, on one thread: its activations are quantised and multiplied TIMES
// times, so that the difference of two runs is what that takes.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parley_kernels.h"
#include "weights.h"

static void *memory(size_t bytes) {
    void *result = NULL;
    if (posix_memalign(&result, 64, (bytes + 63) / 64 * 64)) exit(1);
    return memset(result, 0, bytes);
}

/// Made of floats, and only here.
static const weight_type grouped = {"Q8_256", PARLEY_Q8_256, 1, sizeof(float), {-1, -1}};

int main(int count, char **arguments) {
    if (count != 7) return fprintf(stderr, "usage: %s KERNELS TYPE ROWS COLUMNS TOKENS TIMES\n", arguments[0]), 2;
    const bool is_grouped = strcmp(arguments[2], grouped.name) == 0;
    const weight_type *type = is_grouped ? &grouped : type_named(arguments[2]);
    const parley_kernels *kernels = NULL;
    for (int isa = PARLEY_ISA_GENERIC; isa < 32; isa++) {
        const parley_kernels *found = parley_kernels_for((parley_isa)isa);
        if (found && strcmp(found->name, arguments[1]) == 0) kernels = found;
    }
    if (!type || !kernels) return fprintf(stderr, "no such type or kernels here\n"), 2;
    const size_t rows = strtoul(arguments[3], NULL, 10), columns = strtoul(arguments[4], NULL, 10);
    const size_t tokens = strtoul(arguments[5], NULL, 10), times = strtoul(arguments[6], NULL, 10);
    const size_t panels = (rows + PARLEY_PANEL_ROWS - 1) / PARLEY_PANEL_ROWS;
    const parley_type format = (parley_type)type->format;
    uint8_t *source = memory(columns / type->columns * type->bytes * rows);
    void *packed = memory(parley_panel_bytes(format, columns) * panels);
    float *x = memory(tokens * columns * sizeof *x), *y = memory(tokens * rows * sizeof *y);
    void *activations =
        memory((is_grouped ? parley_q8_256_activation_bytes : parley_activation_bytes)(tokens, columns));
    void *scratch = memory(parley_matmul_scratch_bytes());
    fill_activations(x, tokens * columns);
    if (is_grouped) {
        fill_activations((float *)(void *)source, rows * columns);
        parley_pack_q8_256(PARLEY_F32, source, columns, rows, columns, packed, 0, panels);
    } else {
        fill_weights(type, source, rows * columns);
        parley_pack(format, source, rows, columns, packed, 0, panels);
    }
    const parley_matrix w = {packed, format, rows, columns};
    for (size_t i = 0; i < times; i++) {
        (is_grouped ? kernels->quantize_q8_256 : kernels->quantize)(x, columns, columns, activations, tokens, 0,
                                                                    tokens);
        (is_grouped ? kernels->matmul_q8_256 : kernels->matmul)(&w, activations, tokens, y, rows, 0, panels, scratch);
    }
    // What both programs print, so that one can be told from a wrong one.
    printf("%.6g %.6g\n", (double)y[0], (double)y[tokens * rows - 1]);
    return 0;
}
