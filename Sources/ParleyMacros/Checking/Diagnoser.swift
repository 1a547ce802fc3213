// SPDX-License-Identifier: Apache-2.0

import SwiftDiagnostics
import SwiftSyntax

/// Collects the errors about what cannot be described.
struct Diagnoser {
    private(set) var diagnostics: [Diagnostic] = []
    /// Whether the type can be written in spite of the errors, so that no further errors follow from them.
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
