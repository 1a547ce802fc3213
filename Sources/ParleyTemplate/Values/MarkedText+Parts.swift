// SPDX-License-Identifier: Apache-2.0

/// Taking text apart and putting it together, as Python's string methods do; every character keeps its mark.
extension MarkedText {
    enum Side { case left, right, both }

    /// Without the characters at the ends that satisfy a condition.
    func stripped(_ side: Side, where isStripped: (Unicode.Scalar) -> Bool) -> MarkedText {
        var start = 0
        var end = count
        if side != .right { while start < end, isStripped(scalars[start]) { start += 1 } }
        if side != .left { while end > start, isStripped(scalars[end - 1]) { end -= 1 } }
        return self[start..<end]
    }

    /// Without the given characters at the ends, or without white space.
    func stripped(_ side: Side, of characters: MarkedText?) -> MarkedText {
        guard let characters else { return stripped(side, where: \.isPythonSpace) }
        let set = Set(characters.scalars)
        return stripped(side) { set.contains($0) }
    }

    /// The parts between separators, which must not be empty.
    func split(by separator: MarkedText, limit: Int) -> [MarkedText] {
        parts(around: positions(of: separator, in: 0..<count, limit: limit), width: separator.count)
    }

    /// The parts between the rightmost separators.
    func splitFromRight(by separator: MarkedText, limit: Int) -> [MarkedText] {
        let positions = positionsFromRight(of: separator, in: 0..<count, limit: limit)
        return parts(around: positions.reversed(), width: separator.count)
    }

    private func parts(around positions: [Int], width: Int) -> [MarkedText] {
        var start = 0
        var parts: [MarkedText] = []
        for position in positions {
            parts.append(self[start..<position])
            start = position + width
        }
        return parts + [self[start..<count]]
    }

    /// The words between white space; after `limit` words the rest is one part.
    func words(limit: Int) -> [MarkedText] {
        var parts: [MarkedText] = []
        var index = 0
        while true {
            while index < count, scalars[index].isPythonSpace { index += 1 }
            guard index < count else { return parts }
            guard parts.count < limit else { return parts + [self[index..<count].stripped(.right, of: nil)] }
            let start = index
            while index < count, !scalars[index].isPythonSpace { index += 1 }
            parts.append(self[start..<index])
        }
    }

    /// The words between white space from the right; before the last `limit` words the rest is one part.
    func wordsFromRight(limit: Int) -> [MarkedText] {
        var parts: [MarkedText] = []
        var end = count
        while true {
            while end > 0, scalars[end - 1].isPythonSpace { end -= 1 }
            guard end > 0 else { return parts.reversed() }
            guard parts.count < limit else {
                return [self[0..<end].stripped(.left, of: nil)] + parts.reversed()
            }
            let stop = end
            while end > 0, !scalars[end - 1].isPythonSpace { end -= 1 }
            parts.append(self[end..<stop])
        }
    }

    /// The lines, without a last empty one.
    func lines(keepingEnds: Bool) -> [MarkedText] {
        var lines: [MarkedText] = []
        var start = 0
        var index = 0
        while index < count {
            guard scalars[index].isPythonLineBreak else {
                index += 1
                continue
            }
            let end = index
            let isPair = scalars[index] == "\r" && index + 1 < count && scalars[index + 1] == "\n"
            index += isPair ? 2 : 1
            lines.append(self[start..<(keepingEnds ? index : end)])
            start = index
        }
        return start < count ? lines + [self[start..<count]] : lines
    }

    /// How long the result of replacing would be, to charge for it before it is made; nil beyond all limits.
    func countAfterReplacing(_ positions: [Int], old: MarkedText, new: MarkedText) -> Int? {
        let (growth, overflow) = positions.count.multipliedReportingOverflow(by: new.count - old.count)
        return overflow ? nil : count + growth
    }

    /// The text with what stands at the given places, each as long as `old`, replaced.
    func replacing(_ positions: [Int], old: MarkedText, with new: MarkedText) -> MarkedText {
        MarkedText.joined(parts(around: positions, width: old.count), separator: new)
    }

    static func joined(_ parts: [MarkedText], separator: MarkedText) -> MarkedText {
        var result = MarkedText()
        for (index, part) in parts.enumerated() {
            if index > 0 { result.append(separator) }
            result.append(part)
        }
        return result
    }

    /// The characters at every step of a stride.
    func taking(_ indices: some Sequence<Int>) -> MarkedText {
        var result = MarkedText()
        for index in indices { result.append(scalars[index], origin(at: index)) }
        result.isMarkup = isMarkup
        return result
    }

    /// The text with a character repeated on its sides.
    func padded(left: Int, right: Int, with fill: MarkedText) -> MarkedText {
        var result = fill.repeated(left)
        result.append(self)
        result.append(fill.repeated(right))
        result.isMarkup = isMarkup
        return result
    }

    /// The text several times; the caller has charged for it.
    func repeated(_ times: Int) -> MarkedText {
        guard times > 0, !isEmpty else { return MarkedText() }
        if marks.overall == .template {
            return MarkedText(Array([[Unicode.Scalar]](repeating: scalars, count: times).joined()), .template)
        }
        var result = MarkedText()
        for _ in 0..<times { result.append(self) }
        return result
    }
}
