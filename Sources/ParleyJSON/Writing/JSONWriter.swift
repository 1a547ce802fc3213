// SPDX-License-Identifier: Apache-2.0

/// Writes values into one growing string.
struct JSONWriter {
    let format: JSONFormat
    private(set) var output = ""
    private var depth = 0

    init(format: JSONFormat) {
        self.format = format
    }

    mutating func write(_ value: JSONValue) {
        switch value {
        case .null: output += "null"
        case .bool(let value): output += value ? "true" : "false"
        case .integer(let value): output += String(value)
        case .number(let value): output += value.isFinite ? JSONText.number(value) : "null"
        case .decimal(let value): output += value.text
        case .string(let value): quote(value)
        case .array(let elements): writeList("[", elements, "]") { writer, element in writer.write(element) }
        case .object(let members): writeObject(members)
        }
    }

    private mutating func writeObject(_ members: JSONObject) {
        let elements =
            format.sortsKeys
            ? members.elements.sorted { $0.key.unicodeScalars.lexicographicallyPrecedes($1.key.unicodeScalars) }
            : Array(members.elements)
        writeList("{", elements, "}") { writer, member in
            writer.quote(member.key)
            writer.output += writer.format.keySeparator
            writer.write(member.value)
        }
    }

    private mutating func quote(_ text: String) {
        JSONText.quote(text.unicodeScalars, escapesNonASCII: format.escapesNonASCII, into: &output)
    }

    private mutating func writeList<Element>(
        _ opening: String, _ elements: [Element], _ closing: String, _ body: (inout JSONWriter, Element) -> Void
    ) {
        output += opening
        guard !elements.isEmpty else { return output += closing }
        depth += 1
        for (index, element) in elements.enumerated() {
            if index > 0 { output += format.itemSeparator }
            breakLine()
            body(&self, element)
        }
        depth -= 1
        breakLine()
        output += closing
    }

    private mutating func breakLine() {
        guard let indentation = format.indentation else { return }
        output += "\n"
        for _ in 0..<depth { output += indentation }
    }
}
