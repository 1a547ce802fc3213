// SPDX-License-Identifier: Apache-2.0

import ParleyModelFile
package import ParleySystem
package import ParleyTensor

/// How the native engine runs a model.
package struct EngineConfiguration: Sendable {
    /// The longest sequence in tokens; nil takes the smallest of the trained length, 8,192 and what fits in memory.
    package var context: Int?
    /// The threads that share a step; nil takes the processors this process may use.
    package var threads: Int?
    /// The kernels.
    package var instructionSet: InstructionSet
    /// Whether the weights are never to be swapped out. The system may forbid it; see RLIMIT_MEMLOCK in getrlimit(2).
    package var locksMemory: Bool
    /// What the process has been promised of its memory.
    package var ledger = MemoryLedger.process

    /// The context where nothing is asked for, in tokens.
    package static let usualContext = UsualContext.tokens

    /// Creates a configuration.
    package init(
        context: Int? = nil, threads: Int? = nil, instructionSet: InstructionSet = .best, locksMemory: Bool = false
    ) {
        self.context = context
        self.threads = threads
        self.instructionSet = instructionSet
        self.locksMemory = locksMemory
    }
}
