// SPDX-License-Identifier: Apache-2.0

#if ONNX
    package import ParleySystem

    /// The options for loading a model into ONNX Runtime.
    package struct ONNXConfiguration: Sendable {
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
#endif
