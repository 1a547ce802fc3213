// SPDX-License-Identifier: Apache-2.0

#if ExecuTorch
    import CParleyExecuTorch
    import ParleyRuntime

    /// An open program, owned by the thread that opens it.
    final class ExecuTorchProgram {
        let pointer: OpaquePointer
        let library: ExecuTorchLibrary
        /// How many positions a sequence has.
        let context: Int
        /// The number of logits in a row.
        let vocabularySize: Int
        /// The memory that the program plans for a sequence and its step, in bytes.
        let plannedBytes: Int

        /// Opens a file and checks that it continues a text.
        ///
        /// - Throws: `RuntimeError` with the library's message.
        init(path: String, library: ExecuTorchLibrary) throws(RuntimeError) {
            var description = parley_executorch_description()
            guard let pointer = library.functions.pointee.open(path, &description) else { throw library.failure }
            self.pointer = pointer
            self.library = library
            context = Int(description.context)
            vocabularySize = Int(description.vocabulary)
            plannedBytes = Int(description.planned_bytes)
        }

        deinit {
            library.functions.pointee.close(pointer)
        }
    }
#endif
