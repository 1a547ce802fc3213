// SPDX-License-Identifier: Apache-2.0

/// Wraps a text to a width, as Python's `textwrap` does when it keeps white space.
struct TextWrapper {
    let width: Int
    let breaksLongWords: Bool
    let breaksOnHyphens: Bool
    let lineBreak: MarkedText

    /// A word or the white space between two words: its position in the paragraph and its number of characters.
    private struct Chunk {
        var start: Int
        let end: Int
        var count: Int
        let isSpace: Bool
    }

    func wrap(_ text: MarkedText, to writer: TextWriter) throws(TemplateError) {
        for (index, paragraph) in try text.lines(writer.meter, keepingEnds: false).elements.enumerated() {
            if index > 0 { try writer.append(lineBreak) }
            try wrap(paragraph: paragraph.marked(asMarkup: false), to: writer)
        }
    }

    private func wrap(paragraph: MarkedText, to writer: TextWriter) throws(TemplateError) {
        let meter = writer.meter
        let chunks = try chunks(of: paragraph, meter)
        var index = 0
        var hasLine = false
        while index < chunks.count {
            try meter.work(8)
            if hasLine, chunks[index].isSpace { index += 1 }
            guard index < chunks.count else { break }
            // A line is a range of the paragraph.
            let start = chunks[index].start
            var end = start
            var length = 0
            var last: Chunk?
            while index < chunks.count, chunks[index].count <= width - length {
                try meter.work(8)
                last = chunks[index]
                end = chunks[index].end
                length += chunks[index].count
                index += 1
            }
            if index < chunks.count, chunks[index].count > width {
                let chunk = chunks[index]
                if breaksLongWords, length < width {
                    let cut = try breakingPoint(of: chunk, in: paragraph, room: width - length, meter)
                    last = Chunk(start: chunk.start, end: cut.end, count: cut.count, isSpace: chunk.isSpace)
                    chunks[index].start = cut.end
                    chunks[index].count -= cut.count
                    end = cut.end
                } else if last == nil {
                    last = chunk
                    end = chunk.end
                    index += 1
                }
            }
            if let last, last.isSpace { end = last.start }
            guard end > start else { continue }
            if hasLine { try writer.append(lineBreak) }
            try writer.append(paragraph[start..<end])
            hasLine = true
        }
    }

    /// The position at which a word that does not fit is broken: after a hyphen, or at the width.
    private func breakingPoint(
        of chunk: Chunk, in text: MarkedText, room: Int, _ meter: Meter
    ) throws(TemplateError) -> (end: Int, count: Int) {
        var end = chunk.start
        var hyphen: (end: Int, count: Int)?
        var hasOther = false
        for count in 1...room {
            try meter.work(4)
            let byte = text[end]
            end = text.end(after: end)
            if byte != UInt8(ascii: "-") {
                hasOther = true
            } else if breaksOnHyphens, hasOther {
                hyphen = (end, count)
            }
        }
        return hyphen ?? (end, room)
    }

    private static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
        scalar == " " || (0x09...0x0D).contains(scalar.value)
    }

    /// The words and the white space between them. Words are also split after a hyphen between letters.
    private func chunks(of text: MarkedText, _ meter: Meter) throws(TemplateError) -> Row<Chunk> {
        let chunks = try Row<Chunk>(meter)
        var chunk: (start: Int, count: Int) = (0, 0)
        /// The last three characters, the latest first.
        var before: (Unicode.Scalar, Unicode.Scalar, Unicode.Scalar) = (" ", " ", " ")
        for (index, scalar) in text.characters {
            try meter.work(8 + MarkedText.price(ofProperties: scalar))
            var isBoundary = index > 0 && TextWrapper.isSpace(before.0) != TextWrapper.isSpace(scalar)
            if breaksOnHyphens, before.0 == "-", chunk.count >= 3, isLetter(before.1), isLetter(before.2) {
                let next = text.end(after: index)
                isBoundary = isBoundary || isLetter(scalar) && next < text.size && isLetter(text.scalar(at: next))
            }
            if isBoundary {
                try chunks.append(
                    Chunk(start: chunk.start, end: index, count: chunk.count, isSpace: TextWrapper.isSpace(before.0)))
                chunk = (index, 0)
            }
            chunk.count += 1
            before = (scalar, before.0, before.1)
        }
        if chunk.count > 0 {
            try chunks.append(
                Chunk(start: chunk.start, end: text.size, count: chunk.count, isSpace: TextWrapper.isSpace(before.0)))
        }
        return chunks
    }

    private func isLetter(_ scalar: Unicode.Scalar) -> Bool {
        scalar.isPythonWord && !scalar.isPythonDecimal
    }
}
