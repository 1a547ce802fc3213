// SPDX-License-Identifier: Apache-2.0
//
// The kernels of Parley: products with quantised matrices, attention, and the small operations between them.
//
// Nothing here allocates, does I/O or starts threads. A table of functions per instruction set is chosen once by the
// caller (`parley_kernels_best`) or forced (`parley_kernels_for`). `matmul_generic.c` and its siblings are the readable
// reference, whose bits every other instruction set gives.
//
// Batch invariance: what a call writes for one row (one token) depends on that row's inputs alone, never on how many
// rows share the call, on the split of the work between threads, or on what lies beyond the row.

#ifndef PARLEY_KERNELS_H
#define PARLEY_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// How the numbers of a tensor are stored; the values are GGUF's.
typedef enum {
    PARLEY_F32 = 0,
    PARLEY_F16 = 1,
    PARLEY_Q4_0 = 2,
    PARLEY_Q4_1 = 3,
    PARLEY_Q5_0 = 6,
    PARLEY_Q5_1 = 7,
    PARLEY_Q8_0 = 8,
    PARLEY_Q2_K = 10,
    PARLEY_Q3_K = 11,
    PARLEY_Q4_K = 12,
    PARLEY_Q5_K = 13,
    PARLEY_Q6_K = 14,
    PARLEY_IQ4_NL = 20,
    PARLEY_IQ4_XS = 23,
    PARLEY_BF16 = 30,
} parley_type;

typedef enum {
    PARLEY_ISA_GENERIC = 0,
    PARLEY_ISA_AVX2 = 1,    // AVX2, FMA, F16C
    PARLEY_ISA_AVX512 = 2,  // AVX-512 F, BW, VL, DQ, VNNI
    PARLEY_ISA_NEON = 3,    // ARMv8 Advanced SIMD with dot product
    PARLEY_ISA_NEON_I8MM = 4,
} parley_isa;

/// Rows of a panel: a packed matrix is a sequence of panels of this many rows.
#define PARLEY_PANEL_ROWS 16
/// Activations are quantised in blocks of this many columns.
#define PARLEY_BLOCK_COLUMNS 32
/// Cached keys stand in panels of this many positions.
#define PARLEY_KEY_PANEL 16

/// A weight matrix in the kernels' own order. `panels` is 64-byte aligned and holds ceil(rows / 16) panels of
/// `parley_panel_bytes(type, columns)` each; rows past the end are zero.
typedef struct {
    const void *panels;
    parley_type type;
    size_t rows;
    size_t columns;
} parley_matrix;

/// Bytes of one panel of 16 rows, a multiple of 64; 0 where the type or the number of columns is not supported
/// (quantised types need whole blocks).
size_t parley_panel_bytes(parley_type type, size_t columns);

/// Bytes of one row of the GGUF tensor; 0 where the type or the number of columns is not supported.
size_t parley_row_bytes(parley_type type, size_t columns);

/// Packs rows [16 * panel_begin, min(16 * panel_end, rows)) of a row-major GGUF tensor. `source` is the first row of
/// the whole tensor, of any alignment; `panels` the first panel of the packed matrix. Exact: no value changes.
void parley_pack(parley_type type, const void *source, size_t rows, size_t columns, void *panels,
                 size_t panel_begin, size_t panel_end);

/// Writes row `row` of a packed matrix to `y[columns]`, exactly the values the GGUF tensor stands for.
void parley_unpack_row(const parley_matrix *w, size_t row, float *y);

/// Whether products with this type take activations quantised by `quantize`; otherwise they take f32 rows.
bool parley_type_is_quantized(parley_type type);

/// Bytes of the opaque buffer (64-byte aligned) that holds `tokens` quantised rows.
size_t parley_activation_bytes(size_t tokens, size_t columns);

/// Bytes of scratch (64-byte aligned, one per thread) that a product may use.
size_t parley_matmul_scratch_bytes(void);

/// Attention of some query rows of one sequence over one layer's cache. Query row i stands at absolute position
/// `position + i` and sees the keys at positions (position + i - window, position + i], window 0 meaning no limit.
typedef struct {
    const float *q;        // row i, head h at q + i * q_stride + h * head_dim
    size_t q_stride;       // in floats
    float *y;              // row i, head h at y + i * y_stride + h * value_dim
    size_t y_stride;       // in floats
    const uint16_t *keys;    // kv head g at keys + g * key_stride: f16 [capacity / 16][head_dim][16]
    const uint16_t *values;  // kv head g at values + g * value_stride: f16 [capacity][value_dim]
    size_t key_stride;     // in f16 units
    size_t value_stride;
    size_t heads;          // query heads of the model
    size_t kv_heads;       // divides heads; query head h reads kv head h / (heads / kv_heads)
    size_t head_dim;       // a multiple of 8
    size_t value_dim;      // a multiple of 8
    size_t position;       // of query row 0
    size_t window;         // sliding window, 0 for none
    float scale;           // multiplies q . k
    float softcap;         // scores become cap * tanh(score / cap); 0 for none
} parley_attention;

/// Bytes of scratch (64-byte aligned, one per thread) for attention over at most `positions` keys.
size_t parley_attention_scratch_bytes(size_t positions);

