// SPDX-License-Identifier: Apache-2.0

extension Interpreter {
    @inline(never)
    func runLoop(_ definition: LoopDefinition) throws(TemplateError) -> Flow {
        try runLoop(definition, over: try evaluate(definition.iterable), recursionDepth: 0)
    }

    private func runLoop(
        _ definition: LoopDefinition, over iterable: Value, recursionDepth: Int
    ) throws(TemplateError) -> Flow {
        let loop = try LoopValue(
            definition: definition, items: try elements(of: iterable), depth: iterable.depth + 1, scope: scope,
            recursionDepth: recursionDepth)
        let accepts: LoopValue.Filter = { value throws(TemplateError) in try self.accepts(value, in: loop) }
        while let element = try loop.advance(accepts) {
            try meter.step()
            let flow = try inScope { () throws(TemplateError) in
                try scope.set("loop", .loop(loop))
                try assign(element, to: definition.target)
                return try run(definition.body)
            }
            if flow == .leaveLoop { break }
        }
        guard loop.index < 0 else { return .next }
        // The body's variables do not exist here. A `break` in this branch leaves the loop around this one.
        return try inScope { () throws(TemplateError) in try run(definition.otherwise) }
    }

    private func accepts(_ value: Value, in loop: LoopValue) throws(TemplateError) -> Bool {
        guard let condition = loop.definition.condition else { return true }
        try meter.step()
        return try inScope(parent: loop.scope) { () throws(TemplateError) in
            try assign(value, to: loop.definition.target)
            return try evaluate(condition).isTrue
        }
    }

    /// Calls `loop`: runs a recursive loop again over other elements.
    func call(_ loop: LoopValue, _ arguments: CallArguments) throws(TemplateError) -> Value {
        guard loop.definition.isRecursive else {
            throw TemplateError(
                .wrongType, "The loop must have the 'recursive' marker to be called recursively.")
        }
        let bound = try arguments.bound(to: ["iterable"], of: "loop", required: 1)
        try enter(levels: 3)
        let outer = scope
        scope = loop.scope
        defer {
            scope = outer
            leave(levels: 3)
        }
        let text = try captured { () throws(TemplateError) in
            _ = try runLoop(loop.definition, over: bound[0] ?? .none, recursionDepth: loop.recursionDepth + 1)
        }
        return .string(text)
    }

    func attribute(_ name: String, of loop: LoopValue) throws(TemplateError) -> Value? {
        let accepts: LoopValue.Filter = { value throws(TemplateError) in try self.accepts(value, in: loop) }
        switch name {
        case "index": return .integer(loop.index + 1, .template)
        case "index0": return .integer(loop.index, .template)
        case "revindex": return .integer(try loop.length(accepts) - loop.index, .template)
        case "revindex0": return .integer(try loop.length(accepts) - loop.index - 1, .template)
        case "length": return .integer(try loop.length(accepts), .template)
        case "first": return .bool(loop.index == 0)
        case "last": return .bool(try loop.peek(accepts) == nil)
        case "previtem": return loop.previous ?? .undefined(.because("there is no previous item"))
        case "nextitem": return try loop.peek(accepts) ?? .undefined(.because("there is no next item"))
        case "depth": return .integer(loop.recursionDepth + 1, .template)
        case "depth0": return .integer(loop.recursionDepth, .template)
        case "cycle", "changed": return .callable(.method(of: .loop(loop), name: name))
        default: return nil
        }
    }

    func callMethod(_ name: String, of loop: LoopValue, _ arguments: CallArguments) throws(TemplateError) -> Value {
        let values = arguments.positional
        guard name == "cycle" else { return .bool(try loop.changes(to: values)) }
        guard values.count > 0 else { throw TemplateError(.wrongType, "no items for cycling given") }
        return values[max(loop.index, 0) % values.count]
    }
}
