// SPDX-License-Identifier: Apache-2.0

#if canImport(CoreML)
    import CoreML
    import Foundation
    import ParleyModelFile
    import ParleyRuntime
    package import ParleyTokenizer
    import Synchronization

    /// A sequence in Core ML: its keys and values, which the network overwrites from the position of a step on.
    ///
    /// `@unchecked Sendable`: only the model's thread uses it, but for ``interrupt()``.
    package final class CoreMLCache: SerialCache, @unchecked Sendable {
        private let network: CoreMLNetwork
        private let state: MLState
        private let vocabularySize: Int
        private let isInterrupted = Atomic(false)
        /// The number of positions that have run.
        private var stored = 0
        private var logits: [Float] = []

        /// Creates an empty sequence.
        init(_ network: CoreMLNetwork, vocabularySize: Int) {
            (self.network, self.vocabularySize) = (network, vocabularySize)
            state = network.makeState()
        }

        package func run(_ tokens: ArraySlice<TokenID>, wanted: Int) throws {
            logits = []
            var rest = tokens
            while !rest.isEmpty {
                if isInterrupted.load(ordering: .relaxed) { throw RuntimeError(.engineFailed, "Core ML: interrupted.") }
                let part = rest.prefix(network.mostRows)
                let output = try network.logits(of: part, at: stored, using: state)
                stored += part.count
                rest = rest.dropFirst(part.count)
                try keep(output, of: part.count, last: min(part.count, wanted - rest.count))
            }
        }

        package func withLogits<Result>(_ body: (UnsafeBufferPointer<Float>) throws -> Result) throws -> Result {
            try logits.withUnsafeBufferPointer(body)
        }

        package func rewind(to position: Int) throws { stored = min(stored, position) }

        package func interrupt() { isInterrupted.store(true, ordering: .relaxed) }

        package func resume() { isInterrupted.store(false, ordering: .relaxed) }

        /// Copies the last rows of a prediction of so many tokens, or the last one alone, if it computes no others.
        private func keep(_ output: MLMultiArray, of count: Int, last wanted: Int) throws(RuntimeError) {
            guard wanted > 0 else { return }
            let (shape, strides) = (output.shape.map(\.intValue), output.strides.map(\.intValue))
            guard shape.count == 3, shape[0] == 1, shape[1] == count || shape[1] == 1, shape[2] == vocabularySize,
                [.float16, .float32].contains(output.dataType)
            else { throw RuntimeError(.unsupported, "The network gives logits of the shape \(shape).") }
            // A network that computes the last row alone gives one row for all predictions of a step.
            if shape[1] < count { logits = [] }
            output.withUnsafeBytes { bytes in
                for row in max(shape[1] - wanted, 0)..<shape[1] {
                    for column in 0..<vocabularySize {
                        let place = row * strides[1] + column * strides[2]
                        logits.append(
                            output.dataType == .float16
                                ? Float(half: bytes.loadUnaligned(fromByteOffset: 2 * place, as: UInt16.self))
                                : bytes.loadUnaligned(fromByteOffset: 4 * place, as: Float.self))
                    }
                }
            }
        }
    }
#endif
