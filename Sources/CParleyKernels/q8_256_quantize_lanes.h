// SPDX-License-Identifier: Apache-2.0
//
// The walk over groups and rows, the end of `q8_256_<isa>.c`. That file defines LANES_KERNEL(operation) and
// `quantize_group`, which quantises the `count` columns of a group to `width` numbers and stores their scale and start. The
// sizes are constants where a group is whole.

LANES_KERNEL(quantize_q8_256)(const float *x, size_t x_stride, size_t columns, void *activations, size_t tokens,
                              size_t token_begin, size_t token_end) {
    for (size_t g = 0; g < parley_group_count(columns); g++) {
        const parley_activation_group out = parley_activation_group_at(activations, tokens, columns, g);
        const size_t count = parley_group_columns(columns, g);
        for (size_t t = token_begin; t < token_end; t++) {
            const float *from = x + t * x_stride + g * PARLEY_GROUP_COLUMNS;
            int8_t *q = out.q + t * out.width;
            if (count == PARLEY_GROUP_COLUMNS) {
                quantize_group(from, PARLEY_GROUP_COLUMNS, PARLEY_GROUP_COLUMNS, q, out.scale + t, out.start + t);
            } else {
                quantize_group(from, count, out.width, q, out.scale + t, out.start + t);
            }
        }
    }
}
