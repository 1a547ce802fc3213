// SPDX-License-Identifier: Apache-2.0

#if LlamaCpp
    import Foundation
    import ParleyFiles
    import ParleyRuntime
    import Synchronization

    /// The images that were used most recently with a model, so that they are not read again for every prompt.
    final class ImageTable: Sendable {
        private struct State {
            /// What was made of images, by the digests of their files.
            var inputs: [[UInt8]: ModelInput] = [:]
            /// The digests, starting with that of the least recently used image.
            var order: [[UInt8]] = []

            /// Makes an image the most recently used one.
            mutating func keep(_ input: ModelInput, of digest: [UInt8]) -> ModelInput {
                inputs[digest] = input
                order.removeAll { $0 == digest }
                order.append(digest)
                if order.count > ImageTable.limit { inputs[order.removeFirst()] = nil }
                return input
            }
        }

        /// The number of images to keep: about ten megabytes each, as many as a request may have.
        static let limit = 16

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
            let digest = SHA256Hash.digest(of: bytes)
            let known = state.withLock { state in state.inputs[digest].map { state.keep($0, of: digest) } }
            if let known { return known }
            let input = try projector.read(bytes).input(digest: digest)
            return state.withLock { $0.keep(input, of: digest) }
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
