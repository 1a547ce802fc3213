// SPDX-License-Identifier: Apache-2.0
//
// The steps of `parley_matmul_chunks`, included at the end of `matmul_chunks_<isa>.c`. That file defines
// `tile_product`, which adds a chunk to a tile of `width` tokens. If it unpacks weights to a layout of its own, it also
// defines `unpack_block`, which unpacks one block, and LANES_UNPACKED_BYTES(kind), the size of the result. If
// `tile_product` needs to know more than the kind of a quantised type, it also defines LANES_FORM, the type of that,
// and after the inclusion the functions `product` and LANES_CHUNKS. If its tiles are wider than six tokens it defines
// LANES_TILE_TOKENS; `width` is then not a constant.

#pragma STDC FP_CONTRACT OFF

#ifndef LANES_UNPACKED_BYTES
#define LANES_UNPACKED_BYTES(kind) PARLEY_UNPACKED_BYTES

/// Unpacks block `s` of a unit to the layout of `matmul_chunks.h`.
LANES_INLINE void unpack_block(parley_type type, const uint8_t *unit, size_t s, uint8_t *out) {
    const parley_unit_layout layout = parley_unit(type);
    const uint8_t *planes = unit + layout.planes + s * layout.plane_bytes;
    UNROLL for (size_t i = 0; i < 8 * LANES_PARTS; i++) {
        const weight_bytes q = unpack_columns(type, planes, i / LANES_PARTS, i % LANES_PARTS);
        __builtin_memcpy(out + 4 * LANES_ROWS * i, &q, sizeof q);
    }
    unpack_factors(type, unit, s, out + PARLEY_UNPACKED_SCALES);
}

#endif

LANES_INLINE void unpack_blocks(parley_type type, const uint8_t *panel, size_t begin, size_t end, uint8_t *out,
                                size_t stride) {
    const parley_unit_layout layout = parley_unit(type);
    const size_t unit_blocks = layout.columns / PARLEY_BLOCK_COLUMNS;
    const uint8_t *unit = panel + begin / unit_blocks * layout.bytes;
    for (size_t block = begin; block < end; unit += layout.bytes) {
        for (size_t s = 0; s < unit_blocks; s++, block++, out += stride) unpack_block(type, unit, s, out);
    }
}

#define UNPACK_BLOCKS(type)                                                                                            \
    case type: unpack_blocks(type, panel, begin, end, out, stride); break;

LANES_TARGET static void unpack(parley_type type, const uint8_t *panel, size_t begin, size_t end, uint8_t *out,
                                size_t stride) {
    switch (type) {
        FOR_QUANTISED_TYPES(UNPACK_BLOCKS)
        default: break;
    }
}

#ifndef LANES_FORM
#define LANES_FORM parley_block_kind
#define LANES_BY_KIND
#endif

#ifdef LANES_TILE_TOKENS

LANES_INLINE void widths(LANES_FORM form, parley_chunk *c, size_t tile_begin, size_t width) {
    tile_product(form, width, c, tile_begin);
}

#else

#define LANES_TILE_TOKENS PARLEY_TILE_TOKENS

/// Calls tile_product with a constant width. Tiles have three to six tokens here, because fewer tokens take another
/// path.
LANES_INLINE void widths(LANES_FORM form, parley_chunk *c, size_t tile_begin, size_t width) {
    switch (width) {
        case 3: tile_product(form, 3, c, tile_begin); break;
        case 4: tile_product(form, 4, c, tile_begin); break;
        case 5: tile_product(form, 5, c, tile_begin); break;
        case 6: tile_product(form, 6, c, tile_begin); break;
        default: break;
    }
}

#endif

#ifdef LANES_BY_KIND

LANES_TARGET static void product(parley_chunk *c, size_t tile_begin, size_t width) {
    const parley_block_kind kind = parley_kind(c->type);
    if (kind.halves && kind.has_minimum) {
        widths((parley_block_kind){true, true}, c, tile_begin, width);
    } else if (kind.halves) {
        widths((parley_block_kind){true, false}, c, tile_begin, width);
    } else if (kind.has_minimum) {
        widths((parley_block_kind){false, true}, c, tile_begin, width);
    } else {
        widths((parley_block_kind){false, false}, c, tile_begin, width);
    }
}

void LANES_CHUNKS(const parley_matrix *w, const void *activations, size_t tokens, float *y, size_t y_stride,
                  size_t panel_begin, size_t panel_end, void *scratch) {
    const parley_matmul_steps steps = {LANES_UNPACKED_BYTES(parley_kind(w->type)), LANES_TILE_TOKENS, unpack, product};
    parley_matmul_chunks(&steps, w, activations, tokens, y, y_stride, panel_begin, panel_end, scratch);
}

#endif
