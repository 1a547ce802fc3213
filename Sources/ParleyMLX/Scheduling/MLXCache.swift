// SPDX-License-Identifier: Apache-2.0

#if MLX
    import CParleyMLX
    import ParleyRuntime
    package import ParleyTokenizer

    /// The keys and values of a sequence in MLX; only the model's thread uses it, but for ``interrupt()``.
    package final class MLXCache: SerialCache, @unchecked Sendable {
        private let pointer: OpaquePointer
        /// Kept until the cache is freed.
        private let weights: MLXWeights
        private let vocabularySize: Int
        /// The number of rows that the last step was asked for.
        private var wanted = 0
        private var functions: parley_mlx_functions { weights.library.functions.pointee }

        /// Creates an empty cache of at most `capacity` tokens, whose memory grows as it is filled.
        ///
        /// - Throws: `RuntimeError` with the library's message.
        init(_ weights: MLXWeights, capacity: Int, vocabularySize: Int) throws(RuntimeError) {
            (self.weights, self.vocabularySize) = (weights, vocabularySize)
            guard let pointer = weights.library.functions.pointee.make_cache(weights.pointer, Int32(clamping: capacity))
            else { throw weights.library.failure }
            self.pointer = pointer
        }

        deinit {
            functions.free_cache(pointer)
        }

        package func run(_ tokens: ArraySlice<TokenID>, wanted: Int) throws {
            self.wanted = 0
            let isDone = tokens.withUnsafeBufferPointer { tokens in
                functions.run(pointer, tokens.baseAddress, Int32(tokens.count), Int32(wanted))
            }
            guard isDone else { throw weights.library.failure }
            self.wanted = wanted
        }

        package func withLogits<Result>(_ body: (UnsafeBufferPointer<Float>) throws -> Result) throws -> Result {
            try body(UnsafeBufferPointer(start: functions.logits(pointer), count: wanted * vocabularySize))
        }

        package func rewind(to position: Int) throws {
            guard functions.rewind(pointer, Int32(clamping: position)) else {
                throw RuntimeError(.engineFailed, "MLX: the sequence was lost in a step that failed.")
            }
        }

        package func interrupt() { functions.interrupt(pointer, true) }

        package func resume() { functions.interrupt(pointer, false) }
    }
#endif
