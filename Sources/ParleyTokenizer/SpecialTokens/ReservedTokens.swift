// SPDX-License-Identifier: Apache-2.0

/// The tokens that only a chat template may write. Its input, such as a user's message, never becomes such a token, not
/// even together with text of the template.
///
/// Model files differ in which tokens they declare as control tokens. The tokens that structure a chat are often
/// "user-defined", a kind that tokenizers recognise in any text, as they do for runs of spaces and HTML tags. The
/// purpose of a token therefore decides. Only a template may write
///
/// - control tokens, by the file's declaration or by their well-known text,
/// - tokens that begin or end a text, a turn or a message, however the file declares them,
/// - user-defined tokens that look like control tokens, such as `<|im_start|>`, and
/// - user-defined marks that occur in the template's source, such as `<think>` or `[INST]`. A mark has at least two
///   characters, one of which is neither a letter nor a digit nor white space.
///
/// Every other user-defined token is recognised in any text, as the model was trained. But the text of a mark counts
/// only if template or input wrote all of it.
package struct ReservedTokens: Sendable {
    /// The tokens that only templates may write.
    private var templates: TokenSet
    /// Marks that template and input may both write, but whose text must not be split between them.
    private var marks: TokenSet

    /// Creates the set of tokens that the vocabulary reserves, independently of a template.
    init(_ vocabulary: Vocabulary, beginningOfText: TokenID?, endOfText: TokenID?) {
        templates = TokenSet(count: vocabulary.count)
        marks = TokenSet(count: vocabulary.count)
        for id in vocabulary.special {
            let attributes = vocabulary.attributes[Int(id)]
            let text = vocabulary.pieces[PieceID(id)]
            if !attributes.isDisjoint(with: [.control, .unknown, .reserved]) || Self.looksLikeControl(text) {
                templates.insert(id)
            } else if Self.isMark(text) {
                marks.insert(id)
            }
        }
        for id in vocabulary.endOfGeneration { templates.insert(id) }
        for case .some(let id) in [beginningOfText, endOfText] { templates.insert(id) }
    }

    /// A copy in which the marks among `tokens` are reserved for the template too.
    func adding(_ tokens: [TokenID]) -> ReservedTokens {
        var result = self
        for id in tokens where marks.contains(id) { result.templates.insert(id) }
        return result
    }

    /// Whether only a template may write the token.
    func isTemplates(_ id: TokenID) -> Bool { templates.contains(id) }

    /// Whether template or input must have written all of the token's text.
    func hasOneAuthor(_ id: TokenID) -> Bool { templates.contains(id) || marks.contains(id) }

    /// Whether a token counts whose text lies at a place of a prompt.
    ///
    /// - Parameters:
    ///   - id: the token.
    ///   - range: the place.
    ///   - ranges: the template's text: ranges in ascending order that neither overlap nor touch.
    /// - Returns: whether it counts.
    func allows(_ id: TokenID, at range: Range<Int>, template ranges: [Range<Int>]) -> Bool {
        guard hasOneAuthor(id) else { return true }
        // The first of the template's ranges that ends after the token's beginning.
        let index = ranges.indices.partitionPoint { ranges[$0].upperBound <= range.lowerBound }
        guard index < ranges.count, ranges[index].lowerBound < range.upperBound else { return !isTemplates(id) }
        return ranges[index].lowerBound <= range.lowerBound && ranges[index].upperBound >= range.upperBound
    }

    /// The tokens that only templates may write, in order.
    var all: [TokenID] { templates.elements }

    private static func looksLikeControl(_ text: ArraySlice<UInt8>) -> Bool {
        let affixes = [("<|", ""), ("", "|>"), ("<｜", ""), ("", "｜>"), ("<unused", ">"), ("[PAD", "]"), ("[@", "@]")]
        return text.count > 2
            && affixes.contains { first, last in
                text.starts(with: first.utf8) && text.suffix(last.utf8.count).elementsEqual(last.utf8)
            }
    }

    private static func isMark(_ text: ArraySlice<UInt8>) -> Bool {
        let scalars = Array(String(decoding: text, as: UTF8.self).unicodeScalars)
        return scalars.count > 1
            && scalars.contains { scalar in
                let properties = scalar.properties
                let isWord = properties.isAlphabetic || properties.numericType != nil
                return !isWord && !properties.isWhitespace && scalar != "▁"
            }
    }
}

/// A set of tokens of one vocabulary, as bits.
struct TokenSet: Sendable {
    private var words: [UInt64]

    init(count: Int) {
        words = [UInt64](repeating: 0, count: (count + 63) / 64)
    }

    /// Ids beyond the vocabulary are ignored.
    mutating func insert(_ id: TokenID) {
        guard id >= 0, Int(id) / 64 < words.count else { return }
        words[Int(id) / 64] |= 1 << UInt64(id % 64)
    }

    @inline(__always)
    func contains(_ id: TokenID) -> Bool {
        id >= 0 && Int(id) / 64 < words.count && words[Int(id) / 64] & 1 << UInt64(id % 64) != 0
    }

    var elements: [TokenID] {
        words.indices.filter { words[$0] != 0 }.flatMap { word in
            (0..<64).filter { words[word] & 1 << UInt64($0) != 0 }.map { TokenID(word * 64 + $0) }
        }
    }
}
