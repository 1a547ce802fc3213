// SPDX-License-Identifier: Apache-2.0
//
// Checks AMX's activations and products against the portable kernels, bit for bit.

#include "check_amx.h"
#include "emulated_tiles.h"

#include <stdio.h>

int main(void) {
    if (!parley_kernels_for(PARLEY_ISA_AVX512)) {
        printf("AMX: left out, this processor has no AVX-512\n");
        return 0;
    }
#ifdef PARLEY_EMULATED_TILES
    const bool is_emulated = true;
    emulate_tiles();
#else
    const bool is_emulated = false;
#endif
    const parley_kernels *amx = parley_kernels_for(PARLEY_ISA_AMX), *best = parley_kernels_best();
    if (!amx && !is_emulated) {
        printf("AMX: not available here, so the best kernels are those of %s\n", best->name);
        return parley_report(best->name, "multiplies without AMX", best->isa == PARLEY_ISA_AVX512);
    }
    int failures = parley_report("AMX", is_emulated ? "available, emulated" : "available", amx != NULL);
    if (!amx) return 1;
    failures += parley_report(best->name, "chosen as the best", best == amx);
    failures += parley_check_activations(amx);
    failures += parley_check_matmul(amx, 70);
    printf("%zu tile instructions were emulated\n", emulated_instructions());
    if (failures) printf("%d checks failed\n", failures);
    return failures ? 1 : 0;
}
