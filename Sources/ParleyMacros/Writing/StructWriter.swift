// SPDX-License-Identifier: Apache-2.0

/// Writes the members for a struct.
struct StructWriter {
    private let reader: StructReader
    private let description: String?

    init(_ reader: StructReader, description: String?) {
        self.reader = reader
        self.description = description
    }

    var members: [String] {
        [schema, partialType, partialReader]
    }

    private var schema: String {
        let arguments = (["Self.self"] + (description.map { ["description: \($0)"] } ?? [])).joined(separator: ", ")
        let signature = SchemaCode.signature(access: reader.access)
        guard !reader.properties.isEmpty else {
            return "\(signature) {\n    builder.object(\(arguments)) { _ in }\n}"
        }
        let lines = reader.properties.map { property in
            "        "
                + SchemaCode.property(
                    key(property, in: "stringValue"), property.shape, isRequired: property.isRequired,
                    description: property.guide.description, rules: property.guide.rules)
        }
        return """
            \(signature) {
                builder.object(\(arguments)) { object in
            \(lines.joined(separator: "\n"))
                }
            }
            """
    }

    private var partialType: String {
        let fields = reader.properties.map { property in
            "    \(property.access)var \(property.name): \(property.shape.unwrapped.partialText)?"
        }
        let opening = "\(reader.access)struct Partial: Swift.Sendable {"
        let lines =
            ["/// A value that is still being generated: the properties that are known so far.", opening] + fields + [
                "}"
            ]
        return lines.joined(separator: "\n")
    }

    private var partialReader: String {
        var lines = ["var partial = Partial()"]
        if reader.properties.isEmpty { lines = ["let partial = Partial()"] }
        lines += reader.properties.map { property in
            "partial.\(property.name) = value.member(\(key(property, in: "stringValue")), "
                + "\(property.shape.unwrapped.text).self)"
        }
        return """
            \(reader.access)static func partial(from value: ParleyGeneratable.PartialValue) -> Partial? {
                guard value.members != nil else {
                    return nil
                }
            \((lines + ["return partial"]).map { "    \($0)" }.joined(separator: "\n"))
            }
            """
    }

    /// The initialiser, which is in an extension and names no types, as not all are visible there. Nil where the struct
    /// has its own.
    var initializer: String? {
        guard !reader.hasInitializer else { return nil }
        let keys = reader.hasCodingKeys ? "CodingKeys" : "ParleyGeneratable.GenerationKey"
        let members = "try ParleyGeneratable.DecodedMembers(of: decoder, keyedBy: \(keys).self)"
        let lines =
            [reader.properties.isEmpty ? "_ = \(members)" : "let members = \(members)"]
            + reader.properties.map { property in
                let (name, key) = ("self.\(property.name)", key(property, in: nil))
                if property.hasDefault { return "try members.update(&\(name), \(key))" }
                return "\(name) = try members.\(property.shape.isOptional ? "optional" : "value")(\(key))"
            }
        return """
            \(reader.access)init(from decoder: any Swift.Decoder) throws {
            \(lines.map { "    \($0)" }.joined(separator: "\n"))
            }
            """
    }

    /// The name of a property in JSON, as an expression.
    private func key(_ property: StoredProperty, in member: String?) -> String {
        guard reader.hasCodingKeys else { return "\"\(property.plainName)\"" }
        return "CodingKeys.\(property.name)" + (member.map { ".\($0)" } ?? "")
    }
}
