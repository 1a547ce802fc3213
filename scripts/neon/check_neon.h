// SPDX-License-Identifier: Apache-2.0

#ifndef PARLEY_CHECK_NEON_H
#define PARLEY_CHECK_NEON_H

#include "check.h"

int parley_check_ops(void);
int parley_check_attention(const parley_kernels *kernels);
int parley_check_sha256(void);

#endif
