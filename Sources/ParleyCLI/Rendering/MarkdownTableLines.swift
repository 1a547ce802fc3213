// SPDX-License-Identifier: Apache-2.0

import ParleyMarkdown

/// Draws a table: columns as wide as their cells where there is room, else the widest give way, and their cells are
/// wrapped.
struct MarkdownTableLines {
    /// What stands between two columns.
    private static let gap = " │ "
    private static let leastWidth = 3

    let table: MarkdownTable

    func lines(columns: Int) -> [StyledText] {
        let header = table.header.map { MarkdownLines.text(of: $0, .bold) }
        let rows = table.rows.map { $0.map { MarkdownLines.text(of: $0) } }
        let widths = Self.widths(of: [header] + rows, columns: columns)
        let rule = widths.map { String(repeating: "─", count: $0) }.joined(separator: "─┼─")
        return self.lines(of: header, widths) + [StyledText(rule, .dim)] + rows.flatMap { self.lines(of: $0, widths) }
    }

    private static func widths(of rows: [[StyledText]], columns: Int) -> [Int] {
        let count = rows.map(\.count).max() ?? 0
        var widths = (0..<count).map { column in
            rows.compactMap { $0.indices.contains(column) ? $0[column].width : nil }.reduce(1, max)
        }
        let room = columns - gap.count * max(count - 1, 0)
        // The widest gives way, down to what the next one has; in the end all are as narrow as can be.
        while widths.reduce(0, +) > room, let widest = widths.max(), widest > leastWidth {
            let next = widths.filter { $0 < widest }.max() ?? leastWidth
            let wide = widths.indices.filter { widths[$0] == widest }
            let excess = widths.reduce(0, +) - room
            let step = min(widest - max(next, leastWidth), (excess + wide.count - 1) / wide.count)
            for index in wide { widths[index] -= max(step, 1) }
        }
        return widths
    }

    private func lines(of cells: [StyledText], _ widths: [Int]) -> [StyledText] {
        let wrapped = widths.enumerated().map { column, width in
            cells.indices.contains(column) ? cells[column].wrapped(columns: width) : [StyledText()]
        }
        return (0..<(wrapped.map(\.count).max() ?? 0)).map { row in
            var line = StyledText()
            for (column, width) in widths.enumerated() {
                if column > 0 { line.append(Self.gap, .dim) }
                let text = wrapped[column].indices.contains(row) ? wrapped[column][row] : StyledText()
                line.append(text.padded(to: width, before: share(of: column)))
            }
            return line
        }
    }

    private func share(of column: Int) -> Double {
        guard table.alignments.indices.contains(column) else { return 0 }
        return switch table.alignments[column] {
        case .right: 1
        case .center: 0.5
        case .left, nil: 0
        }
    }
}
