// SPDX-License-Identifier: Apache-2.0

#include "kernels_internal.h"

#if PARLEY_ARM

#define LANES_TARGET PARLEY_NEON
#define LANES_KERNEL(operation) LANES_TARGET void parley_##operation##_neon

#include "ops_lanes.h"

#include "convolution_lanes.h"

#include "recurrence_lanes.h"

#endif
