// SPDX-License-Identifier: Apache-2.0

#include "kernels_internal.h"

#if PARLEY_X86

#pragma STDC FP_CONTRACT OFF

#include "matmul_avx2.h"

// 12 accumulators in 16 registers: two panels by three tokens, or one panel by six tokens.
#define LANES_PANELS 2
#define LANES_PANEL_TOKENS 3
#define LANES_AHEAD 4096

#include "matmul_float_lanes.h"

#endif
