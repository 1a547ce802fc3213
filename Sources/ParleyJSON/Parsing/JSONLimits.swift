// SPDX-License-Identifier: Apache-2.0

/// The limits on a document that is parsed.
public struct JSONLimits: Hashable, Sendable {
    /// How deep arrays and objects may be nested; larger values than 512 count as 512, to bound the stack.
    public var depth: Int {
        didSet { depth = min(max(depth, 0), 512) }
    }
    /// How many bytes a document may have.
    public var bytes: Int

    /// Makes limits; the defaults suit configuration files, tool schemas and chat histories.
    public init(depth: Int = 256, bytes: Int = 1 << 28) {
        self.depth = min(max(depth, 0), 512)
        self.bytes = bytes
    }

    /// Depth 256 and 256 MiB.
    public static let standard = JSONLimits()
}
