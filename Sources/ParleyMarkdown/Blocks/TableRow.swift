// SPDX-License-Identifier: Apache-2.0

/// The lines of tables (GitHub Flavored Markdown 0.29, section 4.10).
enum TableRow {
    /// The most columns; what has more is no table.
    static let mostColumns = 256

    /// The alignments that the line below a header states; nil for another line.
    static func alignments(_ bytes: some BidirectionalCollection<UInt8>) -> [MarkdownTable.Alignment?]? {
        let cells = cells(bytes)
        guard !cells.isEmpty, cells.count <= mostColumns else { return nil }
        var alignments: [MarkdownTable.Alignment?] = []
        for cell in cells {
            let (starts, ends) = (cell.first == UInt8(ascii: ":"), cell.last == UInt8(ascii: ":"))
            let marks = cell.dropFirst(starts ? 1 : 0).dropLast(ends && cell.count > 1 ? 1 : 0)
            guard !marks.isEmpty, marks.allSatisfy({ $0 == UInt8(ascii: "-") }) else { return nil }
            alignments.append(starts ? (ends ? .center : .left) : ends ? .right : nil)
        }
        return alignments
    }

    /// The cells of a line: what stands between its bars, but for those behind a backslash, which are text.
    static func cells(_ bytes: some BidirectionalCollection<UInt8>) -> [[UInt8]] {
        var rest = Array(bytes.trimmingSpaces)[...]
        if rest.first == UInt8(ascii: "|") { rest = rest.dropFirst() }
        var cells: [[UInt8]] = []
        var cell: [UInt8] = []
        var isEscaped = false
        for byte in rest {
            if byte == UInt8(ascii: "|") {
                if isEscaped {
                    cell[cell.count - 1] = byte
                } else {
                    cells.append(Array(cell.trimmingSpaces))
                    cell = []
                }
                isEscaped = false
            } else {
                cell.append(byte)
                isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
            }
        }
        let last = Array(cell.trimmingSpaces)
        if !last.isEmpty || cells.isEmpty { cells.append(last) }
        return cells
    }
}
