// SPDX-License-Identifier: Apache-2.0
#include "parley_llama.h"

#ifdef PARLEY_LLAMA_CPP

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <llama.h>
#include <mtmd-helper.h>
#include <string.h>

// Compilation requires recent headers. At run time, the next two functions detect a library that does not match them.

const char *parley_llama_missing_symbol(void) {
    static const char *const names[] = {
        "llama_backend_init", "llama_log_set", "llama_model_default_params", "llama_context_default_params",
        "llama_model_load_from_file", "llama_model_free", "llama_init_from_model", "llama_free", "llama_decode",
        "llama_get_logits_ith", "llama_get_memory", "llama_memory_seq_rm", "llama_model_get_vocab",
        "llama_vocab_n_tokens", "llama_model_n_ctx_train", "llama_model_n_params", "llama_model_has_encoder",
        "llama_model_has_decoder", "llama_model_is_recurrent", "llama_model_is_hybrid", "llama_model_is_diffusion",
        "llama_supports_gpu_offload", "mtmd_context_params_default", "mtmd_init_from_file", "mtmd_free",
        "mtmd_support_vision", "mtmd_get_marker", "mtmd_tokenize", "mtmd_bitmap_free", "mtmd_bitmap_is_audio",
        "mtmd_input_chunks_init", "mtmd_input_chunks_free", "mtmd_input_chunks_size", "mtmd_input_chunks_get",
        "mtmd_input_chunk_get_type", "mtmd_input_chunk_get_tokens_text", "mtmd_input_chunk_get_n_tokens",
        "mtmd_input_chunk_get_n_pos", "mtmd_helper_init_opt_default", "mtmd_helper_bitmap_init_from_buf",
        "mtmd_helper_eval_chunk_single", "mtmd_helper_log_set",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (!dlsym(RTLD_DEFAULT, names[i])) return names[i];
    }
    return NULL;
}

// Leaves room after each structure, because the library's version of it may be larger than that in the headers.
typedef struct { struct llama_model_params value; unsigned char more[512]; } roomy_model_params;
typedef struct { struct llama_context_params value; unsigned char more[512]; } roomy_context_params;
typedef struct { struct mtmd_context_params value; unsigned char more[512]; } roomy_projector_params;

const char *parley_llama_foreign_structure(void) {
    // A structure of this size is returned through a pointer provided by the caller, so a larger type only provides
    // more room. Fields with known default values show whether the layout matches the headers.
    roomy_model_params (*model_defaults)(void) =
        (roomy_model_params (*)(void))dlsym(RTLD_DEFAULT, "llama_model_default_params");
    roomy_context_params (*context_defaults)(void) =
        (roomy_context_params (*)(void))dlsym(RTLD_DEFAULT, "llama_context_default_params");
    roomy_projector_params (*projector_defaults)(void) =
        (roomy_projector_params (*)(void))dlsym(RTLD_DEFAULT, "mtmd_context_params_default");
    if (!model_defaults || !context_defaults || !projector_defaults) return "llama_context_params";
    struct llama_model_params model = model_defaults().value;
    if (model.tensor_split || model.progress_callback || model.kv_overrides || model.vocab_only ||
        model.check_tensors || !model.use_extra_bufts) {
        return "llama_model_params";
    }
    struct llama_context_params context = context_defaults().value;
    if (context.n_ctx != 512 || context.n_seq_max != 1 || context.n_batch < context.n_ubatch ||
        context.rope_scaling_type != LLAMA_ROPE_SCALING_TYPE_UNSPECIFIED || context.yarn_ext_factor != -1 ||
        context.cb_eval || context.type_k != GGML_TYPE_F16 || context.type_v != GGML_TYPE_F16 ||
        context.abort_callback || context.embeddings || !context.offload_kqv || !context.no_perf) {
        return "llama_context_params";
    }
    struct mtmd_context_params projector = projector_defaults().value;
    if (!projector.use_gpu || projector.n_threads < 1 || projector.n_threads > 1024 || !projector.media_marker ||
        !projector.warmup || projector.cb_eval || projector.cb_eval_user_data) {
        return "mtmd_context_params";
    }
    return NULL;
}

const char *parley_llama_version(void) {
    const char *(*version)(void) = (const char *(*)(void))dlsym(RTLD_DEFAULT, "llama_version");
    return version ? version() : NULL;
}

// The latest messages matter most: when the buffer is full, the older half is discarded.
static _Thread_local struct {
    size_t length;
    bool is_kept;
    char text[4096];
} report;

static void keep_report(enum ggml_log_level level, const char *text, void *user) {
    (void)user;
    if (level != GGML_LOG_LEVEL_CONT) report.is_kept = level >= GGML_LOG_LEVEL_WARN;
    if (!report.is_kept) return;
    const size_t half = sizeof report.text / 2;
    size_t length = strlen(text);
    if (length > half - 1) length = half - 1;
    if (report.length + length >= sizeof report.text) {
        memmove(report.text, report.text + report.length - half, half);
        report.length = half;
    }
    memcpy(report.text + report.length, text, length);
    report.length += length;
    report.text[report.length] = 0;
}

