// SPDX-License-Identifier: Apache-2.0
//
// The grids of the IQ types: which combinations of magnitudes occur, as llama.cpp defines them
// (https://github.com/ggml-org/llama.cpp/pull/4773 and those after it). An entry has the indices of eight magnitudes
// (four in the IQ3 types), the first in the lowest bits, of 2 bits each (3 in the IQ3 types).

#ifndef PARLEY_IQ_GRIDS_H
#define PARLEY_IQ_GRIDS_H

#include <stdint.h>

extern const uint16_t parley_iq2_xxs_grid[256];
extern const uint16_t parley_iq2_xs_grid[512];
extern const uint16_t parley_iq2_s_grid[1024];
extern const uint16_t parley_iq3_xxs_grid[256];
extern const uint16_t parley_iq3_s_grid[512];
extern const uint16_t parley_iq1_s_grid[2048];

#endif
