// SPDX-License-Identifier: Apache-2.0

/// The work that one mask, or reading one token, may take: counted in steps, so that it ends, and interrupted between
/// them.
///
/// A grammar can allow very many readings of one byte at once. Beyond the limit the mask is given up, and the reply
/// with it, as an incomplete mask would forbid tokens that are allowed.
struct WorkMeter: Sendable {
    /// A tenth of a second or two.
    static let limit = 50_000_000
    /// How many steps pass between two checks of the clock and the task's cancellation: some hundred microseconds.
    private static let stride = 65_536

    /// Why the work was given up, if it was; it stays given up.
    private(set) var interruption: ConstraintError.Code?
    private var left = limit
    private var nextLook = limit - stride
    private var deadline: ContinuousClock.Instant?
    private var isWatched = false

    /// How many steps have been taken since the meter was filled.
    var spent: Int { Self.limit - left }

    /// Whether the work was given up.
    @inline(__always)
    var isSpent: Bool { interruption != nil }

    /// Allows as much work as one mask, or one token, may take, up to a deadline. The task's cancellation counts if
    /// `isWatched`.
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

    /// Throws where the work was given up.
    ///
    /// - Throws: ``ConstraintError`` with code `tooLarge`, `cancelled` or `timedOut`.
    func check() throws(ConstraintError) {
        switch interruption {
        case nil: return
        case .cancelled?:
            throw ConstraintError(.cancelled, "The task was cancelled while it was found out what may come next.")
        case .timedOut?:
            throw ConstraintError(.timedOut, "There was no time left to find out what may come next; allow more.")
        case let code?:
            throw ConstraintError(
                code,
                "Finding out what may come next takes more than \(Self.limit) steps; simplify the schema or grammar.")
        }
    }
}