/// The kernels of one instruction set.
typedef struct {
    parley_isa isa;
    const char *name;  // "generic", "AVX2", "AVX-512 VNNI", "NEON", "NEON i8mm"

    /// Quantises rows [token_begin, token_end) of x (row t at x + t * x_stride, f32[columns], columns a multiple of 32)
    /// into the opaque buffer of all `tokens` rows. Each block of 32: d = max|x| / 127 in f32, q = x / d rounded to
    /// nearest even in [-127, 127], and the sum of the 32 q. Ranges of different threads do not overlap in memory.
    void (*quantize)(const float *x, size_t x_stride, size_t columns, void *activations, size_t tokens,
                     size_t token_begin, size_t token_end);

    /// y[t * y_stride + r] = w[r] . x[t] for t in [0, tokens) and the rows r < w->rows of panels
    /// [panel_begin, panel_end), w of a quantised type, `activations` as `quantize` left it. Nothing else is written.
    ///
    /// One accumulator a (row, token), f32, starting at 0; over the scale groups of the row in order of columns (32
    /// columns, or 16 for Q2_K, Q3_K, Q6_K), with qw the row's integers *centred* as the type defines them, s the exact
    /// f32 scale of the group, m its minimum (types with one), dx and qx the activation's:
    ///     acc = fma((float) sum(qw * qx), s * dx, acc)
    ///     acc = fma(m, dx * (float) sum(qx), acc)          types with a minimum only; K types have m = -dmin * min
    /// Every instruction set follows this to the bit.
    void (*matmul)(const parley_matrix *w, const void *activations, size_t tokens, float *y, size_t y_stride,
                   size_t panel_begin, size_t panel_end, void *scratch);

    /// The same product for F32, F16 and BF16 weights and f32 rows x[t * x_stride + c]: acc = fma(w, x, acc) over the
    /// columns in order. To the bit on every instruction set.
    void (*matmul_float)(const parley_matrix *w, const float *x, size_t x_stride, size_t tokens, float *y,
                         size_t y_stride, size_t panel_begin, size_t panel_end, void *scratch);

    /// y = x / sqrt(mean(x * x) + epsilon) * weight, all f32[n]; weight may be NULL (ones); y may be x.
    void (*rms_norm)(const float *x, const float *weight, float *y, size_t n, float epsilon);

    /// Rotates the first `rotary_dim` values of each of `heads` vectors of `head_dim` in place. cosine and sine are
    /// f32[rotary_dim / 2] for the row's position. Pairs are (i, i + rotary_dim / 2) when `halves`, else (2i, 2i + 1).
    void (*rope)(float *x, size_t heads, size_t head_dim, size_t rotary_dim, const float *cosine, const float *sine,
                 bool halves);

    /// y = silu(gate) * up, f32[n]; y may be gate or up.
    void (*silu_mul)(const float *gate, const float *up, float *y, size_t n);

    /// y = gelu(gate) * up with the tanh form of GELU, f32[n]; y may be gate or up.
    void (*gelu_mul)(const float *gate, const float *up, float *y, size_t n);

    /// y += x, f32[n].
    void (*add)(const float *x, float *y, size_t n);

    /// y = x * y, f32[n].
    void (*mul)(const float *x, float *y, size_t n);

    /// y *= factor, f32[n].
    void (*scale)(float factor, float *y, size_t n);

    /// Stores one key vector of one kv head at `position`: keys as in parley_attention, rounded to nearest even.
    void (*store_key)(const float *x, size_t head_dim, uint16_t *keys, size_t position);

    /// Stores one value vector of one kv head at `position`.
    void (*store_value)(const float *x, size_t value_dim, uint16_t *values, size_t position);

    /// Rows [row_begin, row_end) and query heads [head_begin, head_end) of the attention `a`. Scores are
    /// f32: q . k as a chain of fma over head_dim in order; softmax over the visible positions (the sum kept in 16
    /// lanes by position modulo 16, then added in a fixed tree); y a chain of fma over the positions in order, divided
    /// by the sum at the end. A row's result does not depend on which other rows or heads the call covers.
    void (*attend)(const parley_attention *a, size_t row_begin, size_t row_end, size_t head_begin, size_t head_end,
                   void *scratch);

    /// Causal depthwise convolution over rows: y[t][c] = sum over j of weight[c][j] * u[t + j - (width - 1)][c], where
    /// u[t] for t < 0 comes from state[width - 1][n] (oldest first). x and y are f32 rows of the given strides; weight
    /// is f32[n][width]. Channels [channel_begin, channel_end). On return the state holds the last width - 1 rows of
    /// those channels. Taps are added with fma from j = 0 up. y may not be x.
    void (*short_convolution)(const float *x, size_t x_stride, size_t tokens, const float *weight, size_t width,
                              float *state, size_t n, float *y, size_t y_stride, size_t channel_begin,
                              size_t channel_end);
} parley_kernels;

/// The kernels of an instruction set, or NULL where this machine or this build lacks it.
const parley_kernels *parley_kernels_for(parley_isa isa);

/// The fastest kernels this machine can run; never NULL.
const parley_kernels *parley_kernels_best(void);

/// Tells the processor that the caller spins on a memory location.
static inline void parley_spin_hint(void) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/// IEEE half precision to single and back (round to nearest even).
float parley_f16_to_f32(uint16_t h);
uint16_t parley_f32_to_f16(float f);

#endif
