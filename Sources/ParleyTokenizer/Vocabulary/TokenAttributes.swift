// SPDX-License-Identifier: Apache-2.0

/// The purposes of a token, determined from its kind in the file and its well-known text.
struct TokenAttributes: OptionSet, Sendable {
    let rawValue: UInt8

    static let normal = TokenAttributes(rawValue: 1)
    static let unknown = TokenAttributes(rawValue: 2)
    static let control = TokenAttributes(rawValue: 4)
    static let userDefined = TokenAttributes(rawValue: 8)
    static let byte = TokenAttributes(rawValue: 16)
    /// White space before the token in the text belongs to it.
    static let stripsLeft = TokenAttributes(rawValue: 32)
    /// White space after the token in the text belongs to it.
    static let stripsRight = TokenAttributes(rawValue: 64)
    /// The file declares the token as control or unknown: ordinary text never becomes it.
    static let reserved = TokenAttributes(rawValue: 128)

    init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    init(_ kind: TokenizerDescription.TokenKind) {
        self =
            switch kind {
            case .normal: .normal
            case .unknown: [.unknown, .reserved]
            case .control: [.control, .reserved]
            case .userDefined: .userDefined
            case .byte: .byte
            case .unused: []
            }
    }
}
