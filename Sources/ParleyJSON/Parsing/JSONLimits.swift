// SPDX-License-Identifier: Apache-2.0

/// The limits on a document that is parsed.
public struct JSONLimits: Hashable, Sendable {
    /// The maximum depth of nested arrays and objects; at most 512, to bound the use of the stack.
    public var depth: Int {
        didSet { depth = min(max(depth, 0), 512) }
    }
    /// The maximum length of a document in bytes.
    public var bytes: Int
    /// The maximum number of values in a document, counting every member and element: a parsed value takes far more
    /// memory than the two bytes it can be written with.
    public var values: Int
    /// Whether the members of an object must have different names; otherwise the last one of a name counts.
    public var requiresDistinctNames: Bool
    /// The maximum number of combining marks in a row in a string: to compare or hash strings takes a time that grows
    /// with its square.
    public var marks: Int

    /// Makes limits; the defaults suit configuration files, tool schemas and chat histories.
    public init(
        depth: Int = 256, bytes: Int = 1 << 28, values: Int = .max, requiresDistinctNames: Bool = false,
        marks: Int = .max
    ) {
        self.depth = min(max(depth, 0), 512)
        self.bytes = bytes
        self.values = values
        self.requiresDistinctNames = requiresDistinctNames
        self.marks = marks
    }

    /// Depth 256 and 256 MiB.
    public static let standard = JSONLimits()
}
