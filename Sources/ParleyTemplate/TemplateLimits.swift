// SPDX-License-Identifier: Apache-2.0

/// What a template may cost. A template is untrusted: it comes with a model file.
///
/// Every byte that is made or read is paid for before it is made or read, in two currencies. Work is counted in steps:
/// one for each statement and each expression, more for calls, and parts of one for what they go through. The prices are
/// such that a step takes 125 ns of one processor core of a machine of 2024, whatever it is spent on, and never more
/// than 300 ns: 2 million of them end within 0.6 s. The more input there is, the more steps there are, one in addition
/// for 8 bytes (its text, and 32 bytes for each value), which reading the input takes a part of. Before that, a template
/// of the longest source is parsed within 0.1 s. Memory is what is held at the same time: 40 MB, and in addition 2 bytes
/// for each byte of input. With what the allocator rounds up, and with the 12 MB that a tree of the longest source takes,
/// rendering stays below 64 MB and twice its input.
public struct TemplateLimits: Hashable, Sendable {
    /// How long a template may be, in bytes. Beside that, it may consist of 65,536 words and signs.
    public var sourceBytes: Int
    /// How deep blocks, expressions, macro calls and values may be nested; at most 160 is honoured, to bound the stack.
    public var depth: Int {
        didSet { depth = min(max(depth, 1), 160) }
    }
    /// How many steps rendering may take, beside those for its input: one for each statement and expression, and one for
    /// 1024 bytes or 8 elements that are copied, or for 64 bytes that are read.
    public var steps: Int
    /// How long the rendered text may be, in bytes.
    public var outputBytes: Int
    /// How much memory the values of a rendering may hold at the same time, beside twice what the input takes, in bytes.
    public var memoryBytes: Int

    /// Makes limits; the defaults are far above what a model's own template needs.
    public init(
        sourceBytes: Int = 1 << 18, depth: Int = 160, steps: Int = 2_000_000, outputBytes: Int = 1 << 24,
        memoryBytes: Int = 40 << 20
    ) {
        self.sourceBytes = sourceBytes
        self.depth = min(max(depth, 1), 160)
        self.steps = steps
        self.outputBytes = outputBytes
        self.memoryBytes = memoryBytes
    }

    /// The default limits.
    public static let standard = TemplateLimits()
}
