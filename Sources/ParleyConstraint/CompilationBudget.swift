// SPDX-License-Identifier: Apache-2.0

/// The work that compiling one program may take: counted in steps, so that it ends, and interrupted between them.
///
/// Whatever a schema, a pattern or a grammar can make large is charged here before it is made. A step costs about as
/// much as one transition of an automaton and allocates at most some eight bytes that stay.
final class CompilationBudget {
    let limits: ConstraintLimits
    private let deadline: ContinuousClock.Instant?
    private let isWatched: Bool
    private var left: Int
    private var untilLook = 0

    /// How many steps pass between two checks of the clock and the task's cancellation: some hundred microseconds.
    private static let stride = 8_192

    /// Creates a budget. What is made once for the whole process must not be watched for the task's cancellation.
    init(_ limits: ConstraintLimits, deadline: ContinuousClock.Instant? = nil, isWatched: Bool = true) {
        self.limits = limits
        self.isWatched = isWatched
        self.deadline = deadline
        left = max(limits.steps, 0)
    }

    /// How many steps have been taken.
    var spent: Int { max(limits.steps, 0) - left }

    /// Takes steps.
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

    /// Takes as many steps as one number times another.
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
            throw ConstraintError(.timedOut, "There was no time left to compile a schema or grammar; allow more.")
        }
    }
}
