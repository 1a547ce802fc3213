// SPDX-License-Identifier: Apache-2.0
//
// The weights and activations of the products that are counted.

#ifndef PARLEY_COUNT_WEIGHTS_H
#define PARLEY_COUNT_WEIGHTS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct {
    const char *name;
    int format;             // GGUF's
    size_t columns, bytes;  // of a block
    int scales[2];          // where its f16 are; -1 for none
} weight_type;

static const weight_type weight_types[] = {
    {"Q4_0", 2, 32, 18, {0, -1}}, {"Q4_1", 3, 32, 20, {0, 2}},     {"Q8_0", 8, 32, 34, {0, -1}},
    {"Q4_K", 12, 256, 144, {0, 2}}, {"Q6_K", 14, 256, 210, {208, -1}},
};

static inline const weight_type *type_named(const char *name) {
    for (size_t i = 0; i < sizeof weight_types / sizeof weight_types[0]; i++) {
        if (strcmp(weight_types[i].name, name) == 0) return &weight_types[i];
    }
    return NULL;
}

static inline void fill_weights(const weight_type *type, uint8_t *source, size_t count) {
    static const uint16_t hundredth = 0x211f;  // 0.01 as f16
    const size_t bytes = count / type->columns * type->bytes;
    for (size_t i = 0; i < bytes; i++) source[i] = (uint8_t)(i * 2654435761u >> 24);
    for (size_t block = 0; block < bytes; block += type->bytes) {
        for (int i = 0; i < 2; i++) {
            if (type->scales[i] >= 0) memcpy(source + block + type->scales[i], &hundredth, sizeof hundredth);
        }
    }
}

static inline void fill_activations(float *x, size_t count) {
    for (size_t i = 0; i < count; i++) x[i] = (float)(i * 2654435761u % 2048) / 1024 - 1;
}

#endif
