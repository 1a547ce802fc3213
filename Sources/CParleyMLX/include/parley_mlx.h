// SPDX-License-Identifier: Apache-2.0
// What Parley needs of MLX, in C types. MLX has an interface in C++ alone, which is read by library/parley_mlx.cpp. That
// file is compiled into a library of its own by scripts/install-mlx, and opened at run time: so neither the build of
// Parley nor a program without the library needs MLX.
#ifndef PARLEY_MLX_H
#define PARLEY_MLX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The version of this file, which grows with every change.
enum { PARLEY_MLX_INTERFACE = 1 };

typedef struct parley_mlx_model parley_mlx_model;
typedef struct parley_mlx_cache parley_mlx_cache;

/// The rotary embedding of a layer.
typedef struct {
    float base;
    /// What positions are multiplied by.
    float scale;
    /// The wavelengths of the pairs divided by 2 π, instead of the base; NULL for none.
    const float *periods;
} parley_mlx_rotation;

/// The sizes of a network and the constants in its formulas. All have been checked against the files.
typedef struct {
    int32_t layers, width, heads, key_value_heads, head_width, feed_forward, vocabulary, rotated;
    float epsilon, query_scale, embedding_scale;
    /// Whether the feed-forward network has the tanh form of GELU instead of SiLU.
    bool is_gelu;
    parley_mlx_rotation rotation;
    /// How many positions a layer with a window sees, and the rotary embedding of such layers.
    int32_t window;
    parley_mlx_rotation window_rotation;
    /// Nonzero for layers with a window; NULL if there are none.
    const uint8_t *windowed;
} parley_mlx_shape;

/// A tensor: its name in the files, and the one that it has in GGUF files. Weights in groups have bits and a group size,
/// and their scales and offsets beside them, called by `.scales` and `.biases` in place of `.weight`.
typedef struct {
    const char *stored, *name;
    int32_t group_size, bits;
    /// What is added to each value.
    float addend;
} parley_mlx_tensor;

/// The functions of the library. Those that can fail return NULL or false; `error` then says why, until the next call on
/// the same thread. A model and its caches must not be used by two threads at once, but for `interrupt`.
typedef struct {
    /// PARLEY_MLX_INTERFACE of the time when the library was compiled.
    int32_t interface;
    /// The version of MLX with which the library was compiled, such as 32004 for 0.32.4.
    int32_t compiled;
    /// The version of MLX that is loaded.
    const char *(*version)(void);
    const char *(*error)(void);

    /// Loads the tensors of files. `progress` receives the completed fraction, and returns whether to continue.
    parley_mlx_model *(*load)(
        const char *const *files, size_t file_count, const parley_mlx_tensor *tensors, size_t tensor_count,
        const parley_mlx_shape *shape, bool (*progress)(float fraction, void *user), void *user);
    void (*free_model)(parley_mlx_model *model);

    /// Creates an empty cache of at most `capacity` positions, whose memory grows as it is filled. The model must live
    /// longer.
    parley_mlx_cache *(*make_cache)(parley_mlx_model *model, int32_t capacity);
    void (*free_cache)(parley_mlx_cache *cache);

    /// Runs tokens after those that are there. The logits of the last `wanted` of them are kept until the next call.
    /// False if it failed or was interrupted; an interrupted cache has what it had before.
    bool (*run)(parley_mlx_cache *cache, const int32_t *tokens, int32_t count, int32_t wanted);
    /// The logits of the last run, one row after the other; NULL if none were wanted.
    const float *(*logits)(const parley_mlx_cache *cache);
    /// Removes everything from a position on. False if that is not possible, because a step has failed.
    bool (*rewind)(parley_mlx_cache *cache, int32_t position);
    /// Ends the step that runs, or lets steps run again; may be called on any thread.
    void (*interrupt)(parley_mlx_cache *cache, bool is_interrupted);
} parley_mlx_functions;

/// The only symbol of the library: `const parley_mlx_functions *parley_mlx_interface(void)`.
#define PARLEY_MLX_SYMBOL "parley_mlx_interface"

#ifdef __cplusplus
}
#endif

#endif
