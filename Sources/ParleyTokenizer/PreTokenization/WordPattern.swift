// SPDX-License-Identifier: Apache-2.0

/// One of the regular expressions of a pre-tokenizer, implemented by hand.
protocol WordPattern: Sendable {
    /// The end of the match that begins at `start`; `start` itself if there is none.
    ///
    /// `limit` is treated as the end of the text.
    func matchEnd(in text: ClassifiedText, from start: Int, before limit: Int) -> Int

    /// Splits each piece of `text` again, given the pieces' ends in order; the first piece begins at 0. Text between
    /// matches is a piece of its own.
    func cut(_ text: ClassifiedText, at ends: [Int]) -> [Int]
}

extension WordPattern {
    func cut(_ text: ClassifiedText, at ends: [Int]) -> [Int] {
        var result: [Int] = []
        result.reserveCapacity(max(ends.count, text.scalars.count / 4))
        var start = 0
        for limit in ends {
            var index = start
            var covered = start
            while index < limit {
                let end = matchEnd(in: text, from: index, before: limit)
                guard end > index else {
                    index += 1
                    continue
                }
                if covered < index { result.append(index) }
                result.append(end)
                index = end
                covered = end
            }
            if covered < limit { result.append(limit) }
            start = limit
        }
        return result
    }
}

/// `'s|'t|'re|'ve|'m|'ll|'d`, in lower case or in any.
enum Contraction {
    @inline(__always)
    static func end(in text: ClassifiedText, from start: Int, before limit: Int, anyCase: Bool) -> Int {
        guard text.is("'", at: start, before: limit), let first = text.scalar(at: start + 1, before: limit) else {
            return start
        }
        // Setting one bit turns only ASCII capitals into the letters looked for.
        let fold: UInt32 = anyCase ? 0x20 : 0
        let second = text.scalar(at: start + 2, before: limit).map { $0 | fold }
        switch (Unicode.Scalar(first | fold), second.flatMap(Unicode.Scalar.init)) {
        case ("s", _), ("t", _), ("m", _), ("d", _): return start + 2
        case ("r", "e"), ("v", "e"), ("l", "l"): return start + 3
        default: return start
        }
    }
}
