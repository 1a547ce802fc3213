// SPDX-License-Identifier: Apache-2.0

#include "kernels_internal.h"

#if PARLEY_X86

#define LANES_TARGET PARLEY_AVX2
#define LANES_KERNEL(operation) LANES_TARGET void parley_##operation##_avx2
// 16 registers, two a vector of lanes.
#define LANES_SUMS 5
#define LANES_TILE 6

#include "attention_lanes.h"

#endif
