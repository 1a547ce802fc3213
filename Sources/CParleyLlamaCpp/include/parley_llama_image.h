// SPDX-License-Identifier: Apache-2.0
// What Parley needs of llama.cpp's libmtmd to show images to a model.
#ifndef PARLEY_LLAMA_IMAGE_H
#define PARLEY_LLAMA_IMAGE_H

#include "parley_llama.h"

typedef struct parley_llama_projector parley_llama_projector;
typedef struct parley_llama_image parley_llama_image;

/// Loads the projector of a model; NULL on failure. The model must outlive the projector.
parley_llama_projector *parley_llama_load_projector(
    const char *path, const parley_llama_model *model, int32_t threads, bool uses_gpu);
void parley_llama_free_projector(parley_llama_projector *projector);
bool parley_llama_projector_sees(const parley_llama_projector *projector);

/// Decodes a JPEG or PNG file and divides it as the model expects; NULL if it is not an image. May be called on any
/// thread.
parley_llama_image *parley_llama_read_image(
    const parley_llama_projector *projector, const uint8_t *bytes, size_t length);
void parley_llama_free_image(parley_llama_image *image);

/// The number of parts of an image; a part is a run of control tokens or a piece of the image.
size_t parley_llama_image_parts(const parley_llama_image *image);
/// The control tokens of a part; NULL if the part is a piece of the image.
const int32_t *parley_llama_part_tokens(const parley_llama_image *image, size_t part);
/// The number of cache rows that a part takes.
size_t parley_llama_part_count(const parley_llama_image *image, size_t part);
/// The number of positions by which a part lengthens the sequence; in some models it differs from the number of rows.
int32_t parley_llama_part_positions(const parley_llama_image *image, size_t part);

/// Runs a piece of an image at a position of a sequence; an image may be run repeatedly.
parley_llama_outcome parley_llama_run_part(
    parley_llama_projector *projector, parley_llama_context *context, const parley_llama_image *image, size_t part,
    int32_t position, int32_t sequence, int32_t rows);

#endif
