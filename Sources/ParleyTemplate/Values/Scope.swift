// SPDX-License-Identifier: Apache-2.0

/// The variables of one block and, through its parent, those of the enclosing blocks.
final class Scope: MutableObject {
    @exclusivity(unchecked) private var variables: [String: Value] = [:]
    let parent: Scope?
    private let depth: Int

    /// The memory of a variable, including spare capacity and the copies made when the dictionary grows.
    static let bytesOfVariable = 160

    init(_ meter: Meter, parent: Scope?) throws(TemplateError) {
        self.parent = parent
        depth = (parent?.depth ?? 0) + 1
        // Macros that are defined inside macros can chain scopes deeper than blocks are nested.
        guard depth <= 2 * meter.limits.depth else { throw meter.tooDeep }
        try super.init(meter, bytes: 160)
    }

    deinit {
        empty()
    }

    override func empty() {
        guard !variables.isEmpty else { return }
        meter.dissolve(&variables, leaving: [:])
    }

    /// The value of a variable in this block or one around it.
    func value(of name: String) throws(TemplateError) -> Value? {
        let price = Scope.price(ofName: name)
        var scope: Scope? = self
        while let current = scope {
            try meter.work(price)
            if let value = current.variables[name] { return value }
            scope = current.parent
        }
        return nil
    }

    /// The cost of looking up a name, in ticks: one that is not ASCII is normalised first.
    static func price(ofName name: String) -> Int {
        12 + (name.utf8.allSatisfy { $0 < 0x80 } ? name.utf8.count >> 2 : 16 * name.utf8.count)
    }

    func set(_ name: String, _ value: Value) throws(TemplateError) {
        try meter.work(Scope.price(ofName: name))
        let count = variables.count
        variables[name] = value
        if variables.count > count { try hold(Scope.bytesOfVariable + value.looseBytes) }
    }
}
