// SPDX-License-Identifier: Apache-2.0

import SwiftDiagnostics
import SwiftSyntax

/// Collects what cannot be described.
struct Diagnoser {
    private(set) var diagnostics: [Diagnostic] = []

    mutating func report(_ problem: Problem, at node: some SyntaxProtocol) {
        diagnostics.append(Diagnostic(node: node, message: problem))
    }
}
