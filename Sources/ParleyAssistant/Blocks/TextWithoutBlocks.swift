// SPDX-License-Identifier: Apache-2.0

/// The text of a reply without its blocks, as it is shown, put together from the parts of an ``ActionBlockScanner``.
///
/// Where a block stood between white space, that after it is left out as far as there is as much before it, so that no
/// gap remains. The result does not depend on how the reply is divided.
struct TextWithoutBlocks {
    /// White space after a block, as far as it may be left out.
    private enum Gap {
        case none
        /// Before the first line break: spaces are left out, and as many line breaks as there are before the block.
        case spaces(breaks: Int)
        /// After a line break: spaces belong to the next line.
        case lines(breaks: Int)
    }

    /// The text so far.
    private(set) var text = ""
    private var gap = Gap.none

    /// Takes the next part of the reply.
    ///
    /// - Returns: what it adds to the text.
    mutating func add(_ part: ActionBlockScanner.Part) -> String {
        switch part {
        case .text(let piece):
            let added = closing(piece)
            text += added
            return added
        case .block:
            let space = text.reversed().prefix(while: \.isWhitespace)
            let isOpen = space.isEmpty && !text.isEmpty
            gap = isOpen ? .none : .spaces(breaks: text.isEmpty ? .max : space.count(where: \.isNewline))
            return ""
        }
    }

    /// A piece without what fills the gap after a block.
    private mutating func closing(_ piece: String) -> String {
        var rest = piece[...]
        var kept = ""
        while let character = rest.first {
            guard character.isWhitespace else {
                gap = .none
                break
            }
            switch gap {
            case .none: return kept + rest
            case .spaces(let breaks), .lines(let breaks):
                rest.removeFirst()
                if character.isNewline {
                    if breaks == 0 { kept.append(character) }
                    gap = .lines(breaks: max(0, breaks - 1))
                } else if case .lines = gap {
                    kept.append(character)
                }
            }
        }
        return kept + rest
    }
}
