// SPDX-License-Identifier: Apache-2.0

package import ParleySystem

/// The options for loading a model into a library that runs one sequence at a time.
package struct SerialConfiguration: Sendable {
    /// The longest sequence in tokens; nil for the smallest of the trained context, 8,192 and what fits in memory.
    package var context: Int?
    /// The number of threads that run a step together; nil for the number of processors this process may use.
    package var threads: Int?
    /// Where the memory is accounted for.
    package var ledger: MemoryLedger

    /// Creates a configuration.
    package init(context: Int? = nil, threads: Int? = nil, ledger: MemoryLedger = .process) {
        self.context = context
        self.threads = threads
        self.ledger = ledger
    }
}

/// The memory that a model takes in a library, estimated from its description.
package struct SerialMemoryPlan: Sendable, Hashable {
    /// The weights as the library has them.
    package let weights: ByteSize
    /// The logits and activations of a step.
    package let scratch: ByteSize
    /// What a sequence takes however short it is.
    package let bytesPerSequence: ByteSize
    /// The keys and values of one position in all layers.
    package let bytesPerToken: ByteSize

    /// Creates a plan.
    package init(
        weights: ByteSize, scratch: ByteSize, bytesPerSequence: ByteSize = .zero, bytesPerToken: ByteSize = .zero
    ) {
        self.weights = weights
        self.scratch = scratch
        self.bytesPerSequence = bytesPerSequence
        self.bytesPerToken = bytesPerToken
    }

    /// The memory of the cache of a sequence of `context` tokens.
    package func cache(context: Int) -> ByteSize { bytesPerSequence + bytesPerToken * context }

    /// The total memory with one sequence.
    package func total(context: Int) -> ByteSize { budget.total(context: context) }

    /// The contributions to the memory.
    private var budget: ContextBudget {
        ContextBudget { context in
            [
                .init("weights", weights),
                .init("cache for \(context) tokens", cache(context: context)),
                .init("scratch", scratch),
            ]
        }
    }

    /// Chooses the context, and reserves the memory of the model and of one sequence.
    ///
    /// - Parameters:
    ///   - configuration: the options for loading.
    ///   - trained: the longest context the model was trained for, in tokens; 0 if not known.
    ///   - usual: the longest context that is chosen without a request, in tokens.
    ///   - longest: the longest context that is possible, in tokens; nil for any.
    ///   - name: the model's name, for messages.
    /// - Returns: the context; the reservations of the weights and of the scratch memory; and the memory of the
    ///   sequences.
    /// - Throws: ``RuntimeError`` with code `insufficientMemory`, or `invalidInput` for a request that no amount of
    ///   memory could meet.
    func reserve(
        _ configuration: SerialConfiguration, trained: Int, usual: Int, longest: Int?, name: String
    ) throws -> (context: Int, weights: MemoryReservation, scratch: MemoryReservation, sequences: SequenceMemory) {
        let requested = configuration.context.map { min($0, longest ?? $0) }
        let (context, reservations) = try configuration.ledger.reserve { memory in
            let context = try budget.context(
                requested: requested, trained: trained, usual: usual, memory: memory, name: name)
            return (context, bytes: [weights, scratch, cache(context: context)].map(\.count))
        }
        let sequences = SequenceMemory(first: reservations[2], in: configuration.ledger)
        return (context, reservations[0], reservations[1], sequences)
    }
}
