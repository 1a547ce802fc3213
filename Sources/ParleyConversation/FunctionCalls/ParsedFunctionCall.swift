// SPDX-License-Identifier: Apache-2.0

public import ParleyJSON

/// A function call as the model wrote it.
public struct ParsedFunctionCall: Hashable, Sendable {
    /// The id that the model wrote, if any. It is kept unless another call of the conversation has the same one.
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
