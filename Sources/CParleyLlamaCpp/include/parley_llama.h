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

/// The maximum number of rows in a batch.
enum { PARLEY_LLAMA_ROWS = 256 };

/// The name of a required llama.cpp function that the loaded library lacks; NULL if it has all of them.
const char *parley_llama_missing_symbol(void);

/// The name of a structure whose layout in the library differs from the headers used for compilation; NULL if none
/// does.
const char *parley_llama_foreign_structure(void);

/// The version of the library; NULL if it does not state one.
const char *parley_llama_version(void);

/// Initialises the library; must be called once, before any function below.
void parley_llama_start(void);

/// Clears the messages that the library has reported to the calling thread.
void parley_llama_clear_log(void);

/// The last warnings and errors that the library has reported to the calling thread, one per line.
const char *parley_llama_log(void);

/// Loads a model; NULL on failure. `is_locked` locks the weights in memory, as far as the system allows it. `progress`
/// receives the completed fraction, and returns whether to continue.
parley_llama_model *parley_llama_load(
    const char *path, int32_t gpu_layers, bool is_locked, bool (*progress)(float fraction, void *user), void *user);
void parley_llama_free_model(parley_llama_model *model);

int32_t parley_llama_vocabulary_size(const parley_llama_model *model);
int32_t parley_llama_trained_context(const parley_llama_model *model);
uint64_t parley_llama_parameter_count(const parley_llama_model *model);
/// Whether the model generates text token by token: it has a decoder but no encoder, and is not a diffusion model.
bool parley_llama_is_generative(const parley_llama_model *model);
/// Whether the model has recurrent layers, so that positions cannot be removed from an arbitrary position on.
bool parley_llama_is_recurrent(const parley_llama_model *model);
bool parley_llama_supports_gpu(void);

/// Creates a context for `sequences` sequences of `length` tokens each, which runs at most `rows` rows together; NULL
/// on failure.
///
/// `abort` is read while a batch runs; a value other than 0 aborts the batch.
parley_llama_context *parley_llama_make_context(
    parley_llama_model *model, uint32_t length, uint32_t sequences, int32_t threads, uint32_t rows,
    const uint8_t *abort);
void parley_llama_free_context(parley_llama_context *context);

/// Whether the model keeps what it has read; encoders do not, and their logits have no values.
bool parley_llama_remembers(const parley_llama_context *context);

/// Sets the flag that was passed to a context as `abort`; may be called on any thread.
void parley_llama_set_abort(uint8_t *abort, bool value);

/// Removes the positions of a sequence from `position` on; false if that is not possible.
bool parley_llama_cut(parley_llama_context *context, int32_t sequence, int32_t position);

/// The outcome of a batch.
typedef enum {
    PARLEY_LLAMA_DONE,
    /// There is no room in the cache.
    PARLEY_LLAMA_FULL,
    /// The batch was aborted; some of the rows may have been run.
    PARLEY_LLAMA_ABORTED,
    PARLEY_LLAMA_FAILED,
} parley_llama_outcome;

/// Runs `count` rows, at most PARLEY_LLAMA_ROWS, each of which is a token at a position of a sequence. `wanted` is
/// nonzero for rows whose logits are needed; these are kept until the next batch.
parley_llama_outcome parley_llama_run(
    parley_llama_context *context, int32_t count, const int32_t *tokens, const int32_t *positions,
    const int32_t *sequences, const int8_t *wanted);

/// The logits of a wanted row of the last batch, one for each token of the vocabulary; NULL if there are none.
const float *parley_llama_logits(parley_llama_context *context, int32_t row);

#endif
