// SPDX-License-Identifier: Apache-2.0
// What Parley needs of llama.cpp, in types of its own: llama.cpp's headers are read by parley_llama.c alone, and only
// when the package trait LlamaCpp is set.
#ifndef PARLEY_LLAMA_H
#define PARLEY_LLAMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct parley_llama_model parley_llama_model;
typedef struct parley_llama_context parley_llama_context;

/// The most rows of a batch.
enum { PARLEY_LLAMA_ROWS = 256 };

/// A function of llama.cpp that the library in this process lacks; NULL where it has all.
const char *parley_llama_missing_symbol(void);

/// A structure whose layout in the library differs from the headers that this was compiled with; NULL where none does.
const char *parley_llama_foreign_structure(void);

/// The library's version; NULL where it does not say.
const char *parley_llama_version(void);

/// Prepares the library; to be called once, before anything below.
void parley_llama_start(void);

/// Forgets what the library reported to the calling thread.
void parley_llama_clear_log(void);

/// The last warnings and errors that the library reported to the calling thread, in lines.
const char *parley_llama_log(void);

/// Loads a model; NULL where that fails. `is_locked` keeps its weights from being swapped out, as far as the system lets
/// it. `progress` is given the fraction and returns whether to go on.
parley_llama_model *parley_llama_load(
    const char *path, int32_t gpu_layers, bool is_locked, bool (*progress)(float fraction, void *user), void *user);
void parley_llama_free_model(parley_llama_model *model);

int32_t parley_llama_vocabulary_size(const parley_llama_model *model);
int32_t parley_llama_trained_context(const parley_llama_model *model);
uint64_t parley_llama_parameter_count(const parley_llama_model *model);
/// Whether the model writes text token by token: it has a decoder and no encoder, and is no diffusion model.
bool parley_llama_is_generative(const parley_llama_model *model);
/// Whether some of what a sequence holds cannot be cut at any position.
bool parley_llama_is_recurrent(const parley_llama_model *model);
bool parley_llama_supports_gpu(void);

/// Creates a context for `sequences` sequences of `length` tokens each, which runs at most `rows` rows together; NULL
/// where that fails.
///
/// `abort` is read while a batch runs: a value other than 0 ends it.
parley_llama_context *parley_llama_make_context(
    parley_llama_model *model, uint32_t length, uint32_t sequences, int32_t threads, uint32_t rows,
    const uint8_t *abort);
void parley_llama_free_context(parley_llama_context *context);

/// Sets what `abort` of a context points to; from any thread.
void parley_llama_set_abort(uint8_t *abort, bool value);

/// Forgets the positions of a sequence from `position` on; false where it cannot be cut there.
bool parley_llama_cut(parley_llama_context *context, int32_t sequence, int32_t position);

/// How a batch ended.
typedef enum {
    PARLEY_LLAMA_DONE,
    /// No room in the cache.
    PARLEY_LLAMA_FULL,
    /// Ended through `abort`; the rows may have been run in part.
    PARLEY_LLAMA_ABORTED,
    PARLEY_LLAMA_FAILED,
} parley_llama_outcome;

/// Runs `count` rows, at most PARLEY_LLAMA_ROWS, each a token at a position of a sequence; `wanted` marks those whose
/// logits are kept until the next batch.
parley_llama_outcome parley_llama_run(
    parley_llama_context *context, int32_t count, const int32_t *tokens, const int32_t *positions,
    const int32_t *sequences, const int8_t *wanted);

/// The logits of a wanted row of the last batch, as many as the vocabulary has tokens; NULL where there are none.
const float *parley_llama_logits(parley_llama_context *context, int32_t row);

#endif
