// SPDX-License-Identifier: Apache-2.0

/// How an engine stores the keys and values that a model has computed of a sequence.
public struct CacheType: RawRepresentable, Sendable, Hashable, CaseIterable, CustomStringConvertible {
    private enum Kind: String, CaseIterable {
        case f16, q8_0
    }

    private let kind: Kind

    /// Floating-point numbers of 16 bits, the usual.
    public static let f16 = CacheType(kind: .f16)
    /// Integers of 8 bits, and a scale for every 32 of them: about half the memory, and less to read at each token after a
    /// long text. Logits differ a little.
    public static let q8_0 = CacheType(kind: .q8_0)

    /// All types, the usual one first.
    public static var allCases: [CacheType] { Kind.allCases.map(CacheType.init(kind:)) }

    private init(kind: Kind) {
        self.kind = kind
    }

    /// The type of a name; nil for another name.
    public init?(rawValue: String) {
        guard let kind = Kind(rawValue: rawValue) else { return nil }
        self.kind = kind
    }

    /// The name, such as `q8_0`.
    public var rawValue: String { kind.rawValue }

    /// The name.
    public var description: String { rawValue }
}
