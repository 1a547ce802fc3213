// SPDX-License-Identifier: Apache-2.0

/// The pattern that Llama 3 took from tiktoken, and its relatives:
/// `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`.
struct LlamaWords: WordPattern {
    /// Where English contractions (`'s`) are split off.
    enum Contractions { case nowhere, asWords, afterWords }
    /// What may follow a run of punctuation and belongs to it.
    enum Tail { case nothing, lineBreaks, lineBreaksAndSlashes }

    var contractions = Contractions.asWords
    /// The character classes of words.
    var letters: CharacterClass = .letter
    /// Whether an upper-case letter after a lower-case one begins a new word.
    var splitsAtCapitals = false
    /// The maximum number of digits in a word.
    var digits = 3
    /// The character classes of runs of punctuation.
    var punctuation: CharacterClass = [.mark, .punctuation, .symbol, .other]
    var tail = Tail.lineBreaks

    func matchEnd(in text: ClassifiedText, from start: Int, before limit: Int) -> Int {
        if contractions == .asWords {
            let end = Contraction.end(in: text, from: start, before: limit, anyCase: true)
            if end > start { return end }
        }
        let first = text.characterClass(at: start, before: limit)
        if let end = wordEnd(in: text, from: start, first: first, before: limit) { return end }
        if first == .number {
            return text.runEnd(of: .number, from: start, before: min(limit, start + min(digits, limit - start)))
        }
        let mark = text.is(" ", at: start, before: limit) ? start + 1 : start
        if punctuation.contains(text.characterClass(at: mark, before: limit)), mark < limit {
            return tailEnd(in: text, from: text.runEnd(of: punctuation, from: mark, before: limit), before: limit)
        }
        return text.whitespaceOrLinesEnd(from: start, before: limit)
    }

    /// `[^\r\n\p{L}\p{N}]?\p{L}+`, with the contraction that belongs to it.
    @inline(__always)
    private func wordEnd(in text: ClassifiedText, from start: Int, first: CharacterClass, before limit: Int) -> Int? {
        var word = start
        if !letters.contains(first) {
            guard first != .number, !text.isLineBreak(at: start, before: limit), start + 1 < limit,
                letters.contains(text.classes[start + 1])
            else { return nil }
            word = start + 1
        }
        let end =
            splitsAtCapitals
            ? casedWordEnd(in: text, from: word, before: limit)
            : text.runEnd(of: letters, from: word, before: limit)
        guard contractions == .afterWords else { return end }
        return Contraction.end(in: text, from: end, before: limit, anyCase: true)
    }

    /// `\p{Lu}*\p{Ll}+|\p{Lu}+\p{Ll}*` as llama.cpp reads it: outside ASCII, a letter is both upper and lower case.
    private func casedWordEnd(in text: ClassifiedText, from start: Int, before limit: Int) -> Int {
        var upperEnd = start
        var lastCaseless: Int?
        while upperEnd < limit, letters.contains(text.classes[upperEnd]), !text.isLowercaseASCII(at: upperEnd) {
            if text.scalars[upperEnd] > 0x7F { lastCaseless = upperEnd }
            upperEnd += 1
        }
        var end = upperEnd
        while end < limit, letters.contains(text.classes[end]), !text.isUppercaseASCII(at: end) { end += 1 }
        if end > upperEnd { return end }
        // No lower case follows: backtrack to the last letter of the run that can be lower case.
        return lastCaseless.map { $0 + 1 } ?? upperEnd
    }

    @inline(__always)
    private func tailEnd(in text: ClassifiedText, from start: Int, before limit: Int) -> Int {
        guard tail != .nothing else { return start }
        var end = start
        while text.isLineBreak(at: end, before: limit)
            || tail == .lineBreaksAndSlashes && text.is("/", at: end, before: limit)
        {
            end += 1
        }
        return end
    }
}

extension ClassifiedText {
    @inline(__always)
    fileprivate func isLowercaseASCII(at index: Int) -> Bool { scalars[index] >= 0x61 && scalars[index] <= 0x7A }

    @inline(__always)
    fileprivate func isUppercaseASCII(at index: Int) -> Bool { scalars[index] >= 0x41 && scalars[index] <= 0x5A }
}
