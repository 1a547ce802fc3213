// SPDX-License-Identifier: Apache-2.0

import ParleyJSON

/// An engine of models as the page tells it: one that is there, or why it is not.
package struct PageEngine: Hashable, Sendable {
    /// Its name.
    package let name: String
    let problem: String?

    /// Creates the description of an engine.
    ///
    /// - Parameters:
    ///   - name: its name.
    ///   - problem: why it cannot be used; nil if it can.
    package init(_ name: String, problem: String? = nil) { (self.name, self.problem) = (name, problem) }

    var json: JSONValue { ["name": .string(name), "problem": problem.map { .string($0) } ?? .null] }
}
