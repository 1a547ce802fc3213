// SPDX-License-Identifier: Apache-2.0

/// The variables of one block, and through its parent those of the blocks around it.
final class Scope {
    private(set) var variables: [String: Value] = [:]
    let parent: Scope?

    init(parent: Scope?) {
        self.parent = parent
    }

    subscript(name: String) -> Value? {
        var scope: Scope? = self
        while let current = scope {
            if let value = current.variables[name] { return value }
            scope = current.parent
        }
        return nil
    }

    func set(_ name: String, _ value: Value) {
        variables[name] = value
    }

    func removeAll() {
        variables.removeAll()
    }
}
