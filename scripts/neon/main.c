// SPDX-License-Identifier: Apache-2.0
//
// Checks every instruction set of this machine against the portable kernels, bit for bit, and its instructions for
// SHA-256. The argument is the name of the kernels that must be the best here.

#include "check_neon.h"

#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
    if (argc != 2) {
        fprintf(stderr, "usage: %s NAME-OF-THE-BEST-KERNELS\n", argv[0]);
        return 2;
    }
    const parley_kernels *best = parley_kernels_best();
    int failures = parley_report(best->name, "chosen as the best", strcmp(best->name, argv[1]) == 0);
    failures += parley_check_ops();
    for (parley_isa isa = PARLEY_ISA_AVX2; isa <= PARLEY_ISA_AMX; isa++) {
        const parley_kernels *kernels = parley_kernels_for(isa);
        if (kernels) failures += parley_check_matmul(kernels, 20);
    }
    failures += parley_check_sha256();
    if (failures) printf("%d checks failed\n", failures);
    return failures ? 1 : 0;
}
