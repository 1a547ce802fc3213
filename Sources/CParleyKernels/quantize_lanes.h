// SPDX-License-Identifier: Apache-2.0
//
// The walk over rows and blocks, the end of `quantize_<isa>.c`. That file defines LANES_KERNEL(operation) and
// `quantize_block`, which quantises 32 columns as lane `lane` of a tile `width` wide.

LANES_KERNEL(quantize)(const float *x, size_t x_stride, size_t columns, void *activations, size_t tokens,
                       size_t token_begin, size_t token_end) {
    for (size_t t = token_begin; t < token_end; t++) {
        size_t tile = parley_tile_of_token(tokens, PARLEY_TILE_TOKENS, t);
        size_t begin = parley_tile_begin(tokens, PARLEY_TILE_TOKENS, tile);
        size_t width = parley_tile_begin(tokens, PARLEY_TILE_TOKENS, tile + 1) - begin;
        for (size_t b = 0; b < columns / PARLEY_BLOCK_COLUMNS; b++) {
            parley_activation_block out = parley_activations_at(activations, columns, begin, width, b);
            quantize_block(x + t * x_stride + b * PARLEY_BLOCK_COLUMNS, &out, width, t - begin);
        }
    }
}
