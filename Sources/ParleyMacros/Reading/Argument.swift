// SPDX-License-Identifier: Apache-2.0

import SwiftParser
import SwiftSyntax
import SwiftSyntaxBuilder

/// Reads the arguments of attributes.
enum Argument {
    /// The expressions in an attribute's parentheses.
    static func expressions(of attribute: AttributeSyntax) -> [ExprSyntax] {
        guard case .argumentList(let arguments) = attribute.arguments else { return [] }
        return arguments.map(\.expression)
    }

    /// The description, which comes first, as an expression; nil where there is none.
    static func description(of attribute: AttributeSyntax) -> String? {
        guard let first = expressions(of: attribute).first, !first.is(NilLiteralExprSyntax.self), !isRule(first) else {
            return nil
        }
        // A multi-line literal would change with its indentation.
        guard let text = first.as(StringLiteralExprSyntax.self)?.representedLiteralValue else {
            return first.trimmedDescription
        }
        return StringLiteralExprSyntax(content: text).description
    }

    /// Whether an expression has the form of a rule: `.name(…)`.
    static func isRule(_ expression: ExprSyntax) -> Bool {
        expression.as(FunctionCallExprSyntax.self)?.calledExpression.is(MemberAccessExprSyntax.self) ?? false
    }
}
