// SPDX-License-Identifier: Apache-2.0

import ParleyConversation
import ParleyTokenizer

/// Tags that the model wrote as single tokens and that a prompt must reproduce as such. They are recognised only within
/// the exact text of a reply, and only if they are not control tokens.
struct ReplayedTags: Sendable {
    private let tags: [[UInt8]]

    /// How many replies are searched for within another segment, so that the cost is linear in the length of the
    /// history.
    private static let nearby = 4

    init(_ reasoning: ReasoningTags, _ parser: any FunctionCallParser, _ tokenizer: Tokenizer) {
        let texts = [reasoning.opening, reasoning.closing, parser.opening, parser.closing].compactMap(\.self)
        tags = (texts + parser.innerTags).filter { text in
            tokenizer.id(ofSpelling: text).map { !tokenizer.isControl($0) } ?? false
        }.map { Array($0.utf8) }
    }

    /// Marks the tags within replayed replies as text of the template.
    ///
    /// A reply is nearly always a segment of its own, which is found by its text. Other segments are searched for the
    /// next replies of the history and for the last ones, because templates often remove the reasoning of earlier
    /// replies. `replies` are the raw outputs, in order; each is found once, so that a message which repeats one is text.
    func marked(_ segments: [TextSegment], replies: [String]) -> [TextSegment] {
        let replies = replies.map(Self.trimmed).filter { hasTag($0[...]) }
        guard !replies.isEmpty else { return segments }
        // The places of equal replies, the last first.
        var places = Dictionary(grouping: replies.indices.reversed()) { replies[$0] }
        var next = 0
        return segments.flatMap { segment -> [TextSegment] in
            guard segment.origin == .input else { return [segment] }
            let text = Array(segment.text.utf8)
            guard hasTag(text[...]) else { return [segment] }
            let found: [Range<Int>]
            let whole = Self.trimmed(segment.text)
            while let index = places[whole]?.last, index < next { places[whole]?.removeLast() }
            if let index = places[whole]?.last {
                found = [text.indices]
                next = index + 1
            } else {
                found = self.places(of: replies, in: text, &next)
            }
            return pieces(of: text, replies: found)
        }
    }

    /// The ranges of replies within a longer text, in order and without overlap.
    private func places(of replies: [[UInt8]], in text: [UInt8], _ next: inout Int) -> [Range<Int>] {
        var found: [Range<Int>] = []
        var rest = text[...]
        var missed = 0
        var index = next
        while index < replies.count, missed < 2 * Self.nearby {
            if let place = rest.firstPlace(of: replies[index]) {
                found.append(place)
                rest = rest[place.upperBound...]
                next = index + 1
                missed = 0
            } else {
                missed += 1
            }
            index += 1
            if missed == Self.nearby { index = max(index, replies.count - Self.nearby) }
        }
        return found
    }

    private func hasTag(_ text: ArraySlice<UInt8>) -> Bool {
        tags.contains { text.firstPlace(of: $0) != nil }
    }

    /// Splits a text at the tags within the replies that it contains.
    private func pieces(of text: [UInt8], replies: [Range<Int>]) -> [TextSegment] {
        var pieces: [TextSegment] = []
        var end = 0
        func add(upTo start: Int) {
            guard start > end else { return }
            pieces.append(TextSegment(String(decoding: text[end..<start], as: UTF8.self), origin: .input))
            end = start
        }
        for reply in replies {
            for tag in placesOfTags(in: text[reply]) {
                add(upTo: tag.lowerBound)
                pieces.append(TextSegment(String(decoding: text[tag], as: UTF8.self), origin: .template))
                end = tag.upperBound
            }
        }
        add(upTo: text.count)
        return pieces
    }

    /// The ranges of the tags in a text, in order and without overlap.
    private func placesOfTags(in text: ArraySlice<UInt8>) -> [Range<Int>] {
        var places: [Range<Int>] = []
        // A tag is searched for again only after its last occurrence has been passed.
        var next = tags.map { text.firstPlace(of: $0) }
        while let first = next.compactMap(\.self).min(by: { $0.lowerBound < $1.lowerBound }) {
            places.append(first)
            for (index, place) in next.enumerated() where place.map({ $0.lowerBound < first.upperBound }) ?? false {
                next[index] = text[first.upperBound...].firstPlace(of: tags[index])
            }
        }
        return places
    }

    /// The text without leading and trailing white space, which templates often remove.
    private static func trimmed(_ text: String) -> [UInt8] {
        let scalars = text.unicodeScalars
        guard let first = scalars.firstIndex(where: { !$0.properties.isWhitespace }),
            let last = scalars.lastIndex(where: { !$0.properties.isWhitespace })
        else { return [] }
        return Array(text.utf8[first..<scalars.index(after: last)])
    }
}
