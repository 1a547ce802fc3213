// SPDX-License-Identifier: Apache-2.0

/// A part of an answer that is JSON: once the model has written the text that opens it, what follows satisfies a schema
/// by construction, up to the text that closes it.
///
/// ```swift
/// let place = JSONSchema.object(["city": .string()])
/// options.heldBlocks = [HeldBlock(opening: "[MAP:", schema: place, closing: "]")]
/// // "Here it is: [MAP:{"city":"Paris"}] Shall I zoom in?"
/// ```
///
/// Whether a model opens a block is left to it. Runners that do not choose tokens themselves ignore blocks.
public struct HeldBlock: Hashable, Sendable {
    /// The text that opens the block; not empty.
    public var opening: String
    /// The schema of what follows.
    public var schema: JSONSchema
    /// The text that closes the block.
    public var closing: String

    /// Creates a block.
    public init(opening: String, schema: JSONSchema, closing: String) {
        (self.opening, self.schema, self.closing) = (opening, schema, closing)
    }
}
