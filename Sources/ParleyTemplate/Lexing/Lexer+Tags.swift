// SPDX-License-Identifier: Apache-2.0

/// The beginning of a tag.
struct TagStart {
    enum Kind { case variable, block, comment, raw }
    let kind: Kind
    let start: Int
    /// The sign that controls white space before the tag (`-` or `+`), or a space.
    let sign: Unicode.Scalar
    /// The index where the tag's contents begin.
    let contents: Int
}

extension Lexer {
    /// The next tag at or after the position.
    func nextTag() -> TagStart? {
        var index = position
        while index + 1 < source.count {
            if source[index] == "{" {
                switch source[index + 1] {
                case "%": return raw(at: index) ?? tag(.block, at: index)
                case "{": return tag(.variable, at: index)
                case "#": return tag(.comment, at: index)
                default: break
                }
            }
            index += 1
        }
        return nil
    }

    private func tag(_ kind: TagStart.Kind, at start: Int) -> TagStart {
        let sign = sign(at: start + 2)
        return TagStart(kind: kind, start: start, sign: sign, contents: start + (sign == " " ? 2 : 3))
    }

    private func sign(at index: Int) -> Unicode.Scalar {
        guard index < source.count, source[index] == "-" || source[index] == "+" else { return " " }
        return source[index]
    }

    private func raw(at start: Int) -> TagStart? {
        let block = tag(.block, at: start)
        guard let name = match("raw", at: skippingSpace(from: block.contents)) else { return nil }
        let end = skippingSpace(from: name)
        if let contents = match("-%}", at: end) {
            return TagStart(kind: .raw, start: start, sign: block.sign, contents: skippingSpace(from: contents))
        }
        guard let contents = match("%}", at: end) else { return nil }
        return TagStart(kind: .raw, start: start, sign: block.sign, contents: contents)
    }

    /// The tag that ends a raw block; its contents begin at the closing `%}` with its sign.
    func endRaw(at start: Int) -> TagStart? {
        guard match("{%", at: start) != nil else { return nil }
        let block = tag(.block, at: start)
        guard let name = match("endraw", at: skippingSpace(from: block.contents)) else { return nil }
        let end = skippingSpace(from: name)
        guard match("%}", at: end) ?? match("-%}", at: end) ?? match("+%}", at: end) != nil else { return nil }
        return TagStart(kind: .raw, start: start, sign: block.sign, contents: end)
    }

    private func skippingSpace(from index: Int) -> Int {
        var index = index
        while index < source.count, source[index].isPythonSpace { index += 1 }
        return index
    }

    /// The index after a text, if the text is at the given index.
    func match(_ text: StaticString, at index: Int) -> Int? {
        let count = text.utf8CodeUnitCount
        guard index <= source.count - count else { return nil }
        let isMatch = text.withUTF8Buffer { buffer in
            zip(source[index...], buffer).allSatisfy { $0.value == UInt32($1) }
        }
        return isMatch ? index + count : nil
    }

    /// Skips a text if it comes next.
    mutating func take(_ text: StaticString) -> Bool {
        guard let end = match(text, at: position) else { return false }
        countLines(position..<end)
        position = end
        return true
    }
}
