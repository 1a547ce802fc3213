// SPDX-License-Identifier: Apache-2.0

public import ParleyJSON

/// A block in a model's reply that requests an action.
public struct ActionBlock: Hashable, Sendable {
    /// The reason why a block cannot be parsed.
    public enum Fault: Hashable, Sendable {
        /// The reply ended before the end of the block.
        case unclosed
        /// There is no JSON object after the tag, or something other than `]` after the object.
        case shape
        /// The brackets around the tag and the object are missing.
        case bare
        /// The block is longer than ``ActionBlockScanner/limit``.
        case tooLong
        /// The text between the braces is not valid JSON; the value describes the error.
        case json(String)
    }

    /// The tag, which states the kind of action.
    public var tag: ActionTag
    /// The whole block as written, from `[` to `]` or to where it ended early, so that it can be edited by hand.
    public var text: String
    /// The JSON object between the tag and the bracket as written; empty if there is none.
    public var payload: String
    /// The fault of the block, if any.
    public var fault: Fault?

    /// The payload as a value; nil if the block has a fault.
    public var arguments: JSONValue? { fault == nil ? try? JSONValue(parsing: payload) : nil }

    init(_ tag: ActionTag, text: [UInt8], payload: ArraySlice<UInt8>, fault: Fault?) {
        self.tag = tag
        self.text = String(decoding: text, as: UTF8.self)
        self.payload = String(decoding: payload, as: UTF8.self)
        self.fault = fault
        guard fault == nil else { return }
        do {
            if try JSONValue(parsing: payload).object == nil { self.fault = .shape }
        } catch {
            self.fault = .json(error.description)
        }
    }
}
