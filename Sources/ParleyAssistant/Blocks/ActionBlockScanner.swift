// SPDX-License-Identifier: Apache-2.0

/// Finds action blocks in a reply while it is being generated, both for showing the text and for running the actions.
///
/// The text is passed in pieces of any size. The scanner returns text to show and complete blocks, in the order in
/// which they were written. Text that may still become a block is held back, so that an incomplete block is never
/// shown. Brackets and braces within JSON strings do not count. The result does not depend on how the reply is divided.
/// At the beginning of a line a block is recognised without its brackets too; it has a fault, so that nothing is done
/// before the user has looked at it.
///
/// ```swift
/// var scanner = ActionBlockScanner()
/// for piece in pieces { show(scanner.read(piece)) }
/// show(scanner.finish())
/// ```
///
/// The scanner holds little more than ``limit`` bytes, and takes a bounded time for each byte.
public struct ActionBlockScanner: Sendable {
    /// A part of the reply: text or a block.
    public enum Part: Hashable, Sendable {
        /// Text to show.
        case text(String)
        /// A block, complete or with a fault.
        case block(ActionBlock)
    }

    /// The maximum length of a block in bytes.
    public static let limit = 16_384

    private enum State {
        /// Outside blocks; the held bytes may begin one.
        case text
        /// After the tag and before the opening brace.
        case tag(ActionTag)
        /// Within the object: the nesting depth, and whether within a string and after a backslash.
        case object(ActionTag, start: Int, depth: Int, isString: Bool, isEscaped: Bool)
        /// After the object and before the closing bracket.
        case closing(ActionTag, payload: Range<Int>)
        /// Within a block without an object, until the end of the block or the line.
        case broken(ActionTag)
    }

    private var state = State.text
    /// The bytes that are, or may become, a block.
    private var held: [UInt8] = []
    private var text: [UInt8] = []
    /// The byte before those that are held.
    private var before = UInt8(ascii: "\n")
    private var parts: [Part] = []

    /// Creates a scanner for a new reply.
    public init() {}

    /// The tag of the block that is being written, if any.
    public var openTag: ActionTag? {
        switch state {
        case .text: nil
        case .tag(let tag), .object(let tag, _, _, _, _), .closing(let tag, _), .broken(let tag): tag
        }
    }

    /// Returns the parts that a further piece of the reply completes.
    public mutating func read(_ piece: some StringProtocol) -> [Part] {
        for byte in piece.utf8 { read(byte) }
        return take()
    }

    /// Returns the remaining parts at the end of the reply; an unclosed block is returned with a fault.
    public mutating func finish() -> [Part] {
        switch state {
        case .text: text += held
        case .closing(let tag, let payload): end(tag, payload: payload, fault: .unclosed)
        case .tag(let tag), .object(let tag, _, _, _, _), .broken(let tag): end(tag, fault: .unclosed)
        }
        held = []
        state = .text
        return take()
    }

    /// Returns the parts of a complete reply.
    public static func parts(of reply: String) -> [Part] {
        var scanner = ActionBlockScanner()
        return scanner.read(reply) + scanner.finish()
    }

    /// The text of a complete reply without its blocks.
    static func text(of reply: String) -> String {
        parts(of: reply).reduce(into: TextWithoutBlocks()) { text, part in _ = text.add(part) }.text
    }

    // MARK: Bytes

    private mutating func read(_ byte: UInt8) {
        if case .text = state { return readText(byte) }
        // Only cut between characters: bytes that are not the first of a character have the form 10xxxxxx.
        if held.count >= Self.limit, byte & 0xC0 != 0x80, let tag = openTag {
            end(tag, fault: .tooLong)
            return readText(byte)
        }
        held.append(byte)
        switch state {
        case .text: break
        case .tag(let tag):
            if byte == UInt8(ascii: "{") {
                state = .object(tag, start: held.count - 1, depth: 1, isString: false, isEscaped: false)
            } else if !Self.isSpace(byte) {
                state = .broken(tag)
                readBroken(byte, tag)
            }
        case .object(let tag, let start, var depth, var isString, var isEscaped):
            if isString {
                if byte == UInt8(ascii: "\""), !isEscaped { isString = false }
                isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
            } else {
                switch byte {
                case UInt8(ascii: "\""): isString = true
                case UInt8(ascii: "{"): depth += 1
                case UInt8(ascii: "}"): depth -= 1
                default: break
                }
            }
            if depth > 0 {
                state = .object(tag, start: start, depth: depth, isString: isString, isEscaped: isEscaped)
            } else if held.first == UInt8(ascii: "[") {
                state = .closing(tag, payload: start..<held.count)
            } else {
                end(tag, payload: start..<held.count, fault: .bare)
            }
        case .closing(let tag, let payload):
            if byte == UInt8(ascii: "]") {
                end(tag, payload: payload, fault: nil)
            } else if !Self.isSpace(byte) {
                // The block ends with its object; the bytes after it are scanned again as text.
                let rest = Array(held[payload.upperBound...])
                held.removeLast(rest.count)
                end(tag, payload: payload, fault: .shape)
                for byte in rest { readText(byte) }
            }
        case .broken(let tag): readBroken(byte, tag)
        }
    }

    private mutating func readText(_ byte: UInt8) {
        held.append(byte)
        while !held.isEmpty {
            if let (_, tag) = ActionTag.openings.first(where: { $0.bytes == held }) {
                flush()
                state = .tag(tag)
                return
            }
            if before == UInt8(ascii: "\n") {
                if let (_, tag) = ActionTag.bareOpenings.first(where: { $0.bytes == held }) {
                    flush()
                    state = .object(tag, start: held.count - 1, depth: 1, isString: false, isEscaped: false)
                    return
                }
                if ActionTag.bareOpenings.contains(where: { $0.bytes.starts(with: held) }) { return }
            }
            if ActionTag.openings.contains(where: { $0.bytes.starts(with: held) }) { return }
            before = held.removeFirst()
            text.append(before)
        }
    }

    private mutating func readBroken(_ byte: UInt8, _ tag: ActionTag) {
        if byte == UInt8(ascii: "]") || byte == UInt8(ascii: "\n") { end(tag, fault: .shape) }
    }

    private mutating func end(_ tag: ActionTag, payload: Range<Int>? = nil, fault: ActionBlock.Fault?) {
        parts.append(.block(ActionBlock(tag, text: held, payload: held[payload ?? 0..<0], fault: fault)))
        before = held.last ?? before
        held = []
        state = .text
    }

    private mutating func flush() {
        guard !text.isEmpty else { return }
        parts.append(.text(String(decoding: text, as: UTF8.self)))
        text = []
    }

    private mutating func take() -> [Part] {
        flush()
        defer { parts = [] }
        return parts
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
}
