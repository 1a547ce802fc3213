// SPDX-License-Identifier: Apache-2.0

/// What a template may cost. A template is untrusted: it comes with a model file.
public struct TemplateLimits: Hashable, Sendable {
    /// How long a template may be, in bytes.
    public var sourceBytes: Int
    /// How deep blocks, expressions, macro calls and values may be nested; at most 160 is honoured, to bound the stack.
    public var depth: Int {
        didSet { depth = min(max(depth, 1), 160) }
    }
    /// How many steps rendering may take: one for each statement and expression, and one for each element it handles.
    public var steps: Int
    /// How long the rendered text may be, in characters (Unicode scalars).
    public var outputCharacters: Int
    /// How many characters all strings made while rendering may have together.
    public var madeCharacters: Int
    /// How many elements all lists and dictionaries made while rendering may have together.
    public var madeElements: Int

    /// Makes limits; the defaults are far above what a model's own template needs.
    public init(
        sourceBytes: Int = 1 << 20, depth: Int = 160, steps: Int = 5_000_000, outputCharacters: Int = 1 << 24,
        madeCharacters: Int = 1 << 26, madeElements: Int = 1 << 22
    ) {
        self.sourceBytes = sourceBytes
        self.depth = min(max(depth, 1), 160)
        self.steps = steps
        self.outputCharacters = outputCharacters
        self.madeCharacters = madeCharacters
        self.madeElements = madeElements
    }

    /// The default limits.
    public static let standard = TemplateLimits()
}
