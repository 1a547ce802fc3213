// SPDX-License-Identifier: Apache-2.0

public import ParleyJSON

/// A call as it was written.
public struct ParsedFunctionCall: Hashable, Sendable {
    /// The id that the model gave, if any. It is kept where it is not taken.
    public var id: String?
    /// The function's name.
    public var name: String
    /// The arguments by the parameters' names.
    public var arguments: JSONObject

    /// Creates a call.
    public init(id: String? = nil, name: String, arguments: JSONObject) {
        self.id = id
        self.name = name
        self.arguments = arguments
    }
}
