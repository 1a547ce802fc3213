// SPDX-License-Identifier: Apache-2.0
//
// Packs row-major GGUF tensors into panels of 16 rows.

#include "four_rows.h"
#include "panel_layout.h"
#include "q8_256_layout.h"

typedef uint16_t halves __attribute__((vector_size(16)));

/// The block of a row that does not exist.
static const uint8_t missing_block[PARLEY_SOURCE_BYTES];

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

/// Transposes 16 bytes of four rows: four columns of 4 bytes, or eight of 2.
PARLEY_INLINE void pack_four_rows(size_t size, const uint8_t *const source[4], size_t column, uint8_t *panel) {
    parley_words w[4];
    parley_load_words(source, size * column, w);
    for (size_t g = 0; g < 4; g++) {
        if (size == 4) {
            memcpy(panel + 64 * (column + g), &w[g], 16);
        } else {
            const halves two = __builtin_shufflevector((halves)w[g], (halves)w[g], 0, 2, 4, 6, 1, 3, 5, 7);
            memcpy(panel + 32 * (column + 2 * g), &two, 8);
            memcpy(panel + 32 * (column + 2 * g + 1), (const uint8_t *)&two + 8, 8);
        }
    }
}

/// Transposes [row][column] to [column][16], one block of columns at a time, so that the output stays in the
/// first-level cache.
PARLEY_INLINE void pack_floats(size_t size, const uint8_t *source, size_t rows, size_t columns, uint8_t *panel) {
    const size_t row_bytes = columns * size, step = 16 / size;
    for (size_t begin = 0; begin < columns; begin += 64) {
        const size_t end = begin + 64 < columns ? begin + 64 : columns;
        for (size_t row = 0; row < rows; row += 4) {
            const uint8_t *from = source + row * row_bytes;
            uint8_t *to = panel + row * size;
            size_t c = begin;
            if (row + 4 <= rows) {
                const uint8_t *four[4] = {from, from + row_bytes, from + 2 * row_bytes, from + 3 * row_bytes};
                for (; c + step <= end; c += step) pack_four_rows(size, four, c, to);
            }
            const size_t count = rows - row < 4 ? rows - row : 4;
            for (; c < end; c++) {
                for (size_t r = 0; r < count; r++) {
                    memcpy(to + (16 * c + r) * size, from + r * row_bytes + c * size, size);
                }
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
            if (size == 4) pack_floats(4, first_row, count, columns, panel);
            if (size == 2) pack_floats(2, first_row, count, columns, panel);
            continue;
        }
        size_t units = columns / layout.columns;
        memset(panel + units * layout.bytes, 0, panel_bytes - units * layout.bytes);
        for (size_t row = 0; row < count; row += 4) {
            for (size_t u = 0; u < units; u++) {
                const uint8_t *blocks[4];
                for (size_t r = 0; r < 4; r++) {
                    blocks[r] =
                        row + r < count ? first_row + (row + r) * row_bytes + u * layout.source_bytes : missing_block;
                }
                parley_pack_blocks(type, blocks, row, panel + u * layout.bytes);
            }
        }
    }
}
