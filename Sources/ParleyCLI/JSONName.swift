// SPDX-License-Identifier: Apache-2.0

/// The names of reasons, states and roles in the JSON of all commands, which are in snake case as its members are.
package enum JSONName {
    /// The name of a value with this name in Swift, such as `context_full` for `contextFull`.
    package static func of(_ name: String) -> String {
        name.reduce(into: "") { name, character in
            name += character.isUppercase ? "_\(character.lowercased())" : String(character)
        }
    }
}
