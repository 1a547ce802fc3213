// SPDX-License-Identifier: Apache-2.0

#if LlamaCpp
    import Foundation
    import ParleyRuntime
    import ParleyTokenizer
    import Synchronization

    /// The images that have been used with a model, and their ids in prompts.
    ///
    /// The most recently used images are kept. An image that is used again after it was dropped is read and run again.
    final class ImageTable: Sendable {
        fileprivate struct State {
            var ids: [Data: [TokenID]] = [:]
            /// The images, starting with the least recently used.
            var order: [Data] = []
            /// The pieces of images, by the id of their first row.
            var pieces: [TokenID: ImagePiece] = [:]
            var next: TokenID = -1
        }

        /// The number of images to keep.
        private static let limit = 64

        private let projector: LlamaCppProjector
        /// No other lock is taken while this one is held.
        private let state = Mutex(State())

        init(_ projector: LlamaCppProjector) {
            self.projector = projector
        }

        /// Returns the ids that represent an image in a prompt, with the control tokens around it.
        ///
        /// - Throws: `RuntimeError` with code `invalidInput` if the bytes are not an image.
        func tokens(of bytes: Data) throws -> [TokenID] {
            let known = state.withLock { state -> [TokenID]? in
                guard let ids = state.ids[bytes] else { return nil }
                state.order.removeAll { $0 == bytes }
                state.order.append(bytes)
                return ids
            }
            if let known { return known }
            let image = try projector.read(bytes)
            return try state.withLock { try $0.add(image, bytes, limit: Self.limit) }
        }

        /// The piece whose first row has this id.
        func piece(from id: TokenID) -> ImagePiece? { state.withLock { $0.pieces[id] } }

        /// Checks whether the pieces of images in a sequence of tokens are complete.
        ///
        /// - Returns: the index at which an incomplete piece begins; nil if all are complete.
        /// - Throws: ``unknown`` for ids that belong to no image.
        func startOfIncompletePiece(in tokens: [TokenID]) throws -> Int? {
            var index = 0
            while let start = tokens[index...].firstIndex(where: { $0 < 0 }) {
                let rest = tokens[start...]
                guard let piece = piece(from: tokens[start]), zip(rest, piece.ids.reversed()).allSatisfy(==) else {
                    throw Self.unknown
                }
                guard rest.count >= piece.rows else { return start }
                index = start + piece.rows
            }
            return nil
        }

        static let unknown = RuntimeError(
            .invalidInput, "An image of the prompt is not known any more; make it again.")
    }

    extension ImageTable.State {
        fileprivate mutating func add(_ image: LlamaCppImage, _ bytes: Data, limit: Int) throws -> [TokenID] {
            if let ids = ids[bytes] { return ids }
            var tokens: [TokenID] = []
            for (number, part) in image.parts.enumerated() {
                switch part {
                case .tokens(let run): tokens += run
                case .piece(let rows, let positions):
                    guard rows > 0, Int(next) - rows > Int(TokenID.min) else {
                        throw RuntimeError(.engineFailed, "Too many images have been shown; load the model again.")
                    }
                    let last = next - TokenID(rows) + 1
                    let piece = ImagePiece(image: image, part: number, ids: last...next, positions: positions)
                    pieces[next] = piece
                    tokens += piece.ids.reversed()
                    next = last - 1
                }
            }
            ids[bytes] = tokens
            order.append(bytes)
            if order.count > limit { forget(order.removeFirst()) }
            return tokens
        }

        private mutating func forget(_ bytes: Data) {
            for id in ids.removeValue(forKey: bytes) ?? [] where id < 0 { pieces[id] = nil }
        }
    }
#endif
