// SPDX-License-Identifier: Apache-2.0

/// A place in a line, in bytes and in columns: a tab reaches to the next column that is a multiple of 4.
struct LineCursor {
    let bytes: [UInt8]
    private(set) var offset = 0
    private(set) var column = 0
    /// Whether the tab at the offset has been passed in part.
    private(set) var isInTab = false

    /// Where the next byte is that is neither space nor tab.
    private(set) var nextOffset = 0
    private(set) var nextColumn = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        look()
    }

    var isBlank: Bool { nextOffset >= bytes.count }
    var indent: Int { nextColumn - column }
    /// Whether what follows is so far from the margin that it is code.
    var isIndented: Bool { indent >= 4 }
    /// The next byte that is neither space nor tab; nil at the end of the line.
    var next: UInt8? { nextOffset < bytes.count ? bytes[nextOffset] : nil }
    /// The next byte; nil at the end of the line.
    var peek: UInt8? { offset < bytes.count ? bytes[offset] : nil }

    private mutating func look() {
        (nextOffset, nextColumn) = (offset, column)
        while nextOffset < bytes.count {
            if bytes[nextOffset] == 0x20 {
                nextColumn += 1
            } else if bytes[nextOffset] == 0x09 {
                nextColumn += 4 - nextColumn % 4
            } else {
                break
            }
            nextOffset += 1
        }
    }

    /// Goes to the next byte that is neither space nor tab.
    mutating func skipIndent() {
        (offset, column, isInTab) = (nextOffset, nextColumn, false)
    }

    /// Goes on by some bytes.
    mutating func advance(bytes count: Int) {
        for _ in 0..<count where offset < bytes.count {
            column += bytes[offset] == 0x09 ? 4 - column % 4 : 1
            offset += 1
        }
        isInTab = false
        look()
    }

    /// Goes on by some columns, if need be into a tab.
    mutating func advance(columns count: Int) {
        var count = count
        while count > 0, offset < bytes.count {
            if bytes[offset] == 0x09 {
                let width = 4 - column % 4
                isInTab = width > count
                column += min(width, count)
                if !isInTab { offset += 1 }
                count -= min(width, count)
            } else {
                isInTab = false
                offset += 1
                column += 1
                count -= 1
            }
        }
        look()
    }

    /// The rest of the line; what is left of a tab as spaces.
    var rest: [UInt8] {
        guard isInTab else { return Array(bytes[min(offset, bytes.count)...]) }
        return [UInt8](repeating: 0x20, count: 4 - column % 4) + bytes[(offset + 1)...]
    }
}
