// SPDX-License-Identifier: Apache-2.0

/// Limits the work of compiling one program. Work is counted in steps, between which cancellation and the deadline are
/// checked.
///
/// Everything whose size depends on a schema, pattern or grammar is charged here before it is created. A step costs
/// about as much as one transition of an automaton, and allocates at most about eight bytes that are kept.
final class CompilationBudget {
    let limits: ConstraintLimits
    private let deadline: ContinuousClock.Instant?
    private let isWatched: Bool
    private var left: Int
    private var untilLook = 0

    /// The number of steps between two checks of the clock and of cancellation: a few hundred microseconds.
    private static let stride = 8_192

    /// Creates a budget. `isWatched` must be false for values that are created once for the whole process, which must
    /// not depend on the cancellation of a task.
    init(_ limits: ConstraintLimits, deadline: ContinuousClock.Instant? = nil, isWatched: Bool = true) {
        self.limits = limits
        self.isWatched = isWatched
        self.deadline = deadline
        left = max(limits.steps, 0)
    }

    /// The number of steps used.
    var spent: Int { max(limits.steps, 0) - left }

    /// Uses some steps.
    ///
    /// - Throws: ``ConstraintError`` with code `tooLarge` where too few steps are left, `cancelled` if the task is
    ///   cancelled, and `timedOut` after the deadline.
    func spend(_ steps: Int) throws(ConstraintError) {
        guard steps <= left else {
            throw ConstraintError(.tooLarge, "Compiling takes more than \(limits.steps) steps; simplify the schema.")
        }
        left -= steps
        untilLook -= steps
        if untilLook <= 0 { try look() }
    }

    /// Uses some steps where nothing can be thrown: where they are too many, the next ``spend(_:)`` throws.
    func owe(_ steps: Int) {
        left -= steps
        untilLook -= steps
    }

    /// Uses `count` times `steps` steps.
    func spend(_ count: Int, times steps: Int) throws(ConstraintError) {
        let (product, overflows) = count.multipliedReportingOverflow(by: steps)
        try spend(overflows ? .max : product)
    }

    private func look() throws(ConstraintError) {
        untilLook = Self.stride
        guard !isWatched || !Task.isCancelled else {
            throw ConstraintError(.cancelled, "The task was cancelled while a schema or grammar was compiled.")
        }
        if let deadline, ContinuousClock.now >= deadline {
            throw ConstraintError(
                .timedOut, "The deadline passed while a schema or grammar was compiled; allow more time.")
        }
    }
}
