// SPDX-License-Identifier: Apache-2.0

/// The limits on the work and the memory of a template. It is untrusted, as it comes with a model file.
///
/// All work and memory is charged before it is used. Work is counted in steps: one for each statement and each
/// expression, more for calls, and parts of a step for each byte or element that they read or copy. A step takes about
/// 125 ns on one core of a machine of 2024, and never more than 300 ns: 2 million of them end within 0.6 s. Input adds
/// one step for 8 bytes (its text, and 32 bytes for each value); reading it uses a part of these. Before that, a
/// template of the longest source is parsed within 0.1 s. Memory is the amount held at the same time: 40 MB, and 2
/// bytes more for each byte of input. With the allocator's rounding, and the 12 MB of a syntax tree of the longest
/// source, rendering stays below 64 MB and twice its input.
package struct TemplateLimits: Hashable, Sendable {
    /// How long a template may be, in bytes. It may also have at most 65,536 tokens.
    package var sourceBytes: Int
    /// How deep blocks, expressions, macro calls and values may be nested; larger values than 160 count as 160, to
    /// bound the stack.
    package var depth: Int {
        didSet { depth = min(max(depth, 1), 160) }
    }
    /// How many steps rendering may take, beside those for its input: one for each statement and expression, and one
    /// for each 1024 bytes or 8 elements that are copied and each 64 bytes that are read.
    package var steps: Int
    /// How long the rendered text may be, in bytes.
    package var outputBytes: Int
    /// How much memory the values of a rendering may take at the same time, beside twice the size of the input, in
    /// bytes.
    package var memoryBytes: Int

    /// Makes limits; the defaults are far above the needs of models' own templates.
    package init(
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
    package static let standard = TemplateLimits()
}
