// SPDX-License-Identifier: Apache-2.0

/// The numbers that a schema allows, as an automaton over their digits.
///
/// Numbers have at most 24 digits before and 24 after the point, so that a model cannot write digits for ever. An
/// exponent, within the range of doubles, is allowed if the value has no bounds.
struct NumberAutomaton: Hashable {
    struct Bound: Hashable {
        var value: DecimalNumber
        var isExclusive: Bool
    }

    static let digitLimit = 24

    var isInteger: Bool
    /// Whether integers are excluded.
    var isFraction = false
    var minimum: Bound?
    var maximum: Bound?
    /// The number that the value must be a multiple of.
    var divisor: Divisor?

    /// A decimal divisor: an integer, and the number of places by which its point is moved.
    struct Divisor: Hashable {
        var factor: Int
        var places: Int

        /// Nil where the number has too many digits to follow.
        init?(_ decimal: DecimalNumber) {
            places = decimal.fraction.count
            let digits = decimal.integer + decimal.fraction
            guard places <= 12, digits.count <= 16 else { return nil }
            factor = digits.reduce(0) { $0 * 10 + Int($1) }
            guard factor > 0, factor <= 1_000 else { return nil }
        }

        private init(factor: Int, places: Int) {
            self.factor = factor
            self.places = places
        }

        /// The least common multiple; nil where that has too many digits.
        func common(with other: Divisor) -> Divisor? {
            let places = max(self.places, other.places)
            guard let mine = scaled(to: places), let others = other.scaled(to: places) else { return nil }
            var (left, right) = (mine, others)
            while right != 0 { (left, right) = (right, left % right) }
            let (product, overflows) = (mine / left).multipliedReportingOverflow(by: others)
            guard !overflows, product <= 1_000 else { return nil }
            return Divisor(factor: product, places: places)
        }

        private func scaled(to places: Int) -> Int? {
            var result = factor
            for _ in self.places..<places {
                guard result <= 1_000 else { return nil }
                result *= 10
            }
            return result
        }

        /// The remainder of a number's digits after another digit.
        func remainder(_ remainder: Int, appending digit: UInt8) -> Int { (remainder * 10 + Int(digit)) % factor }

        /// Whether a number is a multiple, given the remainder of its digits and the number of digits after the point.
        func divides(_ remainder: Int, places read: Int) -> Bool {
            var remainder = remainder
            for _ in min(read, places)..<places { remainder = remainder * 10 % factor }
            return remainder == 0
        }

        /// Whether a number is a multiple.
        func divides(_ decimal: DecimalNumber) -> Bool {
            guard decimal.fraction.count <= places else { return false }
            let digits = decimal.integer + decimal.fraction
            return divides(digits.reduce(0) { remainder($0, appending: $1) }, places: decimal.fraction.count)
        }
    }

    private var isBounded: Bool { minimum != nil || maximum != nil || divisor != nil || isFraction }

    func build(budget: CompilationBudget) throws(ConstraintError) -> ByteDFA {
        try ByteDFA.exploring(
            from: State(), alphabet: Array("+-.0123456789Ee".utf8), limit: budget.limits.patternStates * 4,
            budget: budget, next: step, tag: { accepts($0) ? 0 : -1 })
    }

    // MARK: States

    enum Phase: Hashable { case start, sign, zero, integer, point, fraction, exponent, exponentSign, exponentDigits }
    enum Order: Hashable { case below, equal, above }

    struct State: Hashable {
        var phase = Phase.start
        var isNegative = false
        /// The number of digits read in the current part: before the point, after it, or in the exponent.
        var digits = 0
        /// How the digits compare with those of the lower and upper bound of the absolute value.
        var toLower = Order.equal
        var toUpper = Order.equal
        var remainder = 0
        /// Whether a digit after the point was not zero.
        var isBetween = false
        var exponent = 0
        var exponentLimit = 0
    }

    /// The bounds of the absolute value, for one sign.
    private func bounds(negative: Bool) -> (lower: Bound?, upper: Bound?)? {
        let (near, far) = negative ? (maximum, minimum) : (minimum, maximum)
        if let far, far.value.isZero ? negative : far.value.isNegative != negative { return nil }
        // Negative numbers stop short of zero, which is written without a sign.
        let zero = Bound(value: .zero, isExclusive: true)
        let lower = near.flatMap { $0.value.isNegative == negative ? $0 : nil }
        guard negative, lower == nil || lower?.value.isZero == true else { return (lower, far) }
        return (isInteger || isBounded ? zero : nil, far)
    }

