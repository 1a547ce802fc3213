// SPDX-License-Identifier: Apache-2.0

#include "kernels_internal.h"

#if PARLEY_X86

#pragma STDC FP_CONTRACT OFF

#include "matmul_avx512.h"

// 24 accumulators in 32 registers.
#define LANES_PANELS 4
#define LANES_PANEL_TOKENS 6
#define LANES_AHEAD 4096

#include "matmul_float_lanes.h"

#endif
