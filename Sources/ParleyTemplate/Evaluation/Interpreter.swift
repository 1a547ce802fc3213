// SPDX-License-Identifier: Apache-2.0

import OrderedCollections

/// Renders one template once: walks the statements, keeps the variables and pays for every step.
final class Interpreter {
    let limits: TemplateLimits
    let options: RenderingOptions
    let meter: Meter
    @exclusivity(unchecked) var scope: Scope
    /// The output of the innermost body that collects text.
    @exclusivity(unchecked) var output: TextWriter
    /// The text that the filters of a filter block or of a block assignment are applied to.
    @exclusivity(unchecked) var captured = Value.none

    @exclusivity(unchecked) private var depth = 0

    init(limits: TemplateLimits, options: RenderingOptions) throws(TemplateError) {
        self.limits = limits
        self.options = options
        meter = Meter(limits: limits, deadline: options.deadline)
        scope = try Scope(meter, parent: nil)
        output = TextWriter(meter)
    }

    deinit {
        meter.emptyObjects()
    }

    /// Begins a statement or an expression, which `leave` ends. A call counts for more levels, as it takes more stack.
    func enter(levels: Int = 1) throws(TemplateError) {
        try meter.step()
        guard depth + levels <= limits.depth else {
            throw TemplateError(.tooDeep, "Evaluation is nested deeper than \(limits.depth) levels.")
        }
        depth += levels
    }

    func leave(levels: Int = 1) {
        depth -= levels
    }

    // MARK: Making values

    /// The text that a body writes.
    func text(
        asMarkup isMarkup: Bool = false, _ body: (TextWriter) throws(TemplateError) -> Void
    ) throws(TemplateError) -> MarkedText {
        let writer = TextWriter(meter)
        try body(writer)
        return try writer.finish(asMarkup: isMarkup)
    }

    /// A value of a short existing text, such as a name.
    func value(ofName name: String, _ origin: TemplateOrigin = .template) throws(TemplateError) -> Value {
        .string(try text { (writer) throws(TemplateError) in try writer.append(string: name, origin) })
    }

    func row(room: Int = 0) throws(TemplateError) -> Row<Value> {
        try Row(meter, room: room)
    }

    func sequence(
        _ kind: SequenceValue.Kind, _ row: Row<Value>, origin: TemplateOrigin = .template
    ) throws(TemplateError) -> Value {
        .sequence(try SequenceValue(kind, row, origin: origin))
    }

    /// A sequence of a few existing values.
    func sequence(
        _ kind: SequenceValue.Kind, of values: [Value], origin: TemplateOrigin = .template
    ) throws(TemplateError) -> Value {
        let row = try row(room: values.count)
        try row.append(contentsOf: values)
        return try sequence(kind, row, origin: origin)
    }

    /// A sequence of texts.
    func sequence(
        _ kind: SequenceValue.Kind, ofTexts texts: Row<MarkedText>, origin: TemplateOrigin
    ) throws(TemplateError) -> Value {
        let row = try row(room: texts.count)
        for text in texts.elements { try row.append(.string(text)) }
        return try sequence(kind, row, origin: origin)
    }

    func mapping(_ members: Members, origin: TemplateOrigin = .template) throws(TemplateError) -> Value {
        .mapping(try MappingValue(members, origin: origin))
    }

    func isEqual(_ left: Value, _ right: Value) throws(TemplateError) -> Bool {
        try left.isEqual(to: right) { (price) throws(TemplateError) in try meter.work(price) }
    }
}

extension Meter {
    /// The depth of a container whose contents have the given depth.
    func deepened(_ depth: Int) throws(TemplateError) -> Int {
        guard depth < limits.depth else { throw tooDeep }
        return depth + 1
    }

    var tooDeep: TemplateError {
        TemplateError(.tooDeep, "A value is nested deeper than \(limits.depth) levels.")
    }
}
