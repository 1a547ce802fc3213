// SPDX-License-Identifier: Apache-2.0

/// Limits the work for one mask or one token. Work is counted in steps, between which cancellation and the deadline are
/// checked.
///
/// A grammar can allow very many ways to parse one byte. Beyond the limit, computing the mask fails, and the reply with
/// it, because an incomplete mask would forbid allowed tokens.
struct WorkMeter: Sendable {
    /// The maximum number of steps, which take 0.1 to 0.2 s.
    static let limit = 50_000_000
    /// The number of steps between two checks of the clock and of cancellation: a few hundred microseconds.
    private static let stride = 65_536

    /// Why the work was stopped, if it was. It is not resumed then.
    private(set) var interruption: ConstraintError.Code?
    private var left = limit
    private var nextLook = limit - stride
    private var deadline: ContinuousClock.Instant?
    private var isWatched = false

    /// The number of steps used since the meter was filled.
    var spent: Int { Self.limit - left }

    /// Whether the work was stopped.
    @inline(__always)
    var isSpent: Bool { interruption != nil }

    /// Resets the meter for the next mask or token, with a deadline. `isWatched` says whether the task's cancellation
    /// stops the work.
    mutating func fill(deadline: ContinuousClock.Instant? = nil, isWatched: Bool = false) {
        self.isWatched = isWatched
        left = Self.limit
        nextLook = Self.limit - Self.stride
        self.deadline = deadline
    }

    /// Takes steps.
    @inline(__always)
    mutating func spend(_ steps: Int) {
        left &-= steps
        if left < nextLook { look() }
    }

    private mutating func look() {
        nextLook = left - Self.stride
        guard interruption == nil else { return }
        if left < 0 {
            interruption = .tooLarge
        } else if isWatched, Task.isCancelled {
            interruption = .cancelled
        } else if let deadline, ContinuousClock.now >= deadline {
            interruption = .timedOut
        }
    }

    /// Throws if the work was stopped.
    ///
    /// - Throws: ``ConstraintError`` with code `tooLarge`, `cancelled` or `timedOut`.
    func check() throws(ConstraintError) {
        switch interruption {
        case nil: return
        case .cancelled?:
            throw ConstraintError(.cancelled, "The task was cancelled while the allowed tokens were computed.")
        case .timedOut?:
            throw ConstraintError(
                .timedOut, "The deadline passed while the allowed tokens were computed; allow more time.")
        case let code?:
            throw ConstraintError(
                code,
                "Computing the allowed tokens takes more than \(Self.limit) steps; simplify the schema or grammar.")
        }
    }
}