    private func step(_ old: State, _ byte: UInt8) -> State? {
        var state = old
        switch byte {
        case UInt8(ascii: "-"), UInt8(ascii: "+"):
            if state.phase == .exponent {
                state.phase = .exponentSign
                if byte == UInt8(ascii: "-") { state.exponentLimit = 307 }
                return state
            }
            guard state.phase == .start, byte == UInt8(ascii: "-"), bounds(negative: true) != nil else { return nil }
            state.phase = .sign
            state.isNegative = true
            return state
        case UInt8(ascii: "."):
            guard !isInteger, state.phase == .zero || state.phase == .integer else { return nil }
            (state.toLower, state.toUpper) = ordersOfInteger(state)
            state.phase = .point
            state.exponentLimit = Self.exponentLimit(state)
            state.digits = 0
            return state
        case UInt8(ascii: "e"), UInt8(ascii: "E"):
            guard !isInteger, !isBounded else { return nil }
            switch state.phase {
            case .zero, .integer: state.exponentLimit = Self.exponentLimit(state)
            case .fraction: break
            default: return nil
            }
            state.phase = .exponent
            state.digits = 0
            return state
        default: return digit(byte &- 0x30, old)
        }
    }

    /// The largest exponent that keeps the value below the largest double.
    private static func exponentLimit(_ state: State) -> Int { state.digits <= 1 ? 307 : 284 }

    private func digit(_ digit: UInt8, _ old: State) -> State? {
        var state = old
        switch state.phase {
        case .start, .sign:
            guard let bounds = bounds(negative: state.isNegative) else { return nil }
            state.phase = digit == 0 ? .zero : .integer
            guard digit > 0 else { return state }
            return appending(digit, to: state, bounds)
        case .integer:
            guard state.digits < Self.digitLimit, let bounds = bounds(negative: state.isNegative) else { return nil }
            return appending(digit, to: state, bounds)
        case .point, .fraction:
            guard state.digits < Self.digitLimit, let bounds = bounds(negative: state.isNegative) else { return nil }
            state.phase = .fraction
            state.toLower = Self.order(state.toLower, digit, bounds.lower?.value.fraction, at: state.digits)
            state.toUpper = Self.order(state.toUpper, digit, bounds.upper?.value.fraction, at: state.digits)
            state.isBetween = state.isBetween || (isFraction && digit != 0)
            if let divisor {
                // After the divisor's last decimal place only zeros may follow.
                if state.digits < divisor.places {
                    state.remainder = divisor.remainder(state.remainder, appending: digit)
                } else if digit != 0 {
                    return nil
                }
            }
            state.digits += 1
            return state
        case .exponent, .exponentSign, .exponentDigits:
            guard state.digits < 3 else { return nil }
            state.phase = .exponentDigits
            state.exponent = state.exponent * 10 + Int(digit)
            state.digits += 1
            return state.exponent <= state.exponentLimit ? state : nil
        case .zero: return nil
        }
    }

    private func appending(_ digit: UInt8, to old: State, _ bounds: (lower: Bound?, upper: Bound?)) -> State {
        var state = old
        state.toLower = Self.order(state.toLower, digit, bounds.lower?.value.integer, at: state.digits)
        state.toUpper = Self.order(state.toUpper, digit, bounds.upper?.value.integer, at: state.digits)
        if let divisor { state.remainder = divisor.remainder(state.remainder, appending: digit) }
        state.digits += 1
        return state
    }

    // MARK: Comparing

    private static func order(_ old: Order, _ digit: UInt8, _ bound: [UInt8]?, at index: Int) -> Order {
        guard old == .equal, let bound else { return old }
        let other = index < bound.count ? bound[index] : 0
        return digit == other ? .equal : digit < other ? .below : .above
    }

    /// The comparison of the digits before the point, once all are known: more digits make the larger number.
    private func ordersOfInteger(_ state: State) -> (Order, Order) {
        guard let bounds = bounds(negative: state.isNegative) else { return (.equal, .equal) }
        func order(_ prefix: Order, _ bound: Bound?) -> Order {
            guard let count = bound?.value.integer.count, count != state.digits else { return prefix }
            return state.digits < count ? .below : .above
        }
        return (order(state.toLower, bounds.lower), order(state.toUpper, bounds.upper))
    }

    private func accepts(_ state: State) -> Bool {
        switch state.phase {
        case .start, .sign, .point, .exponent, .exponentSign: return false
        case .exponentDigits: return true
        case .zero, .integer, .fraction: break
        }
        let places = state.phase == .fraction ? state.digits : 0
        guard !isFraction || state.isBetween, divisor?.divides(state.remainder, places: places) ?? true,
            let bounds = bounds(negative: state.isNegative)
        else { return false }
        var (toLower, toUpper) = (state.toLower, state.toUpper)
        if state.phase != .fraction { (toLower, toUpper) = ordersOfInteger(state) }
        let read = state.phase == .fraction ? state.digits : 0
        func final(_ order: Order, _ bound: Bound) -> Order {
            order == .equal && read < bound.value.fraction.count ? .below : order
        }
        if let lower = bounds.lower {
            let order = final(toLower, lower)
            guard order == .above || (order == .equal && !lower.isExclusive) else { return false }
        }
        if let upper = bounds.upper {
            let order = final(toUpper, upper)
            guard order == .below || (order == .equal && !upper.isExclusive) else { return false }
        }
        return true
    }
}