void parley_llama_start(void) {
    llama_log_set(keep_report, NULL);
    mtmd_helper_log_set(keep_report, NULL);
    llama_backend_init();
}

void parley_llama_clear_log(void) {
    report.length = 0;
    report.text[0] = 0;
}

const char *parley_llama_log(void) { return report.text; }

static struct llama_model *model_of(const parley_llama_model *model) { return (struct llama_model *)model; }
static struct llama_context *context_of(parley_llama_context *context) { return (struct llama_context *)context; }

parley_llama_model *parley_llama_load(
    const char *path, int32_t gpu_layers, bool is_locked, bool (*progress)(float fraction, void *user), void *user) {
    struct llama_model_params parameters = llama_model_default_params();
    if (gpu_layers >= 0) parameters.n_gpu_layers = gpu_layers;
    if (is_locked) parameters.load_mode = LLAMA_LOAD_MODE_MMAP_MLOCK;
    parameters.progress_callback = progress;
    parameters.progress_callback_user_data = user;
    return (parley_llama_model *)llama_model_load_from_file(path, parameters);
}

void parley_llama_free_model(parley_llama_model *model) { llama_model_free(model_of(model)); }

int32_t parley_llama_vocabulary_size(const parley_llama_model *model) {
    return llama_vocab_n_tokens(llama_model_get_vocab(model_of(model)));
}

int32_t parley_llama_trained_context(const parley_llama_model *model) {
    return llama_model_n_ctx_train(model_of(model));
}

uint64_t parley_llama_parameter_count(const parley_llama_model *model) { return llama_model_n_params(model_of(model)); }

bool parley_llama_is_generative(const parley_llama_model *model) {
    const struct llama_model *found = model_of(model);
    return llama_model_has_decoder(found) && !llama_model_has_encoder(found) && !llama_model_is_diffusion(found);
}

bool parley_llama_is_recurrent(const parley_llama_model *model) {
    return llama_model_is_recurrent(model_of(model)) || llama_model_is_hybrid(model_of(model));
}

bool parley_llama_supports_gpu(void) { return llama_supports_gpu_offload(); }

static bool is_aborted(void *abort) { return __atomic_load_n((const uint8_t *)abort, __ATOMIC_RELAXED) != 0; }

void parley_llama_set_abort(uint8_t *abort, bool value) { __atomic_store_n(abort, value, __ATOMIC_RELAXED); }

parley_llama_context *parley_llama_make_context(
    parley_llama_model *model, uint32_t length, uint32_t sequences, int32_t threads, uint32_t rows,
    const uint8_t *abort) {
    struct llama_context_params parameters = llama_context_default_params();
    parameters.n_ctx = length * sequences;
    parameters.n_seq_max = sequences;
    parameters.n_batch = rows;
    parameters.n_ubatch = rows;
    // Otherwise room is made for the logits of as many rows as an image may have, which have none.
    parameters.n_outputs_max = PARLEY_LLAMA_ROWS;
    parameters.n_threads = threads;
    parameters.n_threads_batch = threads;
    parameters.abort_callback = is_aborted;
    parameters.abort_callback_data = (void *)abort;
    return (parley_llama_context *)llama_init_from_model(model_of(model), parameters);
}

void parley_llama_free_context(parley_llama_context *context) { llama_free(context_of(context)); }

bool parley_llama_remembers(const parley_llama_context *context) {
    return llama_get_memory((const struct llama_context *)context) != NULL;
}

bool parley_llama_cut(parley_llama_context *context, int32_t sequence, int32_t position) {
    return llama_memory_seq_rm(llama_get_memory(context_of(context)), sequence, position, -1);
}

parley_llama_outcome parley_llama_run(
    parley_llama_context *context, int32_t count, const int32_t *tokens, const int32_t *positions,
    const int32_t *sequences, const int8_t *wanted) {
    int32_t counts[PARLEY_LLAMA_ROWS];
    llama_seq_id *lists[PARLEY_LLAMA_ROWS];
    if (count < 1 || count > PARLEY_LLAMA_ROWS) return PARLEY_LLAMA_FAILED;
    for (int32_t row = 0; row < count; row++) {
        counts[row] = 1;
        lists[row] = (llama_seq_id *)&sequences[row];
    }
    struct llama_batch batch = {
        .n_tokens = count, .token = (llama_token *)tokens, .pos = (llama_pos *)positions, .n_seq_id = counts,
        .seq_id = lists, .logits = (int8_t *)wanted,
    };
    switch (llama_decode(context_of(context), batch)) {
    case 0: return PARLEY_LLAMA_DONE;
    case 1: return PARLEY_LLAMA_FULL;
    case 2: return PARLEY_LLAMA_ABORTED;
    default: return PARLEY_LLAMA_FAILED;
    }
}

const float *parley_llama_logits(parley_llama_context *context, int32_t row) {
    return llama_get_logits_ith(context_of(context), row);
}

#endif
