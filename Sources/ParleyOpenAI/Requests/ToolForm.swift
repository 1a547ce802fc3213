// SPDX-License-Identifier: Apache-2.0

import ParleyConversation
import ParleyJSON

/// Reads and writes tools, and the choice whether to call them, in OpenAI's form.
enum ToolForm {
    /// Reads the functions that a request offers to the model.
    ///
    /// - Throws: ``OpenAIError`` that names the invalid field.
    static func functions(_ field: Field, limits: WireLimits) throws(OpenAIError) -> [Function] {
        var functions: [Function] = []
        for tool in try field.elements(upTo: limits.tools) ?? [] {
            let function = try function(tool, limits: limits)
            guard !functions.contains(where: { $0.name == function.name }) else {
                throw tool["function"]["name"].failure(.invalidValue, "names a function a second time")
            }
            functions.append(function)
        }
        return functions
    }

    private static func function(_ tool: Field, limits: WireLimits) throws(OpenAIError) -> Function {
        guard try tool["type"].requiredString() == "function" else {
            throw tool["type"].failure(.unsupportedValue, "must be function")
        }
        let function = tool["function"]
        try function.requireObject()
        let name = try function["name"].requiredString()
        let isName = name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."):
                true
            default: false
            }
        }
        guard isName, (1...256).contains(name.utf8.count) else {
            throw function["name"].failure(.invalidValue, "must be of letters, digits, _, - and .")
        }
        let parameters = try schema(function["parameters"], limits: limits)
        return Function(
            name: name, description: try function["description"].string() ?? "",
            parameters: parameters ?? .object([:]))
    }

    /// Reads a schema; nil if there is none.
    static func schema(_ field: Field, limits: WireLimits) throws(OpenAIError) -> JSONSchema? {
        if field.isMissing { return nil }
        guard field.value.object != nil || field.value.bool != nil else {
            throw field.failure(.invalidType, "must be a JSON Schema, which is an object")
        }
        let size = field.value.text().utf8.count
        guard size <= limits.schemaBytes else {
            throw field.failure(.invalidValue, "has \(size) bytes; \(limits.schemaBytes) are taken")
        }
        return JSONSchema(field.value)
    }

    /// Reads whether functions should be called, and removes functions that are not allowed.
    ///
    /// - Throws: ``OpenAIError`` that names the invalid field.
    static func choice(_ field: Field, among functions: inout [Function]) throws(OpenAIError) -> FunctionCallingMode {
        if field.isMissing { return .automatic }
        if let word = field.value.string {
            switch word {
            case "none": return .none
            case "auto": return .automatic
            case "required":
                guard !functions.isEmpty else { throw field.failure(.invalidValue, "is required without tools") }
                return .required
            default: throw field.failure(.unsupportedValue, "must be none, auto, required or an object")
            }
        }
        switch try field["type"].requiredString() {
        case "function":
            return .named(try name(field["function"]["name"], among: functions))
        case "allowed_tools":
            let allowed = field["allowed_tools"]
            var names: Set<String> = []
            for tool in try allowed["tools"].requiredElements(upTo: functions.count) {
                names.insert(try name(tool["function"]["name"], among: functions))
            }
            functions.removeAll { !names.contains($0.name) }
            switch try allowed["mode"].requiredString() {
            case "auto": return .automatic
            case "required": return .required
            default: throw allowed["mode"].failure(.unsupportedValue, "must be auto or required")
            }
        default: throw field["type"].failure(.unsupportedValue, "must be function or allowed_tools")
        }
    }

    private static func name(_ field: Field, among functions: [Function]) throws(OpenAIError) -> String {
        let name = try field.requiredString()
        guard functions.contains(where: { $0.name == name }) else {
            throw field.failure(.invalidValue, "names no function of tools")
        }
        return name
    }

    /// Writes whether functions should be called; nil for the default.
    static func json(_ mode: FunctionCallingMode) -> JSONValue? {
        switch mode {
        case .automatic: nil
        case .none: "none"
        case .required: "required"
        case .named(let name): ["type": "function", "function": ["name": .string(name)]]
        }
    }
}
