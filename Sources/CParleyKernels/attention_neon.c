// SPDX-License-Identifier: Apache-2.0

#include "kernels_internal.h"

#if PARLEY_ARM

#define LANES_TARGET PARLEY_NEON
#define LANES_KERNEL(operation) LANES_TARGET void parley_##operation##_neon
// There are 32 registers, of which a vector of 16 lanes takes four.
#define LANES_SUMS 5
#define LANES_TILE 6

#include "attention_lanes.h"

#endif
