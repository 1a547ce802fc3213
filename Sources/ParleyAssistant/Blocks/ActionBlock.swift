// SPDX-License-Identifier: Apache-2.0

public import ParleyJSON

/// A block in a model's reply that asks for an action.
public struct ActionBlock: Hashable, Sendable {
    /// Why a block cannot be read.
    public enum Fault: Hashable, Sendable {
        /// The reply ended before the block did.
        case unclosed
        /// No JSON object stands after the tag, or something else than `]` after the object.
        case shape
        /// It is longer than ``ActionBlockScanner/limit``.
        case tooLong
        /// What stands between the braces is not JSON.
        case json(String)
    }

    /// What it asks for.
    public var tag: ActionTag
    /// The whole block as it was written, from `[` to `]` or to where it broke off, to be edited by hand.
    public var text: String
    /// The JSON object between the tag and the bracket as it was written; empty where there is none.
    public var payload: String
    /// What is wrong with it, if anything.
    public var fault: Fault?

    /// The payload as a value; nil where the block has a fault.
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
