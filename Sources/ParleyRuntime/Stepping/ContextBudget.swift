// SPDX-License-Identifier: Apache-2.0

package import ParleySystem

/// The context that a model can be loaded with, judged by the memory that it then takes, term by term.
package struct ContextBudget {
    /// A part of the memory, such as `weights`.
    package struct Term {
        /// What takes it, in messages.
        package let name: String
        package let size: ByteSize

        package init(_ name: String, _ size: ByteSize) {
            self.name = name
            self.size = size
        }
    }

    /// No model is trained for more; sums for it cannot overflow.
    package static let longest = 1 << 24

    /// Nothing useful is said in less.
    private static let shortest = 128

    private let terms: (_ context: Int) -> [Term]

    /// Creates the budget of a model.
    ///
    /// - Parameter terms: what takes memory with a context of so many tokens; never less with more of them.
    package init(terms: @escaping (_ context: Int) -> [Term]) {
        self.terms = terms
    }

    /// All together, with a context of so many tokens.
    package func total(context: Int) -> ByteSize {
        terms(context).reduce(.zero) { $0 + $1.size }
    }

    /// The longest context, up to `limit`, that fits into `bytes`; nil where not even a short one does.
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

    /// Chooses the context to load with, or refuses with every term of the sum.
    ///
    /// - Parameters:
    ///   - requested: what the user asked for; nil takes the smallest of the trained length, `usual` and what fits.
    ///   - trained: the longest context the model was trained for, in tokens; 0 where that is not known.
    ///   - usual: the bound where nothing was asked for.
    ///   - memory: what this process may take.
    ///   - name: the model's name in messages.
    /// - Returns: the context in tokens.
    /// - Throws: ``RuntimeError`` with code `insufficientMemory`, or `invalidInput` for a request that cannot be met by
    ///   any memory.
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
        let sum = terms(limit).map { "\($0.name) \($0.size.mebibytes)" }.joined(separator: " + ")
        let remedy =
            fitting.map { "A context of \($0) tokens would fit (--context \($0))." }
            ?? "Close other programs or choose a smaller model."
        throw RuntimeError(
            .insufficientMemory,
            "\(name) does not fit into memory: \(sum) = \(total(context: limit).mebibytes), but "
                + "\(ByteSize(clamping: memory.available).mebibytes) are available of "
                + "\(ByteSize(clamping: memory.physical).mebibytes). \(remedy)")
    }
}
