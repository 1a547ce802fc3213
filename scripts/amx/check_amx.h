// SPDX-License-Identifier: Apache-2.0

#ifndef PARLEY_CHECK_AMX_H
#define PARLEY_CHECK_AMX_H

#include "check.h"

int parley_check_activations(const parley_kernels *kernels);

#endif
