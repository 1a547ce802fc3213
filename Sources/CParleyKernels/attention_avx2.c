// SPDX-License-Identifier: Apache-2.0

#include "kernels_internal.h"

#if PARLEY_X86

#define LANES_TARGET PARLEY_AVX2
#define LANES_KERNEL(operation) LANES_TARGET void parley_##operation##_avx2
// There are 16 registers, of which a vector of 16 lanes takes two.
#define LANES_SUMS 5
#define LANES_TILE 6

#include "attention_lanes.h"

#endif
