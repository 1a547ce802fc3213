// SPDX-License-Identifier: Apache-2.0

/// A regular expression over code points.
indirect enum Pattern: Hashable, Sendable {
    /// One code point of a set; an empty set matches nothing.
    case set(CodePointSet)
    /// One after the other; an empty sequence matches the empty text.
    case sequence([Pattern])
    /// Any one of several.
    case choice([Pattern])
    /// A repetition; without a maximum, any number of times.
    case repetition(Pattern, min: Int, max: Int?)
    /// `^`: the beginning of the text.
    case start
    /// `$`: the end of the text.
    case end

    static let empty = Pattern.sequence([])

    /// The code points of a text, one after the other.
    static func literal(_ text: String) -> Pattern {
        .sequence(text.unicodeScalars.map { .set(CodePointSet($0.value)) })
    }

    /// `^[set]{m,n}$` taken apart: a length that can be counted instead of unrolled.
    var countedSet: (set: CodePointSet, min: Int, max: Int?)? {
        guard case .sequence(let parts) = self, parts.count == 3, parts[0] == .start, parts[2] == .end,
            case .repetition(.set(let set), let min, let max) = parts[1].unwrapped, !set.isEmpty
        else { return nil }
        return (set, min, max)
    }

    /// The pattern inside sequences and choices of a single part.
    private var unwrapped: Pattern {
        switch self {
        case .sequence(let parts) where parts.count == 1: parts[0].unwrapped
        case .choice(let parts) where parts.count == 1: parts[0].unwrapped
        case .repetition(let inner, let min, let max): .repetition(inner.unwrapped, min: min, max: max)
        default: self
        }
    }
}
