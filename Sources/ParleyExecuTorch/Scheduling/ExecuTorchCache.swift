// SPDX-License-Identifier: Apache-2.0

#if ExecuTorch
    import CParleyExecuTorch
    import ParleyRuntime
    package import ParleyTokenizer

    /// A sequence of a program: its keys and values, which the program overwrites from the position of a step on. Only the
    /// model's thread uses it, but for ``interrupt()``.
    package final class ExecuTorchCache: SerialCache, @unchecked Sendable {
        private let pointer: OpaquePointer
        /// Kept until the sequence is freed.
        private let program: ExecuTorchProgram
        /// The number of positions that have run.
        private var stored: Int64 = 0
        private var functions: parley_executorch_functions { program.library.functions.pointee }

        /// Creates an empty sequence, with all the memory that the program plans for one.
        ///
        /// - Throws: `RuntimeError` with the library's message.
        init(_ program: ExecuTorchProgram) throws(RuntimeError) {
            self.program = program
            guard let pointer = program.library.functions.pointee.make_cache(program.pointer) else {
                throw program.library.failure
            }
            self.pointer = pointer
        }

        deinit {
            functions.free_cache(pointer)
        }

        package func run(_ tokens: ArraySlice<TokenID>, wanted: Int) throws {
            let isDone = tokens.withUnsafeBufferPointer { tokens in
                functions.run(pointer, tokens.baseAddress, Int64(tokens.count), stored, Int64(wanted))
            }
            guard isDone else { throw program.library.failure }
            stored += Int64(tokens.count)
        }

        package func withLogits<Result>(_ body: (UnsafeBufferPointer<Float>) throws -> Result) throws -> Result {
            var rows: Int64 = 0
            let logits = functions.logits(pointer, &rows)
            return try body(UnsafeBufferPointer(start: logits, count: Int(rows) * program.vocabularySize))
        }

        package func rewind(to position: Int) throws { stored = min(stored, Int64(position)) }

        package func interrupt() { functions.interrupt(pointer, true) }

        package func resume() { functions.interrupt(pointer, false) }
    }
#endif
