// SPDX-License-Identifier: Apache-2.0
// What Parley needs of llama.cpp's libmtmd to show images to a model.
#ifndef PARLEY_LLAMA_IMAGE_H
#define PARLEY_LLAMA_IMAGE_H

#include "parley_llama.h"

typedef struct parley_llama_projector parley_llama_projector;
typedef struct parley_llama_image parley_llama_image;

/// Loads the projector of a model, which must outlive it; NULL where that fails.
parley_llama_projector *parley_llama_load_projector(
    const char *path, const parley_llama_model *model, int32_t threads, bool uses_gpu);
void parley_llama_free_projector(parley_llama_projector *projector);
bool parley_llama_projector_sees(const parley_llama_projector *projector);

/// Reads a JPEG or PNG file and cuts it as the model wants it; NULL where it is none. From any thread.
parley_llama_image *parley_llama_read_image(
    const parley_llama_projector *projector, const uint8_t *bytes, size_t length);
void parley_llama_free_image(parley_llama_image *image);

/// How many parts an image has: runs of control tokens, and pieces of the image.
size_t parley_llama_image_parts(const parley_llama_image *image);
/// The control tokens of a part; NULL for a piece of the image.
const int32_t *parley_llama_part_tokens(const parley_llama_image *image, size_t part);
/// How many rows of the cache a part takes.
size_t parley_llama_part_count(const parley_llama_image *image, size_t part);
/// By how many positions the sequence is longer after a part, which some models let differ from its rows.
int32_t parley_llama_part_positions(const parley_llama_image *image, size_t part);

/// Runs a piece of an image at a position of a sequence; the image may be shown again.
parley_llama_outcome parley_llama_run_part(
    parley_llama_projector *projector, parley_llama_context *context, const parley_llama_image *image, size_t part,
    int32_t position, int32_t sequence, int32_t rows);

#endif
