// SPDX-License-Identifier: Apache-2.0
//
// The kernels of Parley: matrix products with quantised and float weights, attention, and the small operations between
// them.
//
// No kernel allocates memory, does I/O or starts threads. The caller chooses a table of functions for one instruction
// set, the best one (`parley_kernels_best`) or a given one (`parley_kernels_for`). The `*_generic.c` files are the
// readable reference; every other instruction set gives the same bits.
//
// Batch invariance: the results for one row (one token) depend on the inputs of that row alone, not on how many rows
// the call has, on how the work is split between threads, or on memory beyond the row.
//
// Conventions: sizes and strides are in elements unless a name or comment says bytes. Arrays are row-major, the last
// dimension contiguous. Pointers need the alignment of their element type unless more is stated. Memory that a call
// writes must not overlap memory that it reads, or that another thread uses, unless stated.

#ifndef PARLEY_KERNELS_H
#define PARLEY_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// The number format of a tensor; the values are GGUF's, but for the last.
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
    PARLEY_IQ2_XXS = 16,
    PARLEY_IQ2_XS = 17,
    PARLEY_IQ3_XXS = 18,
    PARLEY_IQ1_S = 19,
    PARLEY_IQ4_NL = 20,
    PARLEY_IQ3_S = 21,
    PARLEY_IQ2_S = 22,
    PARLEY_IQ4_XS = 23,
    PARLEY_IQ1_M = 29,
    PARLEY_BF16 = 30,
    PARLEY_TQ1_0 = 34,
    PARLEY_TQ2_0 = 35,
    PARLEY_MXFP4 = 39,
    /// 8-bit integers with one f32 scale for every 256 columns of a row, made of floats by `parley_pack_q8_256`; for
    /// products of many rows, which are then little more than products of integers. Any number of columns.
    PARLEY_Q8_256 = 0x100,
} parley_type;

typedef enum {
    PARLEY_ISA_GENERIC = 0,
    PARLEY_ISA_AVX2 = 1,    // AVX2, FMA, F16C
    PARLEY_ISA_AVX512 = 2,  // AVX-512 F, BW, VL, DQ, VNNI
    PARLEY_ISA_NEON = 3,    // ARMv8 Advanced SIMD with dot product
    PARLEY_ISA_NEON_I8MM = 4,
    PARLEY_ISA_AVXVNNI = 5,  // AVX2's, and AVX-VNNI
    PARLEY_ISA_AMX = 6,      // AVX-512's, AMX-TILE and AMX-INT8
} parley_isa;

/// The number of rows of a panel: a packed matrix is a sequence of panels of 16 rows.
#define PARLEY_PANEL_ROWS 16
/// The number of columns of a block of quantised activations.
#define PARLEY_BLOCK_COLUMNS 32
/// The number of columns of a row that share a scale in PARLEY_Q8_256.
#define PARLEY_GROUP_COLUMNS 256
/// The number of positions of a panel of cached keys.
#define PARLEY_KEY_PANEL 16

/// A weight matrix [rows][columns] in the packed layout of the kernels. `panels` is 64-byte aligned and contains
/// ceil(rows / 16) panels of `parley_panel_bytes(type, columns)` bytes each; the rows after the last one are zero.
typedef struct {
    const void *panels;
    parley_type type;
    size_t rows;
    size_t columns;
} parley_matrix;

/// The size in bytes of one panel of 16 rows, a multiple of 64; 0 if the type or the number of columns is not supported
/// (quantised types need whole blocks).
size_t parley_panel_bytes(parley_type type, size_t columns);

/// Bytes of one row of the GGUF tensor; 0 where the type or the number of columns is not supported.
size_t parley_row_bytes(parley_type type, size_t columns);

