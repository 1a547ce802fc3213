// SPDX-License-Identifier: Apache-2.0

import SwiftDiagnostics
import SwiftSyntax

/// Collects the errors about declarations that cannot be described by a schema.
struct Diagnoser {
    private(set) var diagnostics: [Diagnostic] = []
    /// Whether the members can be generated in spite of the errors. Generating them avoids further errors that would
    /// only follow from these.
    private(set) var leavesTypeWhole = true

    mutating func report(_ problem: Problem, at node: some SyntaxProtocol) {
        diagnostics.append(Diagnostic(node: node, message: problem))
        leavesTypeWhole = false
    }

    /// Reports what is wrong with a rule.
    mutating func report(_ problem: Problem, atRule node: some SyntaxProtocol) {
        diagnostics.append(Diagnostic(node: node, message: problem))
    }
}
