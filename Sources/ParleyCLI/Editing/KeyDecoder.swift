// SPDX-License-Identifier: Apache-2.0

import ParleySystem

/// Decodes the bytes from a terminal to keys: UTF-8, control characters, escape sequences and bracketed pastes.
///
/// The result does not depend on how the bytes are split into reads. Unknown sequences are ignored.
package struct KeyDecoder: Sendable {
    private enum State {
        case ground
        case character([UInt8], count: Int)
        case escape
        /// After `ESC [`, with the parameters so far.
        case sequence([UInt8])
        /// After `ESC O`.
        case shifted
        /// Inside a paste, after `matched` bytes of the sequence that ends it.
        case paste(matched: Int)
    }

    /// The maximum length of a paste in bytes; a longer one is truncated.
    private static let longestPaste = 1 << 20
    private static let pasteEnd = Array("\u{1b}[201~".utf8)

    private var state = State.ground
    private var pasted: [UInt8] = []

    /// Creates a decoder.
    package init() {}

    /// Decodes the next byte.
    ///
    /// - Returns: the key it completes, if it completes one.
    package mutating func consume(_ byte: UInt8) -> Key? {
        switch state {
        case .ground: return consumeInGround(byte)
        case .character(let bytes, let count): return consume(byte, of: bytes, count: count)
        case .escape: return consumeAfterEscape(byte)
        case .sequence(let parameters): return consume(byte, after: parameters)
        case .shifted:
            state = .ground
            return cursorKey(byte, isModified: false)
        case .paste(let matched): return consumePasted(byte, matched: matched)
        }
    }

    /// Ends an incomplete escape sequence after a pause: the escape key was pressed alone.
    package mutating func pause() {
        if case .escape = state { state = .ground }
    }

    private mutating func consumeInGround(_ byte: UInt8) -> Key? {
        switch byte {
        case 0x1b: state = .escape
        case 0x00...0x1f, 0x7f: return Self.controls[byte]
        case 0x20...0x7e: return .text(Unicode.Scalar(byte))
        case 0xc2...0xdf: state = .character([byte], count: 2)
        case 0xe0...0xef: state = .character([byte], count: 3)
        case 0xf0...0xf4: state = .character([byte], count: 4)
        default: return .text("\u{fffd}")
        }
        return nil
    }

    private static let controls: [UInt8: Key] = [
        0x01: .home, 0x02: .left, 0x03: .interrupt, 0x04: .endOfInput, 0x05: .end, 0x06: .right, 0x08: .backspace,
        0x09: .tab, 0x0a: .enter, 0x0b: .deleteToEnd, 0x0c: .clearScreen, 0x0d: .enter, 0x0e: .down, 0x10: .up,
        0x15: .deleteToStart, 0x17: .deleteWordLeft, 0x19: .yank, 0x1a: .suspend, 0x7f: .backspace,
    ]

    private mutating func consume(_ byte: UInt8, of bytes: [UInt8], count: Int) -> Key? {
        guard (0x80...0xbf).contains(byte) else {
            // The sequence is invalid; the byte begins another key.
            state = .ground
            return consumeInGround(byte) ?? .text("\u{fffd}")
        }
        let bytes = bytes + [byte]
        guard bytes.count == count else {
            state = .character(bytes, count: count)
            return nil
        }
        state = .ground
        let scalar = String(decoding: bytes, as: UTF8.self).unicodeScalars.first ?? "\u{fffd}"
        // A terminal would take the controls of two bytes as the beginning of a sequence.
        return scalar.properties.generalCategory == .control ? nil : .text(scalar)
    }

    private mutating func consumeAfterEscape(_ byte: UInt8) -> Key? {
        state = .ground
        switch byte {
        case UInt8(ascii: "["): state = .sequence([])
        case UInt8(ascii: "O"): state = .shifted
        case 0x1b: state = .escape
        case UInt8(ascii: "b"), UInt8(ascii: "B"): return .wordLeft
        case UInt8(ascii: "f"), UInt8(ascii: "F"): return .wordRight
        case UInt8(ascii: "d"), UInt8(ascii: "D"): return .deleteWordRight
        case 0x08, 0x7f: return .deleteWordLeft
        case 0x0a, 0x0d: return .newline
        default: break
        }
        return nil
    }

    private mutating func consume(_ byte: UInt8, after parameters: [UInt8]) -> Key? {
        guard (0x40...0x7e).contains(byte) else {
            // Parameters are short. A longer sequence is unknown, and is skipped up to its end.
            state = .sequence(parameters.count < 16 ? parameters + [byte] : parameters)
            return nil
        }
        state = .ground
        let numbers = parameters.split(separator: UInt8(ascii: ";")).map { String(decoding: $0, as: UTF8.self) }
        let isModified = numbers.count > 1 && numbers[1] != "2"
        guard byte == UInt8(ascii: "~") else { return cursorKey(byte, isModified: isModified) }
        switch numbers.first {
        case "1", "7": return .home
        case "4", "8": return .end
        case "3": return isModified ? .deleteWordRight : .delete
        case "200": state = .paste(matched: 0)
        default: break
        }
        return nil
    }

    private func cursorKey(_ byte: UInt8, isModified: Bool) -> Key? {
        switch byte {
        case UInt8(ascii: "A"): .up
        case UInt8(ascii: "B"): .down
        case UInt8(ascii: "C"): isModified ? .wordRight : .right
        case UInt8(ascii: "D"): isModified ? .wordLeft : .left
        case UInt8(ascii: "H"): .home
        case UInt8(ascii: "F"): .end
        default: nil
        }
    }

    private mutating func consumePasted(_ byte: UInt8, matched: Int) -> Key? {
        guard byte == Self.pasteEnd[matched] else {
            // The end sequence has an escape character only at its beginning, so what matched so far is text.
            keep(Self.pasteEnd[..<matched])
            let restarts = byte == Self.pasteEnd[0]
            if !restarts { keep([byte]) }
            state = .paste(matched: restarts ? 1 : 0)
            return nil
        }
        guard matched + 1 == Self.pasteEnd.count else {
            state = .paste(matched: matched + 1)
            return nil
        }
        defer { pasted = [] }
        state = .ground
        return .paste(PlainText.clean(String(decoding: pasted, as: UTF8.self)))
    }

    private mutating func keep(_ bytes: some Collection<UInt8>) {
        pasted.append(contentsOf: bytes.prefix(Self.longestPaste - pasted.count))
    }
}
