// SPDX-License-Identifier: Apache-2.0

#include "kernels_internal.h"

#if PARLEY_X86

#define LANES_TARGET PARLEY_AVX512
#define LANES_KERNEL(operation) LANES_TARGET void parley_##operation##_avx512

#include "ops_lanes.h"

#include "convolution_lanes.h"

#include "recurrence_lanes.h"

#endif
