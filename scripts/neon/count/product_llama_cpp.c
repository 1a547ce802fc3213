// SPDX-License-Identifier: Apache-2.0
//
// The product of `product.c` with the kernels of llama.cpp: its activations are quantised and multiplied TIMES times,
// on one thread. Weights are repacked at load wherever llama.cpp would.

#include <stdio.h>
#include <stdlib.h>

#include "ggml-alloc.h"
#include "ggml-backend.h"
#include "ggml-cpu.h"
#include "weights.h"

static void *memory(size_t bytes) {
    void *result = calloc(bytes, 1);
    if (!result) exit(1);
    return result;
}

/// The memory for the weights of `product`: the first special kind of the processor's that can multiply them.
static ggml_backend_buffer_type_t weight_memory(ggml_backend_dev_t processor, struct ggml_tensor *product) {
    ggml_backend_dev_get_extra_bufts_t special = (ggml_backend_dev_get_extra_bufts_t)ggml_backend_reg_get_proc_address(
        ggml_backend_dev_backend_reg(processor), "ggml_backend_dev_get_extra_bufts");
    for (ggml_backend_buffer_type_t *type = special ? special(processor) : NULL; type && *type; type++) {
        // As llama.cpp asks: with an empty buffer of that kind.
        product->src[0]->buffer = ggml_backend_buft_alloc_buffer(*type, 0);
        const bool can = ggml_backend_dev_supports_op(processor, product);
        ggml_backend_buffer_free(product->src[0]->buffer);
        product->src[0]->buffer = NULL;
        if (can) return *type;
    }
    return ggml_backend_cpu_buffer_type();
}

int main(int count, char **arguments) {
    if (count != 6) return fprintf(stderr, "usage: %s TYPE ROWS COLUMNS TOKENS TIMES\n", arguments[0]), 2;
    const weight_type *type = type_named(arguments[1]);
    if (!type) return fprintf(stderr, "no such type here\n"), 2;
    const size_t rows = strtoul(arguments[2], NULL, 10), columns = strtoul(arguments[3], NULL, 10);
    const size_t tokens = strtoul(arguments[4], NULL, 10), times = strtoul(arguments[5], NULL, 10);
    ggml_backend_t backend = ggml_backend_cpu_init();
    ggml_backend_cpu_set_n_threads(backend, 1);
    const struct ggml_init_params sizes = {64 * ggml_tensor_overhead() + ggml_graph_overhead(), NULL, true};
    struct ggml_context *weights = ggml_init(sizes), *others = ggml_init(sizes);
    struct ggml_tensor *w = ggml_new_tensor_2d(weights, (enum ggml_type)type->format, (int64_t)columns, (int64_t)rows);
    struct ggml_tensor *x = ggml_new_tensor_2d(others, GGML_TYPE_F32, (int64_t)columns, (int64_t)tokens);
    struct ggml_tensor *y = ggml_mul_mat(others, w, x);
    ggml_backend_buffer_type_t kind = weight_memory(ggml_backend_get_device(backend), y);
    ggml_backend_buffer_t buffer = ggml_backend_alloc_ctx_tensors_from_buft(weights, kind);
    ggml_backend_buffer_set_usage(buffer, GGML_BACKEND_BUFFER_USAGE_WEIGHTS);
    ggml_backend_alloc_ctx_tensors(others, backend);

    uint8_t *source = memory(ggml_nbytes(w));
    float *values = memory(tokens * columns * sizeof *values), *result = memory(tokens * rows * sizeof *result);
    fill_weights(type, source, rows * columns);
    fill_activations(values, tokens * columns);
    ggml_backend_tensor_set(w, source, 0, ggml_nbytes(w));
    ggml_backend_tensor_set(x, values, 0, ggml_nbytes(x));
    struct ggml_cgraph *graph = ggml_new_graph(others);
    ggml_build_forward_expand(graph, y);
    for (size_t i = 0; i < times; i++) ggml_backend_graph_compute(backend, graph);
    ggml_backend_tensor_get(y, result, 0, ggml_nbytes(y));
    printf("%.6g %.6g %s\n", (double)result[0], (double)result[tokens * rows - 1], ggml_backend_buft_name(kind));
    return 0;
}
