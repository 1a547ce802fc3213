// SPDX-License-Identifier: Apache-2.0

extension ClassifiedText {
    /// `\s+(?!\S)|\s+`: white space; if a word follows, without its last character, which begins the word.
    @inline(__always)
    func whitespaceEnd(from start: Int, before limit: Int) -> Int {
        let end = runEnd(of: .whitespace, from: start, before: limit)
        return end < limit && end - start > 1 ? end - 1 : end
    }

    /// `\s*[\r\n]+|\s+(?!\S)|\s+`: the same, but through the last line break where there is one.
    @inline(__always)
    func whitespaceOrLinesEnd(from start: Int, before limit: Int) -> Int {
        let end = runEnd(of: .whitespace, from: start, before: limit)
        var index = end
        while index > start {
            if isLineBreak(at: index - 1, before: limit) { return index }
            index -= 1
        }
        return end < limit && end - start > 1 ? end - 1 : end
    }
}
