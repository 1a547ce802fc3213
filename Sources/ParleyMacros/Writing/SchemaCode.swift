// SPDX-License-Identifier: Apache-2.0

/// Writes the code that describes types.
enum SchemaCode {
    static func signature(access: String) -> String {
        "\(access)static func schema(in builder: inout ParleyGeneratable.SchemaBuilder) -> ParleyConversation.JSONSchema"
    }

    /// The call that adds a property, whose name is given as an expression, to an `object`.
    static func property(
        _ name: String, _ shape: TypeShape, isRequired: Bool, description: String? = nil, rules: [String] = []
    ) -> String {
        var arguments = [name, "\(shape.unwrapped.text).self"]
        if !isRequired { arguments.append("isRequired: false") }
        if let description { arguments.append("description: \(description)") }
        if !rules.isEmpty { arguments.append("rules: [\(rules.joined(separator: ", "))]") }
        return "object.property(\(arguments.joined(separator: ", ")))"
    }
}
