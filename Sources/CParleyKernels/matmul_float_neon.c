// SPDX-License-Identifier: Apache-2.0

#include "kernels_internal.h"

#if PARLEY_ARM

#pragma STDC FP_CONTRACT OFF

#include "matmul_neon.h"

// 24 accumulators in 32 registers.
#define LANES_PANELS 1
#define LANES_PANEL_TOKENS 6
#define LANES_AHEAD 0

#include "matmul_float_lanes.h"

#endif
