// SPDX-License-Identifier: Apache-2.0
//
// The small operations. Each check runs both kernels on equal copies of memory and compares all of it afterwards, so
// that a value written outside the result fails like a wrong one.

#include "check_neon.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 200 };

typedef struct {
    const parley_kernels *expected, *actual;
} pair;

/// Frees both and returns whether they were equal.
static bool settle(float *a, float *b, size_t count) {
    bool equal = memcmp(a, b, count * sizeof(float)) == 0;
    free(a);
    free(b);
    return equal;
}

/// Large, tiny and special values among ordinary ones: the ends of exp, both zeros, subnormals, the ends of f16.
static float *values(size_t count) {
    static const float odd[] = {
        0.0f,   -0.0f,  1e-40f, -1e-40f, 1e-20f, 6e-8f, 3e-8f, 87.3f,  87.4f,    88.3f,    88.4f,    88.8f,
        -87.3f, -87.4f, -88.4f, -104.0f, 1e5f,   -1e5f, 3e38f, -3e38f, 65504.0f, 65519.0f, 65520.0f,
    };
    float *x = parley_random_floats(count, 8.0f);
    for (size_t i = 0; i < count; i++)
        if (parley_random() % 8 == 0) x[i] = odd[parley_random() % (sizeof odd / sizeof odd[0])];
    return x;
}

static bool rms_norm(pair k) {
    size_t n = parley_random_size(1, 700);
    float *x = parley_random_floats(n, 3.0f), *weight = parley_random_floats(n, 2.0f);
    float *a = parley_copy(x, n * sizeof *x), *b = parley_copy(x, n * sizeof *x);
    const float *w = parley_random() % 4 ? weight : NULL;
    k.expected->rms_norm(parley_random() % 2 ? x : a, w, a, n, 1e-5f);
    k.actual->rms_norm(parley_random() % 2 ? x : b, w, b, n, 1e-5f);
    free(x);
    free(weight);
    return settle(a, b, n);
}

static bool layer_norm(pair k) {
    size_t n = parley_random_size(1, 700);
    float *x = parley_random_floats(n, 3.0f), *weight = parley_random_floats(n, 2.0f);
    float *bias = parley_random_floats(n, 2.0f);
    float *a = parley_copy(x, n * sizeof *x), *b = parley_copy(x, n * sizeof *x);
    k.expected->layer_norm(parley_random() % 2 ? x : a, weight, bias, a, n, 1e-5f);
    k.actual->layer_norm(parley_random() % 2 ? x : b, weight, bias, b, n, 1e-5f);
    free(x);
    free(weight);
    free(bias);
    return settle(a, b, n);
}

static bool rope(pair k) {
    size_t heads = parley_random_size(1, 5), head_dim = 2 * parley_random_size(1, 130);
    size_t rotary = 2 * parley_random_size(0, head_dim / 2), count = heads * head_dim;
    float *cosine = parley_random_floats(rotary / 2, 1.0f), *sine = parley_random_floats(rotary / 2, 1.0f);
    float *a = parley_random_floats(count, 4.0f), *b = parley_copy(a, count * sizeof *a);
    bool halves = parley_random() % 2;
    k.expected->rope(a, heads, head_dim, rotary, cosine, sine, halves);
    k.actual->rope(b, heads, head_dim, rotary, cosine, sine, halves);
    free(cosine);
    free(sine);
    return settle(a, b, count);
}

typedef void gate_function(const float *gate, const float *up, float *y, size_t n);

static bool gated(gate_function *expected, gate_function *actual) {
    size_t n = parley_random_size(0, 300);
    float *gate = values(n), *up = parley_random_floats(n, 2.0f);
    float *a = parley_random_floats(n + 16, 1.0f), *b = parley_copy(a, (n + 16) * sizeof *a);
    expected(gate, up, a, n);
    actual(gate, up, b, n);
    bool numbers = true;
    for (size_t i = 0; i < n; i++) numbers = numbers && !isnan(a[i]);
    free(gate);
    free(up);
    return settle(a, b, n + 16) && numbers;
}

