// SPDX-License-Identifier: Apache-2.0

import SwiftDiagnostics
import SwiftSyntax

/// Collects what cannot be described.
struct Diagnoser {
    private(set) var diagnostics: [Diagnostic] = []
    /// Whether the type can be written all the same, so that no other errors follow from this one.
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
