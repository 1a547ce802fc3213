// SPDX-License-Identifier: Apache-2.0
// Limits how many tests run at the same time. Swift Testing starts all of them at once: each step of an asynchronous test
// then waits behind the other thousand, for minutes on two slow cores, and limits of time are exceeded without a fault.
// Swift Testing reads the width from the environment, which no package can set otherwise; a width set by hand is kept.
#define _DEFAULT_SOURCE // setenv, in C11
#include "CTestParallelism.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

__attribute__((constructor)) static void limit_parallelism(void) {
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    char width[24];
    snprintf(width, sizeof width, "%ld", cores > 2 ? 2 * cores : 4);
    setenv("SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH", width, 0);
}
