// SPDX-License-Identifier: Apache-2.0
//
// Packs row-major GGUF tensors into panels of 16 rows.

#include <string.h>

#include "panel_layout.h"
#include "q8_256_layout.h"

/// The size in bytes of one number of a float type; 0 for quantised types.
static size_t float_bytes(parley_type type) {
    switch (type) {
        case PARLEY_F32: return 4;
        case PARLEY_F16:
        case PARLEY_BF16: return 2;
        default: return 0;
    }
}

bool parley_type_is_quantized(parley_type type) { return parley_unit(type).columns != 0; }

size_t parley_panel_bytes(parley_type type, size_t columns) {
    parley_unit_layout layout = parley_unit(type);
    size_t bytes;
    if (type == PARLEY_Q8_256) {
        if (columns == 0 || __builtin_mul_overflow(columns / PARLEY_GROUP_COLUMNS, PARLEY_PANEL_GROUP_BYTES, &bytes)) {
            return 0;
        }
        const size_t rest = columns % PARLEY_GROUP_COLUMNS;
        const size_t narrow = PARLEY_PANEL_ROWS * (parley_group_width(rest, 0) + sizeof(float));
        if (rest && __builtin_add_overflow(bytes, narrow, &bytes)) return 0;
    } else if (layout.columns) {
        size_t units = columns / layout.columns;
        if (columns % layout.columns || __builtin_mul_overflow(units, layout.bytes, &bytes)) return 0;
    } else if (__builtin_mul_overflow(columns, PARLEY_PANEL_ROWS * float_bytes(type), &bytes)) {
        return 0;
    }
    return bytes <= SIZE_MAX - 63 ? (bytes + 63) / 64 * 64 : 0;
}

size_t parley_row_bytes(parley_type type, size_t columns) {
    parley_unit_layout layout = parley_unit(type);
    if (parley_panel_bytes(type, columns) == 0) return 0;
    return layout.columns ? columns / layout.columns * layout.source_bytes : columns * float_bytes(type);
}

/// Transposes [row][column] to [column][16], one block of columns at a time, so that the output stays in the
/// first-level cache.
static void pack_floats(size_t size, const uint8_t *source, size_t rows, size_t columns, uint8_t *panel) {
    for (size_t begin = 0; begin < columns; begin += 64) {
        size_t end = begin + 64 < columns ? begin + 64 : columns;
        for (size_t row = 0; row < rows; row++) {
            const uint8_t *from = source + row * columns * size;
            uint8_t *to = panel + row * size;
            if (size == 4) {
                for (size_t c = begin; c < end; c++) parley_store_u32(to + 64 * c, parley_load_u32(from + 4 * c));
            } else {
                for (size_t c = begin; c < end; c++) parley_store_u16(to + 32 * c, parley_load_u16(from + 2 * c));
            }
        }
    }
}

void parley_pack(parley_type type, const void *source, size_t rows, size_t columns, void *panels, size_t panel_begin,
                 size_t panel_end) {
    parley_unit_layout layout = parley_unit(type);
    size_t size = float_bytes(type), panel_bytes = parley_panel_bytes(type, columns);
    size_t row_bytes = parley_row_bytes(type, columns);
    if (panel_bytes == 0 || type == PARLEY_Q8_256) return;
    for (size_t p = panel_begin; p < panel_end; p++) {
        uint8_t *panel = (uint8_t *)panels + p * panel_bytes;
        const uint8_t *first_row = (const uint8_t *)source + p * PARLEY_PANEL_ROWS * row_bytes;
        size_t begin = p * PARLEY_PANEL_ROWS;
        size_t count = begin >= rows ? 0 : rows - begin < PARLEY_PANEL_ROWS ? rows - begin : PARLEY_PANEL_ROWS;
        if (count < PARLEY_PANEL_ROWS) memset(panel, 0, panel_bytes);
        if (!layout.columns) {
            pack_floats(size, first_row, count, columns, panel);
            continue;
        }
        size_t units = columns / layout.columns;
        memset(panel + units * layout.bytes, 0, panel_bytes - units * layout.bytes);
        for (size_t u = 0; u < units; u++) {
            const uint8_t *block = first_row + u * layout.source_bytes;
            for (size_t row = 0; row < count; row++) {
                parley_pack_block(type, block + row * row_bytes, row, panel + u * layout.bytes);
            }
        }
    }
}