/// Packs rows [16 * panel_begin, min(16 * panel_end, rows)) of a row-major GGUF tensor [rows][columns]. `source` points
/// to the first row of the whole tensor, with any alignment; `panels` (64-byte aligned) to the first panel of the whole
/// packed matrix. The conversion is exact. Threads may pack different panels at the same time. PARLEY_Q8_256, which no
/// tensor of a file has, leaves the memory as it is.
void parley_pack(parley_type type, const void *source, size_t rows, size_t columns, void *panels,
                 size_t panel_begin, size_t panel_end);

/// Writes row `row` of a packed matrix to y, f32[columns], with exactly the values that are packed.
void parley_unpack_row(const parley_matrix *w, size_t row, float *y);

/// Quantises `blocks` * 32 values of type F32, F16 or BF16 to as many Q8_0 blocks of GGUF (34 bytes each): the scale is
/// max|x| / 127 rounded to f16, the integers are x / scale rounded to nearest even, with the scale before its rounding.
/// Neither pointer needs an alignment. Other types leave `target` as it is.
void parley_quantize_q8_0(parley_type type, const void *source, size_t blocks, void *target);

/// Quantises rows of floats (F32, F16 or BF16; row r at element r * stride of `source`, with any alignment) into panels
/// [panel_begin, panel_end) of a packed matrix [rows][columns] of PARLEY_Q8_256, as `quantize_q8_256` does activations;
/// rows after the last one become zero. Other types leave it as it is.
void parley_pack_q8_256(parley_type type, const void *source, size_t stride, size_t rows, size_t columns, void *panels,
                        size_t panel_begin, size_t panel_end);

/// The same for a packed matrix [columns][rows] whose rows are the columns of x (row r at x + r * stride), for its groups
/// of 256 columns (rows of x) [group_begin, group_end).
void parley_pack_q8_256_transposed(const float *x, size_t stride, size_t rows, size_t columns, void *panels,
                                   size_t group_begin, size_t group_end);

/// Whether products with this type need activations from `quantize`. PARLEY_Q8_256 needs those of `quantize_q8_256`, the
/// others f32 rows.
bool parley_type_is_quantized(parley_type type);

/// The size in bytes of the opaque buffer, to be 64-byte aligned, for `tokens` quantised rows of `columns` values.
size_t parley_activation_bytes(size_t tokens, size_t columns);

/// The same for rows that `quantize_q8_256` quantises; any number of columns.
size_t parley_q8_256_activation_bytes(size_t tokens, size_t columns);

/// The size in bytes of the scratch memory for a product, to be 64-byte aligned. Each thread needs its own.
size_t parley_matmul_scratch_bytes(void);

/// The size in bytes of a panel of 16 positions of the cached keys, or values, of one kv head, `width` values each; 0 if
/// the type is not one of a cache. Every panel has
///     PARLEY_F16     f16 keys [width][16], or f16 values [16][width]
///     PARLEY_Q8_0    f16 scales [ceil(width / 32)][16], then int8 keys [width][16], or int8 values [16][width]
/// A number of Q8_0 counts as often as the scale of its position and its 32 columns says.
size_t parley_cache_panel_bytes(parley_type type, size_t width);

/// Writes a panel of cached keys of one kv head, `width` values each, as a panel of F32: y[width][16].
void parley_unpack_keys(parley_type type, const void *panel, size_t width, float *y);

/// Attention of the query rows of one sequence over one layer's cache. Query row i has the absolute position `position
/// + i` and attends to the keys at positions (position + i - window, position + i]; window 0 means no limit. If `visible`
/// is not 0, every row attends to the positions [0, visible), whatever its own. q, keys and values are only read; y must
/// not overlap them.
typedef struct {
    const float *q;        // row i, head h at q + i * q_stride + h * head_dim
    size_t q_stride;       // in floats
    float *y;              // row i, head h at y + i * y_stride + h * value_dim
    size_t y_stride;       // in floats
    parley_type cache_type;  // PARLEY_F16 or PARLEY_Q8_0
    const void *keys;      // kv head g at keys + g * key_stride, in panels: see parley_cache_panel_bytes
    const void *values;    // kv head g at values + g * value_stride, in panels
    size_t key_stride;     // in bytes
    size_t value_stride;
    size_t heads;          // query heads of the model
    size_t kv_heads;       // divides heads; query head h reads kv head h / (heads / kv_heads)
    size_t head_dim;       // a multiple of 8
    size_t value_dim;      // a multiple of 8
    size_t position;       // of query row 0
    size_t window;         // sliding window, 0 for none
    size_t visible;        // for attention in both directions: the number of positions; 0 for causal attention
    float scale;           // multiplies q . k
    float softcap;         // scores become cap * tanh(score / cap); 0 for none
    const float *key_bias; // added to the score of each position's key, f32 for whole panels of positions; NULL for none
    const float *sinks;    // f32[heads]: the score of one more position, whose value is 0; NULL for none
} parley_attention;

