// SPDX-License-Identifier: Apache-2.0

#if LlamaCpp
    import Foundation
    import ParleyFiles
    import ParleyRuntime
    import Synchronization

    /// The images that were used most recently with a model, so that they are not read again for every prompt.
    final class ImageTable: Sendable {
        private struct State {
            var inputs: [Data: ModelInput] = [:]
            /// The images, starting with the least recently used.
            var order: [Data] = []

            /// Makes an image the most recently used one.
            mutating func keep(_ input: ModelInput, of bytes: Data) -> ModelInput {
                inputs[bytes] = input
                order.removeAll { $0 == bytes }
                order.append(bytes)
                if order.count > ImageTable.limit { inputs[order.removeFirst()] = nil }
                return input
            }
        }

        /// The number of images to keep.
        static let limit = 64

        private let projector: LlamaCppProjector
        /// No other lock is taken while this one is held.
        private let state = Mutex(State())

        init(_ projector: LlamaCppProjector) {
            self.projector = projector
        }

        /// Returns what represents an image in a prompt, with the control tokens around it.
        ///
        /// - Throws: `RuntimeError` with code `invalidInput` if the bytes are not an image.
        func input(of bytes: Data) throws -> ModelInput {
            let known = state.withLock { state in state.inputs[bytes].map { state.keep($0, of: bytes) } }
            if let known { return known }
            let input = try projector.read(bytes).input(digest: SHA256Hash.digest(of: bytes))
            return state.withLock { $0.keep(input, of: bytes) }
        }

        /// Checks that an embedding is of an image that this projector has read.
        ///
        /// - Throws: `RuntimeError` with code `invalidInput` if it is not.
        func check(_ embedding: InputEmbedding) throws {
            guard let piece = embedding.piece, piece.image.projector === projector, piece.rows == embedding.count else {
                throw RuntimeError(.invalidInput, "An image of the prompt was prepared for another model.")
            }
        }
    }
#endif
