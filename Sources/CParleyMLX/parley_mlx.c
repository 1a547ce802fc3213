// SPDX-License-Identifier: Apache-2.0
// Nothing is compiled here but the types of the header; the functions are in library/.
#include "parley_mlx.h"
