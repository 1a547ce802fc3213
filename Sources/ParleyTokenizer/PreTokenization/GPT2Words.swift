// SPDX-License-Identifier: Apache-2.0

/// GPT-2's `'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`.
struct GPT2Words: WordPattern {
    func matchEnd(in text: ClassifiedText, from start: Int, before limit: Int) -> Int {
        let contraction = Contraction.end(in: text, from: start, before: limit, anyCase: false)
        if contraction > start { return contraction }
        let word = text.is(" ", at: start, before: limit) ? start + 1 : start
        let first = text.characterClass(at: word, before: limit)
        for kind in [CharacterClass.letter, .number] where first == kind {
            return text.runEnd(of: kind, from: word, before: limit)
        }
        if word < limit, first != .whitespace {
            return text.runEnd(of: [.mark, .punctuation, .symbol, .other], from: word, before: limit)
        }
        return text.whitespaceEnd(from: start, before: limit)
    }
}
