// SPDX-License-Identifier: Apache-2.0

import ParleyConversation
import ParleyTokenizer

/// Tags that a model wrote as tokens of their own, and that a prompt replays as such: only where the very text of its
/// reply stands, and only marks that are no control tokens.
struct ReplayedTags: Sendable {
    private let tags: [[UInt8]]

    init(_ reasoning: ReasoningTags, _ format: FunctionCallFormat?, _ tokenizer: Tokenizer) {
        let texts = [reasoning.opening, reasoning.closing, format?.opening, format?.closing].compactMap(\.self)
        tags = texts.filter { text in
            tokenizer.id(ofSpelling: text).map { !tokenizer.isControl($0) } ?? false
        }.map { Array($0.utf8) }
    }

    /// The segments with the tags inside replayed replies counted as the template's.
    ///
    /// - Parameter replies: the raw outputs that the template was given.
    func marked(_ segments: [TextSegment], replies: [String]) -> [TextSegment] {
        let replies = replies.map(Self.trimmed).filter { reply in
            tags.contains { reply[...].firstPlace(of: $0) != nil }
        }
        guard !replies.isEmpty else { return segments }
        return segments.flatMap { segment -> [TextSegment] in
            guard segment.origin == .input else { return [segment] }
            var rest = Array(segment.text.utf8)[...]
            var pieces: [TextSegment] = []
            func add(_ bytes: ArraySlice<UInt8>, _ origin: TextSegment.Origin) {
                if !bytes.isEmpty { pieces.append(TextSegment(String(decoding: bytes, as: UTF8.self), origin: origin)) }
            }
            for reply in replies {
                guard let place = rest.firstPlace(of: reply) else { continue }
                add(rest[..<place.lowerBound], .input)
                var inside = rest[place]
                while let tag = tags.compactMap({ inside.firstPlace(of: $0) }).min(by: { $0.lowerBound < $1.lowerBound }
                ) {
                    add(inside[..<tag.lowerBound], .input)
                    add(inside[tag], .template)
                    inside = inside[tag.upperBound...]
                }
                add(inside, .input)
                rest = rest[place.upperBound...]
            }
            add(rest, .input)
            return pieces
        }
    }

    /// Templates often take away white space around a text.
    private static func trimmed(_ text: String) -> [UInt8] {
        let scalars = text.unicodeScalars
        guard let first = scalars.firstIndex(where: { !$0.properties.isWhitespace }),
            let last = scalars.lastIndex(where: { !$0.properties.isWhitespace })
        else { return [] }
        return Array(text.utf8[first..<scalars.index(after: last)])
    }
}
