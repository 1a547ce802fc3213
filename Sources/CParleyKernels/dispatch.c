// SPDX-License-Identifier: Apache-2.0
//
// The tables of kernels for each instruction set, and the choice among them.

#include "kernels_internal.h"

#if PARLEY_ARM && defined(__linux__)
#include <asm/hwcap.h>
#include <sys/auxv.h>
#elif PARLEY_ARM && defined(__APPLE__)
#include <sys/sysctl.h>
#endif

#define PARLEY_KERNEL_TABLE(identifier, label, rows, products, suffix)                                                 \
    {                                                                                                                  \
        .isa = identifier,                                                                                             \
        .name = label,                                                                                                 \
        .quantize = parley_quantize_##rows,                                                                            \
        .matmul = parley_matmul_##products,                                                                            \
        .matmul_float = parley_matmul_float_##suffix,                                                                  \
        .quantize_q8_256 = parley_quantize_q8_256_##suffix,                                                            \
        .matmul_q8_256 = parley_matmul_q8_256_##products,                                                              \
        .rms_norm = parley_rms_norm_##suffix,                                                                          \
        .layer_norm = parley_layer_norm_##suffix,                                                                      \
        .rope = parley_rope_##suffix,                                                                                  \
        .silu_mul = parley_silu_mul_##suffix,                                                                          \
        .gelu_mul = parley_gelu_mul_##suffix,                                                                          \
        .clamped_swish_mul = parley_clamped_swish_mul_##suffix,                                                        \
        .silu = parley_silu_##suffix,                                                                                  \
        .sigmoid_mul = parley_sigmoid_mul_##suffix,                                                                    \
        .gelu_erf = parley_gelu_erf_##suffix,                                                                          \
        .softcap = parley_softcap_##suffix,                                                                            \
        .exp_sum = parley_exp_sum_##suffix,                                                                            \
        .softmax_parts = parley_softmax_parts_##suffix,                                                                \
        .add = parley_add_##suffix,                                                                                    \
        .mul = parley_mul_##suffix,                                                                                    \
        .scale = parley_scale_##suffix,                                                                                \
        .store_key = parley_store_key_##suffix,                                                                        \
        .store_value = parley_store_value_##suffix,                                                                    \
        .attend = parley_attend_##suffix,                                                                              \
        .short_convolution = parley_short_convolution_##suffix,                                                        \
        .linear_attention = parley_linear_attention_##suffix,                                                          \
    }

static const parley_kernels generic = PARLEY_KERNEL_TABLE(PARLEY_ISA_GENERIC, "generic", generic, generic, generic);

#if PARLEY_X86

static const parley_kernels avx2 = PARLEY_KERNEL_TABLE(PARLEY_ISA_AVX2, "AVX2", avx2, avx2, avx2);
static const parley_kernels avxvnni = PARLEY_KERNEL_TABLE(PARLEY_ISA_AVXVNNI, "AVX-VNNI", avx2, avxvnni, avx2);
static const parley_kernels avx512 = PARLEY_KERNEL_TABLE(PARLEY_ISA_AVX512, "AVX-512 VNNI", avx512, avx512, avx512);
static const parley_kernels amx = PARLEY_KERNEL_TABLE(PARLEY_ISA_AMX, "AMX", amx, amx, avx512);

// The compiler's run-time check covers both the processor and whether the system saves its wide registers.
static bool has_avx2(void) {
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("f16c");
}

static bool has_avxvnni(void) { return has_avx2() && __builtin_cpu_supports("avxvnni"); }

static bool has_avx512(void) {
    return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw")
        && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq")
        && __builtin_cpu_supports("avx512vnni");
}

const parley_kernels *parley_kernels_for(parley_isa isa) {
    switch (isa) {
        case PARLEY_ISA_GENERIC: return &generic;
        case PARLEY_ISA_AVX2: return has_avx2() ? &avx2 : NULL;
        case PARLEY_ISA_AVXVNNI: return has_avxvnni() ? &avxvnni : NULL;
        case PARLEY_ISA_AVX512: return has_avx512() ? &avx512 : NULL;
        case PARLEY_ISA_AMX: return has_avx512() && parley_supports_amx() ? &amx : NULL;
        default: return NULL;
    }
}

#elif PARLEY_ARM

static const parley_kernels neon = PARLEY_KERNEL_TABLE(PARLEY_ISA_NEON, "NEON", neon, neon, neon);
static const parley_kernels neon_i8mm = PARLEY_KERNEL_TABLE(PARLEY_ISA_NEON_I8MM, "NEON i8mm", neon, i8mm, neon);

#if defined(__APPLE__)

static bool has_feature(const char *name) {
    int value = 0;
    size_t size = sizeof value;
    return sysctlbyname(name, &value, &size, NULL, 0) == 0 && value != 0;
}

static bool has_dotprod(void) { return has_feature("hw.optional.arm.FEAT_DotProd"); }
static bool has_i8mm(void) { return has_feature("hw.optional.arm.FEAT_I8MM"); }

#elif defined(__linux__)

static bool has_dotprod(void) { return (getauxval(AT_HWCAP) & HWCAP_ASIMDDP) != 0; }
static bool has_i8mm(void) { return (getauxval(AT_HWCAP2) & HWCAP2_I8MM) != 0; }

#else

static bool has_dotprod(void) { return false; }
static bool has_i8mm(void) { return false; }

#endif

const parley_kernels *parley_kernels_for(parley_isa isa) {
    switch (isa) {
        case PARLEY_ISA_GENERIC: return &generic;
        case PARLEY_ISA_NEON: return has_dotprod() ? &neon : NULL;
        case PARLEY_ISA_NEON_I8MM: return has_dotprod() && has_i8mm() ? &neon_i8mm : NULL;
        default: return NULL;
    }
}

#else

const parley_kernels *parley_kernels_for(parley_isa isa) { return isa == PARLEY_ISA_GENERIC ? &generic : NULL; }

#endif

const parley_kernels *parley_kernels_best(void) {
    static const parley_isa preference[] = {
        PARLEY_ISA_AMX,  PARLEY_ISA_AVX512,    PARLEY_ISA_AVXVNNI,
        PARLEY_ISA_AVX2, PARLEY_ISA_NEON_I8MM, PARLEY_ISA_NEON,
    };
    for (size_t i = 0; i < sizeof preference / sizeof preference[0]; i++) {
        const parley_kernels *kernels = parley_kernels_for(preference[i]);
        if (kernels) return kernels;
    }
    return &generic;
}
