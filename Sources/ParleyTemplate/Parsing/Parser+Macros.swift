// SPDX-License-Identifier: Apache-2.0

extension Parser {
    mutating func parseMacro(line: Int) throws(TemplateError) -> Statement.Kind {
        let name = try expectName()
        let parameters = try parseParameters()
        return .macro(try parseDefinition(name: name, parameters: parameters, end: "endmacro", line: line))
    }

    mutating func parseCallBlock(line: Int) throws(TemplateError) -> Statement.Kind {
        let parameters = isAt(.leftParenthesis) ? try parseParameters() : []
        let call = try parseExpression()
        guard case .call = call.kind else {
            throw TemplateError(.invalidSyntax, "expected call", line: line)
        }
        let caller = try parseDefinition(name: "caller", parameters: parameters, end: "endcall", line: line)
        return .call(call, caller: caller)
    }

    private mutating func parseDefinition(
        name: String, parameters: [MacroDefinition.Parameter], end: String, line: Int
    ) throws(TemplateError) -> MacroDefinition {
        usedNames.append([])
        let body = try parseIsolated(until: end)
        let used = usedNames.removeLast()
        // Names that an inner macro uses are used by the outer one too.
        usedNames.indices.last.map { usedNames[$0].formUnion(used) }
        return MacroDefinition(
            name: name, parameters: parameters, body: body, line: line, usesVarargs: used.contains("varargs"),
            usesKwargs: used.contains("kwargs"), usesCaller: used.contains("caller"))
    }

    private mutating func parseParameters() throws(TemplateError) -> [MacroDefinition.Parameter] {
        var parameters: [MacroDefinition.Parameter] = []
        try expect(.leftParenthesis)
        while !take(.rightParenthesis) {
            if !parameters.isEmpty { try expect(.comma) }
            let line = current.line
            let name = try expectName()
            let fallback = take(.assign) ? try parseExpression() : nil
            guard fallback != nil || parameters.last?.fallback == nil else {
                throw TemplateError(.invalidSyntax, "non-default argument follows default argument", line: line)
            }
            parameters.append(MacroDefinition.Parameter(name: name, fallback: fallback))
        }
        return parameters
    }
}
