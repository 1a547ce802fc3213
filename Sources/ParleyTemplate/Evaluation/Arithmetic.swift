// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Python's arithmetic on numbers, except that integers beyond `Int` are errors.
enum Arithmetic {
    static let overflow = TemplateError(.valueTooLarge, "An integer is too large.")

    /// The result; nil if the operands are not numbers.
    static func apply(
        _ binary: BinaryOperator, _ left: Value, _ right: Value
    ) throws(TemplateError) -> Value? {
        let origin = left.origin.joined(right.origin)
        if let left = left.integer, let right = right.integer {
            return try apply(binary, left, right, origin)
        }
        guard let left = left.double, let right = right.double else { return nil }
        return .double(try apply(binary, left, right), origin)
    }

    /// The cost in ticks in addition to that of the operator: a remainder of doubles is computed bit by bit.
    static func price(of binary: BinaryOperator, _ left: Value, _ right: Value) -> Int {
        switch (binary, left, right) {
        case (.modulo, .double, _), (.modulo, _, .double), (.floorDivide, .double, _), (.floorDivide, _, .double):
            16 * Meter.ticksPerStep
        case (.power, _, _): 4 * Meter.ticksPerStep
        default: 0
        }
    }

    private static func apply(
        _ binary: BinaryOperator, _ left: Int, _ right: Int, _ origin: TemplateOrigin
    ) throws(TemplateError) -> Value {
        switch binary {
        case .add: return .integer(try checked(left.addingReportingOverflow(right)), origin)
        case .subtract: return .integer(try checked(left.subtractingReportingOverflow(right)), origin)
        case .multiply: return .integer(try checked(left.multipliedReportingOverflow(by: right)), origin)
        case .divide:
            guard right != 0 else { throw divisionByZero }
            return .double(Double(left) / Double(right), origin)
        case .floorDivide: return .integer(try floorDivided(left, right), origin)
        case .modulo:
            guard right != 0 else { throw divisionByZero }
            guard right != -1 else { return .integer(0, origin) }
            let remainder = left % right
            return .integer(remainder != 0 && (remainder < 0) != (right < 0) ? remainder + right : remainder, origin)
        case .power:
            guard right >= 0 else { return .double(try power(Double(left), Double(right)), origin) }
            return .integer(try power(left, right), origin)
        }
    }

    private static func apply(_ binary: BinaryOperator, _ left: Double, _ right: Double) throws(TemplateError) -> Double
    {
        switch binary {
        case .add: return left + right
        case .subtract: return left - right
        case .multiply: return left * right
        case .divide:
            guard right != 0 else { throw divisionByZero }
            return left / right
        case .floorDivide:
            guard right != 0 else { throw divisionByZero }
            return ((left - modulo(left, right)) / right).rounded()
        case .modulo:
            guard right != 0 else { throw divisionByZero }
            return modulo(left, right)
        case .power: return try power(left, right)
        }
    }

    /// The remainder with the sign of the divisor.
    private static func modulo(_ left: Double, _ right: Double) -> Double {
        let remainder = left.truncatingRemainder(dividingBy: right)
        if remainder == 0 { return right < 0 ? -0.0 : 0.0 }
        return (remainder < 0) != (right < 0) ? remainder + right : remainder
    }

    private static func floorDivided(_ left: Int, _ right: Int) throws(TemplateError) -> Int {
        guard right != 0 else { throw divisionByZero }
        let (quotient, remainder) = (
            left.dividedReportingOverflow(by: right), left.remainderReportingOverflow(dividingBy: right)
        )
        let whole = try checked(quotient)
        return remainder.partialValue != 0 && (left < 0) != (right < 0) ? whole - 1 : whole
    }

    private static func power(_ base: Double, _ exponent: Double) throws(TemplateError) -> Double {
        guard base != 0 || exponent >= 0 else { throw divisionByZero }
        let result = pow(base, exponent)
        guard !result.isNaN || base.isNaN || exponent.isNaN else {
            throw TemplateError(.unsupported, "Complex numbers are not available in chat templates.")
        }
        guard result.isFinite || !base.isFinite || !exponent.isFinite else { throw overflow }
        return result
    }

    private static func power(_ base: Int, _ exponent: Int) throws(TemplateError) -> Int {
        var result = 1
        var factor = base
        var remaining = exponent
        while remaining > 0 {
            if remaining & 1 == 1 { result = try checked(result.multipliedReportingOverflow(by: factor)) }
            remaining >>= 1
            if remaining > 0 { factor = try checked(factor.multipliedReportingOverflow(by: factor)) }
        }
        return result
    }

    private static let divisionByZero = TemplateError(.invalidValue, "division by zero")

    private static func checked(_ result: (partialValue: Int, overflow: Bool)) throws(TemplateError) -> Int {
        guard !result.overflow else { throw overflow }
        return result.partialValue
    }
}
