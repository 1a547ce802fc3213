// SPDX-License-Identifier: Apache-2.0
// What Parley needs of ExecuTorch, in C types. ExecuTorch has an interface in C++ alone, which is read by
// library/parley_executorch.cpp. That file is compiled into a library of its own by scripts/install-executorch, and opened
// at run time: so neither the build of Parley nor a program without the library needs ExecuTorch.
#ifndef PARLEY_EXECUTORCH_H
#define PARLEY_EXECUTORCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The version of this file, which grows with every change.
enum { PARLEY_EXECUTORCH_INTERFACE = 1 };

typedef struct parley_executorch_program parley_executorch_program;
typedef struct parley_executorch_cache parley_executorch_cache;

/// What a program says of itself. All sizes have been checked: they are at least 1, and no product of two overflows.
typedef struct {
    /// How many positions a sequence has.
    int64_t context;
    /// The number of logits in a row.
    int64_t vocabulary;
    /// The most tokens of one call of the program.
    int64_t most_tokens;
    /// The memory that the program plans for a sequence with its step, in bytes.
    int64_t planned_bytes;
} parley_executorch_description;

/// The functions of the library. Those that can fail return NULL or false; `error` then says why, until the next call on
/// the same thread. A program and its caches must not be used by two threads at once, but for `interrupt`.
typedef struct {
    /// PARLEY_EXECUTORCH_INTERFACE of the time when the library was compiled.
    int32_t interface;
    /// The version of ExecuTorch with which the library was compiled.
    const char *version;
    const char *(*error)(void);

    /// Opens a file and checks that its method `forward` turns tokens and a position into logits.
    parley_executorch_program *(*open)(const char *file, parley_executorch_description *description);
    void (*close)(parley_executorch_program *program);

    /// Creates an empty sequence, with all memory that the program plans. The program must live longer.
    parley_executorch_cache *(*make_cache)(parley_executorch_program *program);
    void (*free_cache)(parley_executorch_cache *cache);

    /// Runs tokens from a position on; what the sequence had from there on is overwritten. The logits of the last `wanted`
    /// of them are kept until the next call, or of the last alone, if the program computes no others. False if it failed
    /// or was interrupted.
    bool (*run)(parley_executorch_cache *cache, const int32_t *tokens, int64_t count, int64_t position, int64_t wanted);
    /// The logits of the last run, one row after the other, and how many rows there are.
    const float *(*logits)(const parley_executorch_cache *cache, int64_t *rows);
    /// Ends the step that runs, or lets steps run again; may be called on any thread.
    void (*interrupt)(parley_executorch_cache *cache, bool is_interrupted);
} parley_executorch_functions;

/// The only symbol of the library: `const parley_executorch_functions *parley_executorch_interface(void)`, which returns
/// NULL if the library cannot be used.
#define PARLEY_EXECUTORCH_SYMBOL "parley_executorch_interface"

#ifdef __cplusplus
}
#endif

#endif
