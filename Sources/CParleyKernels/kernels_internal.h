// SPDX-License-Identifier: Apache-2.0
//
// Definitions for the files of this target: the target attributes of the instruction sets, and declarations of the
// functions in the tables of `dispatch.c`. Every instruction set `isa` has `matmul_<isa>.c`, `quantize_<isa>.c`,
// `ops_<isa>.c`, `attention_<isa>.c` and `q8_256_<isa>.c` with functions named `parley_<operation>_<isa>`. Their contracts are documented
// in `parley_kernels.h`.

#ifndef PARLEY_KERNELS_INTERNAL_H
#define PARLEY_KERNELS_INTERNAL_H

#include "parley_kernels.h"

// Each function has its instruction set as an attribute, because SwiftPM forbids unsafe compiler flags in dependencies.
// Files for another architecture compile to nothing.
#if defined(__x86_64__)
#define PARLEY_X86 1
#define PARLEY_AVX2 __attribute__((target("avx2,fma,f16c")))
#define PARLEY_AVXVNNI __attribute__((target("avxvnni,avx2,fma,f16c")))
#define PARLEY_AVX512 __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512vnni,avx2,fma,f16c")))
#define PARLEY_AMX                                                                                                     \
    __attribute__((target("amx-tile,amx-int8,avx512f,avx512bw,avx512vl,avx512dq,avx512vnni,avx2,fma,f16c")))
#elif defined(__aarch64__)
#define PARLEY_ARM 1
#define PARLEY_NEON __attribute__((target("dotprod")))
#define PARLEY_I8MM __attribute__((target("dotprod,i8mm")))
#endif

/// For the small functions that kernels consist of. They are inlined, so that constant arguments are propagated.
#define PARLEY_INLINE static inline __attribute__((always_inline))
/// The same for template headers: the file that includes them defines LANES_TARGET.
#define LANES_INLINE PARLEY_INLINE LANES_TARGET

/// Declares the functions of one instruction set, in the order of `parley_kernels`.
#define PARLEY_DECLARE_KERNELS(isa)                                                                                    \
    void parley_quantize_##isa(const float *x, size_t x_stride, size_t columns, void *activations, size_t tokens,      \
                               size_t token_begin, size_t token_end);                                                  \
    void parley_matmul_##isa(const parley_matrix *w, const void *activations, size_t tokens, float *y,                 \
                             size_t y_stride, size_t panel_begin, size_t panel_end, void *scratch);                    \
    void parley_matmul_float_##isa(const parley_matrix *w, const float *x, size_t x_stride, size_t tokens, float *y,   \
                                   size_t y_stride, size_t panel_begin, size_t panel_end, void *scratch);              \
    void parley_quantize_q8_256_##isa(const float *x, size_t x_stride, size_t columns, void *activations,              \
                                      size_t tokens, size_t token_begin, size_t token_end);                            \
    void parley_matmul_q8_256_##isa(const parley_matrix *w, const void *activations, size_t tokens, float *y,          \
                                    size_t y_stride, size_t panel_begin, size_t panel_end, void *scratch);             \
    void parley_rms_norm_##isa(const float *x, const float *weight, float *y, size_t n, float epsilon);                \
    void parley_layer_norm_##isa(const float *x, const float *weight, const float *bias, float *y, size_t n,           \
                                 float epsilon);                                                                       \
    void parley_rope_##isa(float *x, size_t heads, size_t head_dim, size_t rotary_dim, const float *cosine,            \
                           const float *sine, bool halves);                                                            \
    void parley_silu_mul_##isa(const float *gate, const float *up, float *y, size_t n);                                \
    void parley_gelu_mul_##isa(const float *gate, const float *up, float *y, size_t n);                                \
    void parley_clamped_swish_mul_##isa(const float *gate, const float *up, float *y, size_t n);                       \
    void parley_silu_##isa(const float *bias, float *y, size_t n);                                                     \
    void parley_sigmoid_mul_##isa(const float *gate, float *y, size_t n);                                              \
    void parley_gelu_erf_##isa(const float *bias, float *y, size_t n);                                                 \
    void parley_softcap_##isa(float cap, float *y, size_t n);                                                          \
    void parley_exp_sum_##isa(const float *x, float highest, float *sum, size_t n);                                    \
    void parley_softmax_parts_##isa(const float *bias, float scale, float *y, float *sum, size_t n);                   \
    void parley_add_##isa(const float *x, float *y, size_t n);                                                         \
    void parley_mul_##isa(const float *x, float *y, size_t n);                                                         \
    void parley_scale_##isa(float factor, float *y, size_t n);                                                         \
    void parley_store_key_##isa(parley_type type, const float *x, size_t head_dim, void *keys, size_t position);       \
    void parley_store_value_##isa(parley_type type, const float *x, size_t value_dim, void *values, size_t position);  \
    void parley_attend_##isa(const parley_attention *a, size_t row_begin, size_t row_end, size_t head_begin,           \
                             size_t head_end, void *scratch);                                                          \
    void parley_short_convolution_##isa(const float *x, size_t x_stride, size_t tokens, const float *weight,           \
                                        size_t width, float *state, size_t n, float *y, size_t y_stride,               \
                                        size_t channel_begin, size_t channel_end);                                     \
    void parley_linear_attention_##isa(const parley_linear_attention *a, size_t column_begin, size_t column_end)

/// `parley_unpack_row` of PARLEY_Q8_256.
void parley_unpack_q8_256_row(const parley_matrix *w, size_t row, float *y);

PARLEY_DECLARE_KERNELS(generic);
#if PARLEY_X86
PARLEY_DECLARE_KERNELS(avx2);
PARLEY_DECLARE_KERNELS(avx512);
// The other kernels of AVX-VNNI are those of AVX2.
void parley_matmul_avxvnni(const parley_matrix *w, const void *activations, size_t tokens, float *y, size_t y_stride,
                           size_t panel_begin, size_t panel_end, void *scratch);
void parley_matmul_q8_256_avxvnni(const parley_matrix *w, const void *activations, size_t tokens, float *y,
                                  size_t y_stride, size_t panel_begin, size_t panel_end, void *scratch);
// The other kernels of AMX are those of AVX-512, which its processors have.
void parley_quantize_amx(const float *x, size_t x_stride, size_t columns, void *activations, size_t tokens,
                         size_t token_begin, size_t token_end);
void parley_matmul_amx(const parley_matrix *w, const void *activations, size_t tokens, float *y, size_t y_stride,
                       size_t panel_begin, size_t panel_end, void *scratch);
void parley_matmul_q8_256_amx(const parley_matrix *w, const void *activations, size_t tokens, float *y,
                              size_t y_stride, size_t panel_begin, size_t panel_end, void *scratch);
/// Whether this process may use AMX. The first call asks the system for its tiles; AVX-512 must be known to be there.
bool parley_supports_amx(void);
#elif PARLEY_ARM
PARLEY_DECLARE_KERNELS(neon);
// The other kernels of NEON i8mm are those of NEON.
void parley_matmul_i8mm(const parley_matrix *w, const void *activations, size_t tokens, float *y, size_t y_stride,
                        size_t panel_begin, size_t panel_end, void *scratch);
void parley_matmul_q8_256_i8mm(const parley_matrix *w, const void *activations, size_t tokens, float *y,
                               size_t y_stride, size_t panel_begin, size_t panel_end, void *scratch);
#endif

#endif