/// The size in bytes of the scratch memory for attention over at most `positions` keys, to be 64-byte aligned. Each
/// thread needs its own.
size_t parley_attention_scratch_bytes(size_t positions);

/// Linear attention of one head over consecutive rows of one sequence: instead of keys and values of all positions it has
/// a state of fixed size, which decays from row to row; for `linear_attention`.
typedef struct {
    const float *q;        // row t: f32[key_dim] at q + t * stride
    const float *k;        // row t: f32[key_dim] at k + t * stride
    const float *v;        // row t: f32[value_dim] at v + t * stride
    size_t stride;         // in floats
    const float *decay;    // row t: one factor of the state at decay + t * gate_stride
    const float *rate;     // row t: how much is written, at rate + t * gate_stride
    size_t gate_stride;
    float *state;          // f32[key_dim][value_dim]
    float *y;              // row t: f32[value_dim] at y + t * y_stride; overlaps none of the others
    size_t y_stride;
    size_t rows;
    size_t key_dim;
    size_t value_dim;
    bool corrects;         // whether what the state has for a key already is taken from the value (the delta rule)
} parley_linear_attention;

/// The kernels of one instruction set.
typedef struct {
    parley_isa isa;
    const char *name;  // "generic", "AVX2", "AVX-VNNI", "AVX-512 VNNI", "AMX", "NEON", "NEON i8mm"

    /// Quantises rows [token_begin, token_end) of x (row t at x + t * x_stride, f32[columns], columns a multiple of 32)
    /// into `activations`, the opaque buffer for all `tokens` rows (64-byte aligned). For each block of 32: d = max|x|
    /// / 127 in f32, q = x / d rounded to nearest even in [-127, 127], and the sum of the 32 q. Threads may quantise
    /// different rows into the same buffer at the same time.
    void (*quantize)(const float *x, size_t x_stride, size_t columns, void *activations, size_t tokens,
                     size_t token_begin, size_t token_end);

    /// Writes y[t * y_stride + r] = w[r] . x[t] for t in [0, tokens) and those rows r < w->rows that lie in panels
    /// [panel_begin, panel_end), and nothing else. w has a quantised type; `activations` holds the `tokens` rows x as
    /// `quantize` wrote them; `scratch` is described at `parley_matmul_scratch_bytes`.
    ///
    /// Each (row, token) has one f32 accumulator, which starts at 0 and is updated for one scale group of the row after
    /// another, in order of columns. A group has 32 columns (16 for Q2_K, Q3_K, Q6_K, IQ2_XS, IQ2_S, IQ1_M), qw are the row's *centred*
    /// integers as the type defines them, s is the exact f32 scale of the group, m its minimum (in types that have
    /// one), dx and qx are scale and integers of the activation:
    ///     acc = fma((float) sum(qw * qx), s * dx, acc)
    ///     acc = fma(m, dx * (float) sum(qx), acc)          types with a minimum only; K types have m = -dmin * min
    /// Every instruction set follows this to the bit.
    void (*matmul)(const parley_matrix *w, const void *activations, size_t tokens, float *y, size_t y_stride,
                   size_t panel_begin, size_t panel_end, void *scratch);

    /// The same product for F32, F16 and BF16 weights and f32 rows x[t * x_stride + c], c < columns: acc = fma(w, x,
    /// acc) over the columns in order, with the same bits on every instruction set. `scratch` is not used.
    void (*matmul_float)(const parley_matrix *w, const float *x, size_t x_stride, size_t tokens, float *y,
                         size_t y_stride, size_t panel_begin, size_t panel_end, void *scratch);

    /// Quantises rows as `quantize` does, but in groups of 256 columns (the last has those that remain; any number of
    /// columns), into the opaque buffer for products with PARLEY_Q8_256: d = max|x| / 127, q = x * (1 / d) rounded to
    /// nearest even in [-127, 127]. Every instruction set makes the same buffer.
    void (*quantize_q8_256)(const float *x, size_t x_stride, size_t columns, void *activations, size_t tokens,
                            size_t token_begin, size_t token_end);

    /// The product as in `matmul`, with a matrix of PARLEY_Q8_256 and activations from `quantize_q8_256`. For one group of
    /// 256 columns after another, acc = fma((float) sum(qw * qx), s * dx, acc). Fast with many tokens only.
    void (*matmul_q8_256)(const parley_matrix *w, const void *activations, size_t tokens, float *y, size_t y_stride,
                          size_t panel_begin, size_t panel_end, void *scratch);

    /// y = x / sqrt(mean(x * x) + epsilon) * weight, all f32[n]. weight may be NULL, which means ones; y may be x.
    void (*rms_norm)(const float *x, const float *weight, float *y, size_t n, float epsilon);

    /// y = (x - mean) / sqrt(variance + epsilon) * weight + bias, all f32[n]; the variance is that of the differences
    /// from the mean, over n. Both sums are kept in 16 lanes, as those of rms_norm. y may be x.
    void (*layer_norm)(const float *x, const float *weight, const float *bias, float *y, size_t n, float epsilon);

    /// Applies rotary position embedding in place to the first `rotary_dim` (even) values of each head of x,
    /// f32[heads][head_dim]. cosine and sine are f32[rotary_dim / 2] for the row's position. The pairs are (i, i +
    /// rotary_dim / 2) if `halves`, otherwise (2i, 2i + 1).
    void (*rope)(float *x, size_t heads, size_t head_dim, size_t rotary_dim, const float *cosine, const float *sine,
                 bool halves);

    /// y = silu(gate) * up, f32[n]; y may be gate or up.
    void (*silu_mul)(const float *gate, const float *up, float *y, size_t n);

    /// y = gelu(gate) * up with the tanh form of GELU, f32[n]; y may be gate or up.
    void (*gelu_mul)(const float *gate, const float *up, float *y, size_t n);

    /// y = swish(min(gate, 7)) * (1 + up), f32[n], where swish(x) = x * sigmoid(1.702 x) and up is limited to [-7, 7]; y
    /// may be gate or up.
    void (*clamped_swish_mul)(const float *gate, const float *up, float *y, size_t n);

    /// y = silu(y + bias), f32[n]. bias may be NULL, which means zeros.
    void (*silu)(const float *bias, float *y, size_t n);

    /// y *= sigmoid(gate), f32[n].
    void (*sigmoid_mul)(const float *gate, float *y, size_t n);

    /// y = gelu(y + bias) with the exact form of GELU, by the error function, f32[n]. bias may be NULL, which means zeros.
    void (*gelu_erf)(const float *bias, float *y, size_t n);

    /// y = cap * tanh(y / cap), f32[n], so that |y| stays below cap.
    void (*softcap)(float cap, float *y, size_t n);

    /// *sum = the sum of exp(x - highest) over f32[n], kept in 16 lanes; highest is not below any x.
    void (*exp_sum)(const float *x, float highest, float *sum, size_t n);

    /// y = exp(y * scale + bias - highest), f32[n], where highest is the largest of y * scale + bias, and *sum = their
    /// sum, kept in 16 lanes. bias may be NULL, which means zeros.
    void (*softmax_parts)(const float *bias, float scale, float *y, float *sum, size_t n);

    /// y += x, f32[n]; y may be x.
    void (*add)(const float *x, float *y, size_t n);

    /// y *= x elementwise, f32[n]; y may be x.
    void (*mul)(const float *x, float *y, size_t n);

    /// y *= factor, f32[n].
    void (*scale)(float factor, float *y, size_t n);

    /// Stores the key vector x, f32[head_dim], of one kv head at `position`. `keys` points to that head's panels. In
    /// PARLEY_F16 values are rounded to nearest even, and those too large, including infinities, become +-65504. In
    /// PARLEY_Q8_0 each 32 values, and those that remain, are quantised as `parley_quantize_q8_0` does, except that a scale
    /// is at most 65504, and that NaN is stored as -127.
    void (*store_key)(parley_type type, const float *x, size_t head_dim, void *keys, size_t position);

    /// Stores the value vector x, f32[value_dim], of one kv head at `position`, as store_key does. `values` points to
    /// that head's panels.
    void (*store_value)(parley_type type, const float *x, size_t value_dim, void *values, size_t position);

    /// Computes query rows [row_begin, row_end) and query heads [head_begin, head_end) of the attention `a`. Scores are
    /// f32: q . k as a chain of fma over head_dim in order; softmax over the visible positions, whose sum is kept in 16
    /// lanes (position modulo 16) that are added in a fixed tree; y as a chain of fma over the positions in order,
    /// divided by that sum at the end. In PARLEY_Q8_0, q . k is a chain of fma over the scales, each with the chain of its
    /// columns; and a weight is multiplied by the scale before it is by the values. The result of a row does not depend on which other rows or heads the call
    /// computes. `scratch` is described at `parley_attention_scratch_bytes`.
    void (*attend)(const parley_attention *a, size_t row_begin, size_t row_end, size_t head_begin, size_t head_end,
                   void *scratch);

    /// Causal depthwise convolution over `tokens` rows, for channels [channel_begin, channel_end) of n: y[t][c] = sum
    /// over j of weight[c][j] * x[t + j - (width - 1)][c], where rows t < 0 of x are taken from `state`, f32[width -
    /// 1][n], oldest first. Row t of x and y is f32[n] at t * x_stride and t * y_stride; weight is f32[n][width]. On
    /// return `state` holds the last width - 1 rows of those channels. The products are added with fma from j = 0
    /// upwards. y must not overlap x.
    void (*short_convolution)(const float *x, size_t x_stride, size_t tokens, const float *weight, size_t width,
                              float *state, size_t n, float *y, size_t y_stride, size_t channel_begin,
                              size_t channel_end);

    /// Computes columns [column_begin, column_end) of the linear attention `a`, row after row. In row t, for each column
    /// j, with sums as chains of fma over i from 0 upwards:
    ///     s[i] = state[i][j] * decay[t]
    ///     d = (v[t][j] - sum over i of s[i] * k[t][i]) * rate[t]      or v[t][j] * rate[t], unless `corrects`
    ///     state[i][j] = fma(k[t][i], d, s[i])
    ///     y[t][j] = sum over i of state[i][j] * q[t][i]
    /// Only those columns of the state are read and written, so threads may compute different columns at the same time.
    void (*linear_attention)(const parley_linear_attention *a, size_t column_begin, size_t column_end);
} parley_kernels;

/// The kernels of an instruction set; NULL if this machine or this build does not support it. Valid for ever. Asking for
/// PARLEY_ISA_AMX asks the system to let this process use tiles, and checks a small product.
const parley_kernels *parley_kernels_for(parley_isa isa);

/// The fastest kernels that this machine can run; never NULL.
const parley_kernels *parley_kernels_best(void);

/// Tells the processor that the caller is in a spin-wait loop.
static inline void parley_spin_hint(void) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/// Converts IEEE half precision to single and back, rounding to nearest even; too large numbers become infinity.
float parley_f16_to_f32(uint16_t h);
uint16_t parley_f32_to_f16(float f);

#endif
