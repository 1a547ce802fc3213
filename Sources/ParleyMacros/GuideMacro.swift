// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax
import SwiftSyntaxMacros

/// `@Guide` is read by `@Generatable` and expands to nothing; outside a `@Generatable` type it is an error.
struct GuideMacro: PeerMacro {
    /// Diagnoses a guide outside a `@Generatable` type, where it has no effect.
    static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) -> [DeclSyntax] {
        var diagnoser = Diagnoser()
        if let variable = declaration.as(VariableDeclSyntax.self), variable.isPartOfValue {
            let type = context.lexicalContext.first.flatMap { Syntax($0).asProtocol((any DeclGroupSyntax).self) }
            if let type, !type.isGeneratable { diagnoser.report(.guideOutsideGeneratable, at: node) }
        } else {
            diagnoser.report(.guideOnOther, at: node)
        }
        for diagnostic in diagnoser.diagnostics { context.diagnose(diagnostic) }
        return []
    }
}
