// SPDX-License-Identifier: Apache-2.0
//
// Products with PARLEY_Q8_256 for AVX-VNNI. Their activations are AVX2's.

#include "kernels_internal.h"

#if PARLEY_X86

#pragma STDC FP_CONTRACT OFF

#include "matmul_avxvnni.h"

#define LANES_CHUNK_GROUPS 3

#include "q8_256_lanes.h"

#endif
