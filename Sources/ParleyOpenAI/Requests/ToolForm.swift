// SPDX-License-Identifier: Apache-2.0

import ParleyConversation
import ParleyJSON

/// Reads and writes tools, and the choice whether to call them, in OpenAI's form.
enum ToolForm {
    /// Reads the functions that a request offers to the model.
    ///
    /// - Parameters:
    ///   - field: the list.
    ///   - limits: the limits for what is read.
    /// - Returns: the functions.
    /// - Throws: ``OpenAIError`` that names the invalid field.
    static func functions(_ field: Field, limits: WireLimits) throws(OpenAIError) -> [Function] {
        var functions: [Function] = []
        for tool in try field.elements(upTo: limits.tools) ?? [] {
            guard try tool["type"].requiredString() == "function" else {
                throw tool["type"].failure(.unsupportedValue, "must be function")
            }
            try add(tool["function"], schema: "parameters", to: &functions, limits: limits)
        }
        return functions
    }

    /// Reads the functions that a request of `/v1/responses` offers, whose members stand beside their type.
    ///
    /// Programs such as Codex offer tools of other kinds beside them, whether the server has those or not: it has none, so
    /// that they are left out.
    ///
    /// - Parameters:
    ///   - field: the list.
    ///   - limits: the limits for what is read.
    /// - Returns: the functions, and the kinds of the tools that are left out.
    /// - Throws: ``OpenAIError`` that names the invalid field.
    static func flatFunctions(
        _ field: Field, limits: WireLimits
    ) throws(OpenAIError) -> (functions: [Function], others: [String]) {
        var (functions, others): ([Function], [String]) = ([], [])
        for tool in try field.elements(upTo: limits.tools) ?? [] {
            let kind = try tool["type"].requiredString()
            if kind == "function" {
                try add(tool, schema: "parameters", to: &functions, limits: limits)
            } else if !others.contains(kind) {
                others.append(kind)
            }
        }
        return (functions, others)
    }

    /// Reads a function and adds it to those that have been read.
    ///
    /// - Parameters:
    ///   - function: the object with its name.
    ///   - schema: the name of the member that has the schema of its arguments.
    ///   - functions: those that have been read.
    ///   - limits: the limits for what is read.
    /// - Throws: ``OpenAIError`` that names the invalid field.
    static func add(
        _ function: Field, schema: String, to functions: inout [Function], limits: WireLimits
    ) throws(OpenAIError) {
        let new = try self.function(function, schema: schema, limits: limits)
        guard !functions.contains(where: { $0.name == new.name }) else {
            throw function["name"].failure(.invalidValue, "names a function a second time")
        }
        functions.append(new)
    }

    private static func function(
        _ function: Field, schema: String, limits: WireLimits
    ) throws(OpenAIError) -> Function {
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
            throw function["name"].failure(.invalidValue, "must be of letters, digits, ., _ and -")
        }
        let parameters = try self.schema(function[schema], limits: limits)
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
    /// - Parameters:
    ///   - field: the choice.
    ///   - isFlat: whether its members stand beside its type, as in `/v1/responses`, and not in an object.
    ///   - functions: the functions that are offered.
    ///   - limits: the limits for what is read.
    /// - Returns: the choice.
    /// - Throws: ``OpenAIError`` that names the invalid field.
    static func choice(
        _ field: Field, isFlat: Bool = false, among functions: inout [Function], limits: WireLimits
    ) throws(OpenAIError) -> FunctionCallingMode {
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
            return .named(try name((isFlat ? field : field["function"])["name"], among: functions))
        case "allowed_tools":
            let allowed = isFlat ? field : field["allowed_tools"]
            var names: Set<String> = []
            for tool in try allowed["tools"].requiredElements(upTo: limits.tools) {
                // Those of other kinds were left out.
                if isFlat, let kind = try tool["type"].string(), kind != "function" { continue }
                names.insert(try name((isFlat ? tool : tool["function"])["name"], among: functions))
            }
            functions.removeAll { !names.contains($0.name) }
            switch try allowed["mode"].requiredString() {
            case "auto": return .automatic
            case "required":
                guard !functions.isEmpty else { throw field.failure(.invalidValue, "is required without tools") }
                return .required
            default: throw allowed["mode"].failure(.unsupportedValue, "must be auto or required")
            }
        default: throw field["type"].failure(.unsupportedValue, "must be function or allowed_tools")
        }
    }

    /// Reads the name of a function that is offered.
    ///
    /// - Throws: ``OpenAIError`` that names the field.
    static func name(_ field: Field, among functions: [Function]) throws(OpenAIError) -> String {
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

    /// Writes whether functions should be called, in the form of `/v1/responses`.
    static func flatJSON(_ mode: FunctionCallingMode) -> JSONValue {
        switch mode {
        case .automatic: "auto"
        case .none: "none"
        case .required: "required"
        case .named(let name): ["type": "function", "name": .string(name)]
        }
    }

    /// Writes a function in the form of `/v1/responses`.
    static func flatJSON(_ function: Function) -> JSONValue {
        var members: JSONObject = ["type": "function"]
        members.merge(function.json["function"]?.object ?? [:]) { own, _ in own }
        if members["strict"] == nil { members["strict"] = .null }
        return .object(members)
    }
}
