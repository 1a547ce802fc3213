// SPDX-License-Identifier: Apache-2.0

import ParleyModelFile
package import ParleyRuntime
package import ParleySystem
package import ParleyTensor

/// The options for loading a model into the native engine.
package struct EngineConfiguration: Sendable {
    /// The longest sequence in tokens; nil for the smallest of the trained context, 8,192 and what fits in memory.
    package var context: Int?
    /// The number of threads that run a step together; nil for the number of processors this process may use.
    package var threads: Int?
    /// The instruction set of the kernels.
    package var instructionSet: InstructionSet
    /// Whether the weights are locked in memory against swapping; the system may refuse (see RLIMIT_MEMLOCK in
    /// getrlimit(2)).
    package var locksMemory: Bool
    /// How keys and values are stored.
    package var cacheType = CacheType.f16
    /// How much of the machine steps use in which condition of it.
    package var power = PowerPolicy.automatic
    /// Tells the machine's condition.
    package var condition: @Sendable () -> MachineCondition = MachineCondition.current
    /// The most bytes that all sequences together will have written at any time, for which the caller sees to it; nil if
    /// each may write a whole context.
    package var cacheMemory: Int?
    /// The ledger of the memory that the process has reserved.
    package var ledger = MemoryLedger.process

    /// The maximum context that is chosen without a request, in tokens.
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
