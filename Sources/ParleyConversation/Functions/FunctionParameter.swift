// SPDX-License-Identifier: Apache-2.0

import ParleyJSON

/// A parameter of a ``Function``.
public struct FunctionParameter: Hashable, Sendable {
    /// The parameter's name.
    public var name: String
    /// The schema of its values.
    public var type: JSONSchema
    /// Its meaning, for the model to read.
    public var description: String?
    /// Whether the model may leave it out.
    public var optional: Bool

    /// Creates a parameter.
    public init(name: String, type: JSONSchema, description: String? = nil, optional: Bool = false) {
        self.name = name
        self.type = type
        self.description = description
        self.optional = optional
    }

    /// The schema with the description included.
    var schema: JSONSchema {
        var schema = type
        if let description { schema.value["description"] = .string(description) }
        return schema
    }
}
