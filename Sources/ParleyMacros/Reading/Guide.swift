// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

/// The arguments of a property's `@Guide`.
struct Guide {
    /// The source of the expression for the description; nil where there is none.
    private(set) var description: String?
    /// The sources of the expressions for the rules.
    private(set) var rules: [String] = []

    init(_ attributes: AttributeListSyntax, for shape: TypeShape, _ diagnoser: inout Diagnoser) {
        let guides = attributes.attributes(named: "Guide")
        for second in guides.dropFirst() { diagnoser.report(.secondGuide, atRule: second) }
        guard let guide = guides.first else { return }
        description = Argument.description(of: guide)
        var checker = RuleChecker(shape: shape)
        for expression in Argument.expressions(of: guide).dropFirst(description == nil ? 0 : 1) {
            checker.check(expression, &diagnoser)
            rules.append(expression.trimmedDescription)
        }
    }
}
