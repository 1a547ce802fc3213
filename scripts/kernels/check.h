// SPDX-License-Identifier: Apache-2.0
//
// What the checks of scripts/check-neon and scripts/check-amx share. A group of checks returns how many failed.

#ifndef PARLEY_CHECK_H
#define PARLEY_CHECK_H

#include "parley_kernels.h"

/// Products of every type with 1 to `most_tokens` tokens.
int parley_check_matmul(const parley_kernels *kernels, size_t most_tokens);

/// Prints one line and returns whether the check failed.
int parley_report(const char *kernels, const char *check, bool passed);

/// Random numbers, the same in every run.
uint32_t parley_random(void);

/// A random integer in [low, high].
size_t parley_random_size(size_t low, size_t high);

/// `count` random floats in [-range, range] in memory of their own.
float *parley_random_floats(size_t count, float range);

/// A copy in memory of its own.
void *parley_copy(const void *source, size_t bytes);

#endif
