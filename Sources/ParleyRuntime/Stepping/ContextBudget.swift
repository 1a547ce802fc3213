// SPDX-License-Identifier: Apache-2.0

package import ParleySystem

/// Chooses the context length with which a model is loaded from the memory that it would take.
package struct ContextBudget {
    /// One contribution to the memory, such as the weights.
    package typealias Term = MemorySum.Term

    /// An upper bound on contexts, in tokens: no model is trained for more, and sums for it cannot overflow.
    package static let longest = 1 << 24

    /// The shortest useful context, in tokens.
    private static let shortest = 128

    private let terms: (_ context: Int) -> [Term]

    /// Creates the budget of a model.
    ///
    /// - Parameter terms: returns the contributions for a context of the given number of tokens; none may shrink as the
    ///   context grows.
    package init(terms: @escaping (_ context: Int) -> [Term]) {
        self.terms = terms
    }

    /// The total memory for a context of the given number of tokens.
    package func total(context: Int) -> ByteSize {
        MemorySum(terms(context)).total
    }

    /// The longest context, up to `limit` tokens, that fits into `bytes`; nil if not even a short one does.
    package func largestContext(within bytes: Int, limit: Int) -> Int? {
        guard limit > 0 else { return nil }
        var low = 0
        var high = min(limit, Self.longest)
        while low < high {
            let middle = high - (high - low) / 2
            if total(context: middle).fits(into: bytes) { low = middle } else { high = middle - 1 }
        }
        return low >= min(Self.shortest, limit) ? low : nil
    }

    /// Chooses the context to load with, or throws an error that lists every contribution to the memory.
    ///
    /// - Parameters:
    ///   - requested: the context the user asked for, in tokens; nil for the smallest of `trained`, `usual` and what
    ///     fits.
    ///   - trained: the longest context the model was trained for, in tokens; 0 if not known.
    ///   - usual: the longest context that is chosen without a request, in tokens.
    ///   - memory: the memory that this process may take.
    ///   - name: the model's name, for messages.
    /// - Returns: the context in tokens.
    /// - Throws: ``RuntimeError`` with code `insufficientMemory`, or `invalidInput` for a request that no amount of
    ///   memory could meet.
    package func context(
        requested: Int?, trained: Int, usual: Int, memory: MachineMemory, name: String
    ) throws(RuntimeError) -> Int {
        let limit = requested ?? (trained > 0 ? min(trained, usual) : usual)
        guard (1...Self.longest).contains(limit) else {
            throw RuntimeError(
                .invalidInput, "A context of \(limit) tokens is not possible; choose 1 to \(Self.longest).")
        }
        let fitting = largestContext(within: memory.available, limit: limit)
        if let fitting, requested == nil || fitting == limit { return fitting }
        // More than the model was trained for would fit, but be of no use.
        let offered = fitting.map { trained > 0 ? min($0, trained) : $0 }
        let remedy =
            offered.map { "A context of \($0) tokens would fit (--context \($0))." }
            ?? "Close other programs or choose a smaller model."
        throw RuntimeError(
            .insufficientMemory, MemorySum(terms(limit)).refusal(of: name, memory: memory, remedy: remedy))
    }
}
