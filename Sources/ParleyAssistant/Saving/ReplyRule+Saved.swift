// SPDX-License-Identifier: Apache-2.0

import ParleyConversation
import ParleyJSON

extension ReplyRule {
    /// The rule as JSON. Most replies of a chat have the same one, so a file has each once, and its number in receipts.
    var saved: JSONValue {
        var members: JSONObject = [:]
        if !heldBlocks.isEmpty {
            members["held_blocks"] = .array(
                heldBlocks.map {
                    ["opening": .string($0.opening), "schema": $0.schema.value, "closing": .string($0.closing)]
                })
        }
        members["schema"] = schema?.value
        if !functions.isEmpty {
            members["functions"] = .array(
                functions.map {
                    [
                        "name": .string($0.name), "description": .string($0.description),
                        "parameters": $0.parameters.value,
                    ]
                })
        }
        switch functionCalling {
        case .automatic: break
        case .required: members["function_calling"] = "required"
        case .none: members["function_calling"] = "none"
        case .named(let name): members["function_calling"] = ["name": .string(name)]
        }
        members["function_call_format"] = functionCallFormat.map { .string($0) }
        switch reasoning {
        case .automatic: break
        case .on: members["reasoning"] = true
        case .off: members["reasoning"] = false
        }
        return .object(members)
    }

    /// Reads a rule; nil if it cannot be told what it was.
    init?(saved value: JSONValue) {
        guard value.object != nil else { return nil }
        self.init(GenerationOptions())
        for block in value["held_blocks"]?.array ?? [] {
            guard let opening = block["opening"]?.string, let schema = block["schema"],
                let closing = block["closing"]?.string
            else { return nil }
            heldBlocks.append(HeldBlock(opening: opening, schema: JSONSchema(schema), closing: closing))
        }
        schema = value["schema"].map { JSONSchema($0) }
        for function in value["functions"]?.array ?? [] {
            guard let name = function["name"]?.string, let parameters = function["parameters"] else { return nil }
            functions.append(
                Function(
                    name: name, description: function["description"]?.string ?? "",
                    parameters: JSONSchema(parameters)))
        }
        switch value["function_calling"] {
        case nil: break
        case .string("required"): functionCalling = .required
        case .string("none"): functionCalling = .none
        case let mode?:
            guard let name = mode["name"]?.string else { return nil }
            functionCalling = .named(name)
        }
        functionCallFormat = value["function_call_format"]?.string
        if let reasons = value["reasoning"]?.bool { reasoning = reasons ? .on : .off }
    }
}
