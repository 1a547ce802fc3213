// SPDX-License-Identifier: Apache-2.0
#include "parley_llama_image.h"

#ifdef PARLEY_LLAMA_CPP

#include <mtmd-helper.h>
#include <mtmd.h>

static const mtmd_input_chunk *chunk(const parley_llama_image *image, size_t part) {
    return mtmd_input_chunks_get((const mtmd_input_chunks *)image, part);
}

parley_llama_projector *parley_llama_load_projector(
    const char *path, const parley_llama_model *model, int32_t threads, bool uses_gpu) {
    struct mtmd_context_params parameters = mtmd_context_params_default();
    parameters.use_gpu = uses_gpu;
    parameters.print_timings = false;
    parameters.n_threads = threads;
    parameters.warmup = false;
    return (parley_llama_projector *)mtmd_init_from_file(path, (const struct llama_model *)model, parameters);
}

void parley_llama_free_projector(parley_llama_projector *projector) { mtmd_free((mtmd_context *)projector); }

bool parley_llama_projector_sees(const parley_llama_projector *projector) {
    return mtmd_support_vision((const mtmd_context *)projector);
}

parley_llama_image *parley_llama_read_image(
    const parley_llama_projector *projector, const uint8_t *bytes, size_t length) {
    const mtmd_context *context = (const mtmd_context *)projector;
    struct mtmd_helper_bitmap_wrapper read =
        mtmd_helper_bitmap_init_from_buf(context, bytes, length, false, mtmd_helper_init_opt_default());
    if (!read.bitmap) return NULL;
    const mtmd_bitmap *bitmaps[] = {read.bitmap};
    const char *marker = mtmd_get_marker(context);
    size_t marker_length = 0;
    while (marker[marker_length]) marker_length++;
    const mtmd_input_text text = {.text = marker, .text_len = marker_length, .add_special = false, .parse_special = true};
    mtmd_input_chunks *chunks = mtmd_input_chunks_init();
    const bool is_sound = mtmd_bitmap_is_audio(read.bitmap);
    const int32_t outcome = is_sound ? -1 : mtmd_tokenize(context, chunks, &text, bitmaps, 1);
    mtmd_bitmap_free(read.bitmap);
    if (outcome == 0) return (parley_llama_image *)chunks;
    mtmd_input_chunks_free(chunks);
    return NULL;
}

void parley_llama_free_image(parley_llama_image *image) { mtmd_input_chunks_free((mtmd_input_chunks *)image); }

size_t parley_llama_image_parts(const parley_llama_image *image) {
    return mtmd_input_chunks_size((const mtmd_input_chunks *)image);
}

const int32_t *parley_llama_part_tokens(const parley_llama_image *image, size_t part) {
    if (mtmd_input_chunk_get_type(chunk(image, part)) != MTMD_INPUT_CHUNK_TYPE_TEXT) return NULL;
    size_t count = 0;
    return mtmd_input_chunk_get_tokens_text(chunk(image, part), &count);
}

size_t parley_llama_part_count(const parley_llama_image *image, size_t part) {
    return mtmd_input_chunk_get_n_tokens(chunk(image, part));
}

int32_t parley_llama_part_positions(const parley_llama_image *image, size_t part) {
    return mtmd_input_chunk_get_n_pos(chunk(image, part));
}

parley_llama_outcome parley_llama_run_part(
    parley_llama_projector *projector, parley_llama_context *context, const parley_llama_image *image, size_t part,
    int32_t position, int32_t sequence, int32_t rows) {
    llama_pos reached = position;
    const int32_t outcome = mtmd_helper_eval_chunk_single(
        (mtmd_context *)projector, (struct llama_context *)context, chunk(image, part), position, sequence, rows, false,
        &reached);
    switch (outcome) {
    case 0: return PARLEY_LLAMA_DONE;
    case 1: return PARLEY_LLAMA_FULL;
    case 2: return PARLEY_LLAMA_ABORTED;
    default: return PARLEY_LLAMA_FAILED;
    }
}

#endif
