// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

/// Checks that the rules of a guide fit the type of the property, as far as both are written out.
struct RuleChecker {
    private let shape: TypeShape
    private var seen: Set<String> = []

    init(shape: TypeShape) {
        self.shape = shape.unwrapped
    }

    mutating func check(_ rule: ExprSyntax, _ diagnoser: inout Diagnoser) {
        guard let call = rule.as(FunctionCallExprSyntax.self),
            let name = call.calledExpression.as(MemberAccessExprSyntax.self)?.declName.baseName.text,
            let argument = call.arguments.first?.expression
        else { return diagnoser.report(.unknownRule, atRule: rule) }
        guard seen.insert(name).inserted else { return diagnoser.report(.repeatedRule(name), atRule: rule) }
        switch name {
        case "count":
            switch shape {
            case .array, .dictionary, .text: checkRange(argument, isWhole: true, &diagnoser)
            default: reject("count", "applies to strings, arrays and dictionaries")
            }
        case "range":
            switch element {
            case .integer: checkRange(argument, isWhole: true, &diagnoser)
            case .number: checkRange(argument, isWhole: false, &diagnoser)
            default: reject("range", "applies to numbers")
            }
        case "pattern":
            guard case .text = element else { return reject("pattern", "applies to strings") }
        case "anyOf":
            switch element {
            case .text: checkChoice(argument, of: .stringLiteralExpr, &diagnoser)
            case .integer: checkChoice(argument, of: .integerLiteralExpr, &diagnoser)
            default: reject("anyOf", "applies to strings and integers; use an enum for other values")
            }
        default: diagnoser.report(.unknownRule, atRule: rule)
        }
        func reject(_ name: String, _ use: String) {
            diagnoser.report(.ruleDoesNotFit(name, shape.text, use), atRule: rule)
        }
    }

    /// The type of the elements of lists and maps.
    private var element: TypeShape {
        var shape = shape
        while true {
            switch shape {
            case .array(let inner), .dictionary(let inner), .optional(let inner): shape = inner
            default: return shape
            }
        }
    }

    private func checkRange(_ argument: ExprSyntax, isWhole: Bool, _ diagnoser: inout Diagnoser) {
        var bounds = [argument]
        if let range = Self.closedRange(argument) {
            bounds = [range.lower, range.upper]
            if let lower = Self.number(range.lower), let upper = Self.number(range.upper), lower > upper {
                diagnoser.report(.emptyRange, atRule: argument)
            }
        } else if let operation = argument.as(PrefixOperatorExprSyntax.self) {
            bounds = [operation.expression]
        } else if let operation = argument.as(PostfixOperatorExprSyntax.self) {
            bounds = [operation.expression]
        }
        guard isWhole else { return }
        for bound in bounds where Self.isFraction(bound) { diagnoser.report(.fractionalBound, atRule: bound) }
    }

    private func checkChoice(_ argument: ExprSyntax, of kind: SyntaxKind, _ diagnoser: inout Diagnoser) {
        guard let elements = argument.as(ArrayExprSyntax.self)?.elements else { return }
        if elements.isEmpty { return diagnoser.report(.noChoice, atRule: argument) }
        let other: SyntaxKind = kind == .stringLiteralExpr ? .integerLiteralExpr : .stringLiteralExpr
        for element in elements where element.expression.kind == other {
            return diagnoser.report(.choiceOfOtherType(self.element.text), atRule: element)
        }
    }

    // MARK: Literals

    /// The bounds of `a...b`, which macros see as an operator between two expressions.
    private static func closedRange(_ expression: ExprSyntax) -> (lower: ExprSyntax, upper: ExprSyntax)? {
        if let sequence = expression.as(SequenceExprSyntax.self) {
            let parts = Array(sequence.elements)
            guard parts.count == 3, parts[1].trimmedDescription == "..." else { return nil }
            return (parts[0], parts[2])
        }
        guard let operation = expression.as(InfixOperatorExprSyntax.self),
            operation.operator.trimmedDescription == "..."
        else { return nil }
        return (operation.leftOperand, operation.rightOperand)
    }

    private static func number(_ expression: ExprSyntax) -> Double? {
        Double(expression.trimmedDescription.filter { $0 != "_" })
    }

    private static func isFraction(_ expression: ExprSyntax) -> Bool {
        let literal = expression.as(PrefixOperatorExprSyntax.self)?.expression ?? expression
        return literal.is(FloatLiteralExprSyntax.self)
    }
}
