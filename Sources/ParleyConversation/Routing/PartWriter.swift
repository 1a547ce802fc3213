// SPDX-License-Identifier: Apache-2.0

/// Writes text and reasoning into the parts of a reply. It decides which white space is theirs and which belongs to tags,
/// and puts an empty line between two texts, or two reasonings.
struct PartWriter: Sendable {
    /// How white space is treated.
    private enum Whitespace { case hold, drop, keep }

    private var buffer = PartBuffer()
    private var whitespace: Whitespace
    /// White space that belongs to a tag if one follows, otherwise to the text.
    private var heldWhitespace: [Unicode.Scalar] = []
    /// Whether the answer has begun, since the last hidden tag.
    private(set) var hasText = false
    /// Whether any reasoning was written.
    private(set) var hasReasoning = false
    /// Whether an empty line must come before the next text, or the next reasoning.
    private var separatesText = false
    private var separatesReasoning = false
    /// The closing tag of the answer and white space after it: text only if more text follows.
    private var ending: [Unicode.Scalar] = []
    /// The length of that tag in bytes.
    private var endingTagBytes = 0

    /// See ``ResponseRouter/droppedBytes``.
    private(set) var droppedBytes = 0

    /// Begins a reply, at its first scalar or, where the prompt ends with a tag, after that.
    init(isAfterTag: Bool) { whitespace = isAfterTag ? .drop : .hold }

    /// Whether white space belongs to the tag before it.
    var dropsWhitespace: Bool { whitespace == .drop }

    /// Whether nothing but white space stands between a tag, or the start of the reply, and the next scalar.
    var isAtStart: Bool { whitespace != .keep }

    /// Leaves out white space after a tag.
    mutating func drop(_ scalar: Unicode.Scalar) { droppedBytes += UTF8.width(scalar) }

    /// Returns and removes the parts that are complete.
    mutating func take() -> [ResponsePart] { buffer.take() }

    /// Begins to count the dropped bytes of another piece.
    mutating func resetDroppedBytes() { droppedBytes = 0 }

    // MARK: Writing

    mutating func writeText(_ scalar: Unicode.Scalar) {
        if !ending.isEmpty {
            if scalar.properties.isWhitespace { return ending.append(scalar) }
            releaseEnding()
        }
        if whitespace != .keep, scalar.properties.isWhitespace {
            if whitespace == .hold { heldWhitespace.append(scalar) }
            return
        }
        if separatesText { separate(.text) }
        separatesText = false
        releaseWhitespace(.text)
        whitespace = .keep
        hasText = true
        buffer.append(scalar, .text)
    }

    mutating func writeReasoning(_ scalar: Unicode.Scalar) {
        if scalar.properties.isWhitespace {
            if whitespace != .drop { heldWhitespace.append(scalar) }
            return
        }
        if separatesReasoning { separate(.reasoning) }
        separatesReasoning = false
        releaseWhitespace(.reasoning)
        whitespace = .hold
        hasReasoning = true
        buffer.append(scalar, .reasoning)
    }

    mutating func write(_ part: ResponsePart) { buffer.append(part) }

    /// Writes the white space that was held back, which turned out to belong to the text or the reasoning.
    mutating func releaseWhitespace(_ kind: PartBuffer.Kind) {
        for scalar in heldWhitespace { buffer.append(scalar, kind) }
        heldWhitespace = []
    }

    /// Releases the character held back.
    mutating func settle() { buffer.settle() }

    // MARK: Tags

    /// Passes a tag. White space before and after it is dropped.
    mutating func passTag() {
        heldWhitespace = []
        ending = []
        whitespace = .drop
        buffer.settle()
    }

    /// Passes the tag that opens reasoning.
    mutating func passReasoningOpening() {
        separatesReasoning = hasReasoning
        passTag()
    }

    /// Passes a hidden tag, after which another text may begin.
    mutating func passHiddenTag() {
        separatesText = separatesText || hasText
        passTag()
        hasText = false
    }

    /// Holds back the closing tag of the answer.
    mutating func endAnswer(_ tag: ArraySlice<Unicode.Scalar>) {
        if !ending.isEmpty { releaseEnding() }
        ending = Array(tag)
        endingTagBytes = tag.reduce(0) { $0 + UTF8.width($1) }
        buffer.settle()
    }

    /// Releases the closing tag of the answer, which turned out to be text.
    private mutating func releaseEnding() {
        for scalar in ending { buffer.append(scalar, .text) }
        ending = []
        droppedBytes -= endingTagBytes
    }

    /// Puts an empty line before the next text or reasoning.
    private mutating func separate(_ kind: PartBuffer.Kind) {
        for _ in 0..<2 { buffer.append("\n", kind) }
        if kind == .text { droppedBytes -= 2 }
    }
}
