// SPDX-License-Identifier: Apache-2.0

/// Breaks a line into lines of a width, as Python's `textwrap` does when it leaves white space as it is.
struct TextWrapper {
    let width: Int
    let breaksLongWords: Bool
    let breaksOnHyphens: Bool

    func wrap(_ text: MarkedText) -> [MarkedText] {
        var chunks = chunks(of: text)[...]
        var lines: [MarkedText] = []
        while !chunks.isEmpty {
            if !lines.isEmpty, isSpace(chunks[chunks.startIndex]) { chunks.removeFirst() }
            var line: [MarkedText] = []
            var length = 0
            while let chunk = chunks.first, length + chunk.count <= width {
                line.append(chunk)
                length += chunk.count
                chunks.removeFirst()
            }
            if let chunk = chunks.first, chunk.count > width {
                let room = width - length
                if breaksLongWords, room > 0 {
                    let cut = breakingPoint(of: chunk, room: room)
                    line.append(chunk[0..<cut])
                    chunks[chunks.startIndex] = chunk[cut..<chunk.count]
                } else if line.isEmpty {
                    line.append(chunk)
                    chunks.removeFirst()
                }
            }
            if let last = line.last, isSpace(last) { line.removeLast() }
            if !line.isEmpty { lines.append(MarkedText.joined(line, separator: MarkedText())) }
        }
        return lines
    }

    private func breakingPoint(of chunk: MarkedText, room: Int) -> Int {
        guard breaksOnHyphens, chunk.count > room, let hyphen = chunk.scalars[..<room].lastIndex(of: "-"), hyphen > 0,
            chunk.scalars[..<hyphen].contains(where: { $0 != "-" })
        else { return room }
        return hyphen + 1
    }

    private func isSpace(_ chunk: MarkedText) -> Bool {
        chunk.scalars.allSatisfy { TextWrapper.spaces.contains($0) }
    }

    private static let spaces: Set<Unicode.Scalar> = ["\t", "\n", "\u{B}", "\u{C}", "\r", " "]

    /// Words and the white space between them; words are also cut behind a hyphen between letters.
    private func chunks(of text: MarkedText) -> [MarkedText] {
        var chunks: [MarkedText] = []
        var start = 0
        for index in 1..<max(text.count, 1) where isBoundary(text, at: index, since: start) {
            chunks.append(text[start..<index])
            start = index
        }
        return start < text.count ? chunks + [text[start..<text.count]] : chunks
    }

    private func isBoundary(_ text: MarkedText, at index: Int, since start: Int) -> Bool {
        let (before, after) = (text.scalars[index - 1], text.scalars[index])
        if TextWrapper.spaces.contains(before) != TextWrapper.spaces.contains(after) { return true }
        guard breaksOnHyphens, before == "-", index - start >= 3 else { return false }
        let isLetter = { (scalar: Unicode.Scalar) in scalar.isPythonWord && !scalar.isPythonDecimal }
        guard isLetter(text.scalars[index - 2]), isLetter(text.scalars[index - 3]) else { return false }
        return isLetter(after) && index + 1 < text.count && isLetter(text.scalars[index + 1])
    }
}
