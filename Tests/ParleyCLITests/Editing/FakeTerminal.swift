// SPDX-License-Identifier: Apache-2.0

import ParleyCLI

/// Simulates the features of a terminal that ``EditorScreen`` uses: a grid, a cursor, and lines that scroll away.
struct FakeTerminal {
    private(set) var columns: Int
    let rows: Int
    private(set) var row = 0
    private(set) var column = 0
    /// A wide character fills two cells, the second of which is empty.
    private var cells: [[String]] = [[]]
    /// The first line that is still on the screen.
    private var top = 0

    init(columns: Int, rows: Int) {
        self.columns = columns
        self.rows = rows
    }

    /// The lines on the screen and those scrolled away, without trailing spaces and empty lines at the end.
    var lines: [String] {
        cells.map { Self.trimmed($0.joined()) }
    }

    static func trimmed(_ text: String) -> String {
        String(text.reversed().drop { $0 == " " }.reversed())
    }

    mutating func write(_ text: String) {
        var rest = Substring(text)
        while let character = rest.popFirst() {
            switch character {
            case "\r\n":
                column = 0
                lineFeed()
            case "\r": column = 0
            case "\n": lineFeed()
            case "\u{1b}":
                rest.removeFirst()
                let digits = rest.prefix { $0.isNumber }
                rest.removeFirst(digits.count)
                perform(rest.removeFirst(), Int(digits) ?? 1)
            default: put(character)
            }
        }
    }

    private mutating func perform(_ command: Character, _ count: Int) {
        switch command {
        case "A": row = max(top, row - count)
        case "B": row = min(cells.count - 1, row + count)
        case "C": column = min(columns - 1, column + count)
        default:
            cells.removeSubrange((row + 1)...)
            cells[row] = Array(cells[row].prefix(column))
        }
    }

    private mutating func put(_ character: Character) {
        let width = DisplayWidth.of(character)
        if column + width > columns {
            column = 0
            lineFeed()
        }
        while cells[row].count < column + width { cells[row].append(" ") }
        cells[row][column] = String(character)
        if width == 2 { cells[row][column + 1] = "" }
        column += width
    }

    private mutating func lineFeed() {
        row += 1
        if row == cells.count { cells.append([]) }
        top = max(top, row - rows + 1)
    }

    /// Makes the terminal narrower and wraps each line, as terminals do.
    mutating func fold(to columns: Int) {
        var folded: [[String]] = []
        var cursor = (row: 0, column: 0)
        for (index, line) in cells.enumerated() {
            if index == row { cursor = (folded.count + column / columns, column % columns) }
            var rest = line[...]
            repeat {
                folded.append(Array(rest.prefix(columns)))
                rest = rest.dropFirst(columns)
            } while !rest.isEmpty
        }
        cells = folded
        (row, column) = cursor
        self.columns = columns
    }
}