static bool silu_mul(pair k) { return gated(k.expected->silu_mul, k.actual->silu_mul); }
static bool gelu_mul(pair k) { return gated(k.expected->gelu_mul, k.actual->gelu_mul); }

static bool clamped_swish_mul(pair k) { return gated(k.expected->clamped_swish_mul, k.actual->clamped_swish_mul); }

static bool sums_and_products(pair k) {
    size_t n = parley_random_size(0, 300);
    float *x = values(n), *a = parley_random_floats(n + 16, 4.0f), *b = parley_copy(a, (n + 16) * sizeof *a);
    float factor = a[n];
    k.expected->add(x, a, n);
    k.actual->add(x, b, n);
    k.expected->scale(factor, a, n);
    k.actual->scale(factor, b, n);
    k.expected->mul(x, a, n);
    k.actual->mul(x, b, n);
    free(x);
    return settle(a, b, n + 16);
}

static bool store(pair k) {
    size_t dim = 8 * parley_random_size(1, 32), capacity = 32, count = capacity * dim;
    float *x = values(dim), *a = parley_random_floats(count, 1.0f), *b = parley_copy(a, count * sizeof *a);
    size_t position = parley_random_size(0, capacity - 1);
    parley_type type = parley_random() % 2 ? PARLEY_F16 : PARLEY_Q8_0;
    k.expected->store_key(type, x, dim, a, position);
    k.actual->store_key(type, x, dim, b, position);
    k.expected->store_value(type, x, dim, (uint16_t *)a + count, position);
    k.actual->store_value(type, x, dim, (uint16_t *)b + count, position);
    free(x);
    return settle(a, b, count);
}

static bool short_convolution(pair k) {
    size_t n = parley_random_size(1, 80), width = parley_random_size(1, 10), tokens = parley_random_size(1, 12);
    size_t begin = parley_random_size(0, n - 1), end = parley_random_size(begin, n), stride = n + 3;
    float *x = parley_random_floats(tokens * stride, 2.0f), *weight = parley_random_floats(n * width, 1.0f);
    float *a = parley_random_floats(tokens * stride, 1.0f), *b = parley_copy(a, tokens * stride * sizeof *a);
    size_t history = (width - 1) * n;
    float *s = parley_random_floats(history, 1.0f), *t = parley_copy(s, history * sizeof *s);
    k.expected->short_convolution(x, stride, tokens, weight, width, s, n, a, stride, begin, end);
    // The other in two steps, by tokens.
    size_t first = parley_random_size(0, tokens);
    k.actual->short_convolution(x, stride, first, weight, width, t, n, b, stride, begin, end);
    k.actual->short_convolution(x + first * stride, stride, tokens - first, weight, width, t, n, b + first * stride,
                                stride, begin, end);
    free(x);
    free(weight);
    bool same_state = settle(s, t, history);
    return settle(a, b, tokens * stride) && same_state;
}

typedef struct {
    const char *name;
    bool (*passes)(pair k);
} check;

static int check_kernels(const parley_kernels *kernels) {
    static const check checks[] = {
        {"rms_norm", rms_norm}, {"layer_norm", layer_norm}, {"rope", rope}, {"silu_mul", silu_mul}, {"gelu_mul", gelu_mul},
        {"clamped_swish_mul", clamped_swish_mul}, {"add, scale, mul", sums_and_products}, {"store_key, store_value", store},
        {"short_convolution", short_convolution},
    };
    pair k = {parley_kernels_for(PARLEY_ISA_GENERIC), kernels};
    int failures = 0;
    for (size_t i = 0; i < sizeof checks / sizeof checks[0]; i++) {
        bool passed = true;
        for (int round = 0; round < ROUNDS; round++) passed = checks[i].passes(k) && passed;
        failures += parley_report(kernels->name, checks[i].name, passed);
    }
    return failures;
}

int parley_check_ops(void) {
    int failures = 0;
    for (parley_isa isa = PARLEY_ISA_GENERIC; isa <= PARLEY_ISA_AMX; isa++) {
        const parley_kernels *kernels = parley_kernels_for(isa);
        if (!kernels) continue;
        failures += check_kernels(kernels);
        failures += parley_check_attention(kernels);
    }
    return failures;
}
