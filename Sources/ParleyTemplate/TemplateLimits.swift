// SPDX-License-Identifier: Apache-2.0

/// Limits on the work and memory of a template, which is untrusted because it comes with a model file.
///
/// All work and memory is charged before it is used. Work is counted in steps: one for each statement and each
/// expression, more for calls, and a fraction of a step for each byte or element that is read or copied. A step takes
/// about 125 ns on one core of a machine of 2024, and never more than 300 ns, so 2 million steps take at most 0.6 s.
/// The input adds one step for each 8 bytes (of its text, and 32 bytes for each value), part of which is used for
/// reading it. Parsing a template of the maximum length takes at most 0.1 s.
///
/// Memory is the maximum held at the same time: 40 MB, plus 2 bytes for each byte of input. Including the allocator's
/// rounding, and 12 MB for the syntax tree of a template of the maximum length, rendering stays below 64 MB plus twice
/// its input.
package struct TemplateLimits: Hashable, Sendable {
    /// The maximum length of a template in bytes. A template may also have at most 65,536 tokens.
    package var sourceBytes: Int
    /// The maximum depth of nested blocks, expressions, macro calls and values; at most 160, to bound the use of the
    /// stack.
    package var depth: Int {
        didSet { depth = min(max(depth, 1), 160) }
    }
    /// The maximum number of steps of a rendering, in addition to those for its input: one for each statement and
    /// expression, one for each 1024 bytes or 8 elements that are copied, and one for each 64 bytes that are read.
    package var steps: Int
    /// The maximum length of the rendered text in bytes.
    package var outputBytes: Int
    /// The maximum memory of a rendering's values in bytes, in addition to twice the size of the input.
    package var memoryBytes: Int

    /// Makes limits; the defaults are far above what real models' templates need.
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
