// SPDX-License-Identifier: Apache-2.0

/// Writes the member for an enum, which Swift's own `Decodable` reads.
struct EnumWriter {
    private let reader: EnumReader
    private let description: String?

    init(_ reader: EnumReader, description: String?) {
        self.reader = reader
        self.description = description
    }

    var schema: String {
        let description = description.map { ", description: \($0)" } ?? ""
        let body: [String]
        if reader.isRaw {
            let values = reader.cases.map { "Self.\($0.name).rawValue" }.joined(separator: ", ")
            body = ["builder.values(Self.self, of: [\(values)]\(description))"]
        } else {
            body =
                ["builder.cases(Self.self\(description)) { cases in"]
                + reader.cases.flatMap(lines).map { "    \($0)" } + ["}"]
        }
        return """
            \(SchemaCode.signature(access: reader.access)) {
            \(body.map { "    \($0)" }.joined(separator: "\n"))
            }
            """
    }

    private func lines(of item: EnumReader.Case) -> [String] {
        let name = reader.hasCodingKeys ? "CodingKeys.\(item.name).stringValue" : "\"\(item.plainName)\""
        guard !item.values.isEmpty else { return ["cases.add(\(name))"] }
        return ["cases.add(\(name)) { object in"]
            + item.values.map { value in
                "    "
                    + SchemaCode.property(
                        key(of: value, in: item), value.shape, isRequired: !value.shape.isOptional)
            } + ["}"]
    }

    /// The name of an associated value in JSON, as an expression.
    private func key(of value: EnumReader.Value, in item: EnumReader.Case) -> String {
        guard reader.casesWithKeys.contains(item.plainName) else { return "\"\(value.name)\"" }
        let keys = item.plainName.prefix(1).uppercased() + item.plainName.dropFirst() + "CodingKeys"
        return "\(keys).\(value.name).stringValue"
    }
}
