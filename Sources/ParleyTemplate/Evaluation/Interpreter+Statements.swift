// SPDX-License-Identifier: Apache-2.0

/// How execution continues after a statement.
enum Flow { case next, leaveLoop, continueLoop }

extension Interpreter {
    @inline(never)
    func run(_ body: [Statement]) throws(TemplateError) -> Flow {
        for statement in body {
            let flow = try run(statement)
            if flow != .next { return flow }
        }
        return .next
    }

    @inline(never)
    private func run(_ statement: Statement) throws(TemplateError) -> Flow {
        do throws(TemplateError) {
            try enter()
            defer { leave() }
            return try runKind(of: statement)
        } catch {
            throw error.located(line: statement.line, construct: statement.construct)
        }
    }

    private func runKind(of statement: Statement) throws(TemplateError) -> Flow {
        switch statement.kind {
        case .text(let text): try print(text)
        case .output(let expression): try print(try evaluate(expression))
        case .conditional(let branches, let otherwise): return try runConditional(branches, otherwise)
        case .loop(let definition): return try runLoop(definition)
        case .assignment(let target, let expression): try assign(try evaluate(expression), to: target)
        case .blockAssignment(let target, let filter, let body):
            return try runFiltered(body, by: filter) { (value) throws(TemplateError) in try assign(value, to: target) }
        case .filter(let filter, let body):
            return try runFiltered(body, by: filter) { (value) throws(TemplateError) in
                guard let text = value.text else {
                    throw TemplateError(.wrongType, "a filter block must give a string, not \(value.typeName)")
                }
                try print(text)
            }
        case .with(let assignments, let body): return try runWith(assignments, body)
        case .scope(let body): return try inScope { () throws(TemplateError) in try run(body) }
        case .macro(let definition):
            try scope.set(definition.name, .callable(.macro(try MacroValue(definition: definition, scope: scope))))
        case .call(let call, let caller): try print(try evaluate(call, caller: caller))
        case .evaluation(let expression): _ = try evaluate(expression)
        case .leaveLoop: return .leaveLoop
        case .continueLoop: return .continueLoop
        case .unsupported(let tag):
            throw TemplateError(.unsupported, "The tag '\(tag)' is not available in chat templates.")
        }
        return .next
    }

    /// Appends to the output of the innermost body.
    @inline(never)
    private func print(_ value: Value) throws(TemplateError) {
        guard let text = value.text else {
            try print(value, to: output)
            return try checkOutput(adding: 0)
        }
        try print(text)
    }

    @inline(never)
    private func print(_ text: MarkedText) throws(TemplateError) {
        try checkOutput(adding: text.size)
        try output.append(text)
    }

    private func checkOutput(adding count: Int) throws(TemplateError) {
        guard count <= limits.outputBytes - output.size else {
            throw TemplateError(.outputTooLong, "The text is longer than \(limits.outputBytes) bytes.")
        }
    }

    /// Runs a body with variables of its own.
    func inScope<Result>(
        parent: Scope? = nil, _ body: () throws(TemplateError) -> Result
    ) throws(TemplateError) -> Result {
        let outer = scope
        scope = try Scope(meter, parent: parent ?? outer)
        defer { scope = outer }
        return try body()
    }

    /// Runs a body and returns its output.
    func captured(_ body: () throws(TemplateError) -> Void) throws(TemplateError) -> MarkedText {
        let outer = output
        output = TextWriter(meter)
        defer { output = outer }
        try body()
        return try output.finish()
    }

    /// Passes the output of a body through filters and on to `use`; where the body leaves or continues the loop around it,
    /// its output is dropped.
    @inline(never)
    private func runFiltered(
        _ body: [Statement], by filter: Expression, _ use: (Value) throws(TemplateError) -> Void
    ) throws(TemplateError) -> Flow {
        var flow = Flow.next
        let text = try captured { () throws(TemplateError) in
            flow = try inScope { () throws(TemplateError) in try run(body) }
        }
        guard flow == .next else { return flow }
        let outer = captured
        captured = .string(text)
        defer { captured = outer }
        try use(try evaluate(filter))
        return .next
    }

    @inline(never)
    private func runConditional(
        _ branches: [Statement.Branch], _ otherwise: [Statement]
    ) throws(TemplateError) -> Flow {
        for branch in branches {
            if try evaluate(branch.test).isTrue { return try run(branch.body) }
        }
        return try run(otherwise)
    }

    @inline(never)
    private func runWith(
        _ assignments: [(target: Target, value: Expression)], _ body: [Statement]
    ) throws(TemplateError) -> Flow {
        // All values are evaluated before the first variable exists.
        let values = try row(room: assignments.count)
        for assignment in assignments { try values.append(try evaluate(assignment.value)) }
        return try inScope { () throws(TemplateError) in
            for (assignment, value) in zip(assignments, values.elements) { try assign(value, to: assignment.target) }
            return try run(body)
        }
    }

    // MARK: Assignment

    @inline(never)
    func assign(_ value: Value, to target: Target) throws(TemplateError) {
        switch target {
        case .name(let name): try scope.set(name, value)
        case .attribute(of: let name, let attribute):
            guard case .namespace(let namespace) = try scope.value(of: name) else {
                throw TemplateError(.wrongType, "cannot assign attribute on non-namespace object")
            }
            try namespace.set(attribute, value)
        case .tuple(let targets):
            let values = try elements(of: value)
            guard values.count == targets.count else {
                throw TemplateError(
                    .invalidValue, "\(targets.count) names cannot be set to \(values.count) values")
            }
            try meter.work(16 * targets.count)
            for (target, value) in zip(targets, values) { try assign(value, to: target) }
        }
    }
}
