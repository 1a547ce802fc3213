// SPDX-License-Identifier: Apache-2.0

#if ONNX
    import ParleyRuntime
    package import ParleyTokenizer

    /// A sequence of tokens in ONNX Runtime, with its cache; only the model's thread uses it, but for ``interrupt()``.
    package final class ONNXGenerator: SerialCache, @unchecked Sendable {
        private let pointer: OpaquePointer
        private let weights: ONNXWeights
        private let vocabularySize: Int
        private var library: ONNXLibrary { weights.library }

        /// Creates an empty sequence of at most `length` tokens, whose cache is allocated at once.
        ///
        /// - Throws: `RuntimeError` with the library's message.
        init(_ weights: ONNXWeights, length: Int, vocabularySize: Int) throws(RuntimeError) {
            self.weights = weights
            self.vocabularySize = vocabularySize
            let library = weights.library
            let parameters = try library.create { library.createParameters(weights.pointer, $0) }
            defer { library.destroyParameters(parameters) }
            for (name, value) in [("max_length", Double(length)), ("batch_size", 1), ("num_beams", 1)] {
                try library.check(library.setSearchNumber(parameters, name, value))
            }
            pointer = try library.create { library.createGenerator(weights.pointer, parameters, $0) }
        }

        deinit {
            library.destroyGenerator(pointer)
        }

        /// Runs tokens after those that are there.
        ///
        /// - Throws: `RuntimeError` with the library's message; afterwards the sequence has to be rewound.
        package func run(_ tokens: ArraySlice<TokenID>, wanted: Int) throws {
            try library.check(
                tokens.withUnsafeBufferPointer { tokens in
                    tokens.baseAddress.flatMap { library.appendTokens(pointer, $0, tokens.count) }
                })
        }

        /// Removes everything from a position on.
        ///
        /// - Throws: `RuntimeError` with the library's message.
        package func rewind(to position: Int) throws {
            try library.check(library.rewind(pointer, position))
        }

        /// Ends the step that runs; may be called on any thread.
        package func interrupt() {
            try? library.check(library.setRuntimeOption(pointer, "terminate_session", "1"))
        }

        /// Lets steps run again after ``interrupt()``.
        package func resume() throws {
            try library.check(library.setRuntimeOption(pointer, "terminate_session", "0"))
        }

        /// Passes the logits of the last call of ``run(_:wanted:)``, one row after the other: of all its tokens, or of
        /// the last one alone if the network computes no others.
        ///
        /// - Throws: `RuntimeError` if they are not of the form that is expected.
        package func withLogits<Result>(
            _ body: (UnsafeBufferPointer<Float>) throws -> Result
        ) throws -> Result {
            let tensor = try library.create { library.getOutput(pointer, "logits", $0) }
            defer { library.destroyTensor(tensor) }
            var (type, rank): (Int32, Int) = (0, 0)
            try library.check(library.tensorType(tensor, &type))
            try library.check(library.tensorRank(tensor, &rank))
            guard (1...4).contains(rank) else { throw Self.unexpected("\(rank) dimensions") }
            var shape = [Int64](repeating: 0, count: rank)
            try library.check(library.tensorShape(tensor, &shape, rank))
            let rows = shape.dropLast().reduce(Int64(1)) { $0.multipliedReportingOverflow(by: $1).partialValue }
            guard type == Self.float32, shape.last == Int64(vocabularySize), (1...Int64(serialRows)).contains(rows)
            else { throw Self.unexpected("type \(type) and shape \(shape)") }
            var data: UnsafeMutableRawPointer?
            try library.check(library.tensorData(tensor, &data))
            guard let data else { throw Self.unexpected("no data") }
            let count = Int(rows) * vocabularySize
            return try body(UnsafeBufferPointer(start: data.bindMemory(to: Float.self, capacity: count), count: count))
        }

        /// `OgaElementType_float32`.
        private static let float32: Int32 = 1

        private static func unexpected(_ what: String) -> RuntimeError {
            RuntimeError(.unsupported, "The network gives logits of \(what), which is not supported.")
        }
    }
#endif
