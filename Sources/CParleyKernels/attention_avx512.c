// SPDX-License-Identifier: Apache-2.0

#include "kernels_internal.h"

#if PARLEY_X86

#define LANES_TARGET PARLEY_AVX512
#define LANES_KERNEL(operation) LANES_TARGET void parley_##operation##_avx512
// There are 32 registers, of which a vector of 16 lanes takes one.
#define LANES_SUMS 24
#define LANES_TILE 8

#include "attention_lanes.h"

#endif
