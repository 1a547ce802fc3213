// SPDX-License-Identifier: Apache-2.0

#if LlamaCpp
    import CParleyLlamaCpp
    import ParleyTokenizer

    /// An image in the form that a model takes: pieces, with control tokens around them.
    ///
    /// `@unchecked Sendable`: it is immutable.
    final class LlamaCppImage: @unchecked Sendable {
        /// A run of rows of a sequence.
        enum Part: Sendable, Hashable {
            case tokens([TokenID])
            /// A piece of the image: the rows it takes, and the positions by which it makes the sequence longer.
            case piece(rows: Int, positions: Int)
        }

        /// The parts in order.
        let parts: [Part]
        let pointer: OpaquePointer
        let projector: LlamaCppProjector

        init(_ pointer: OpaquePointer, projector: LlamaCppProjector) {
            self.pointer = pointer
            self.projector = projector
            parts = (0..<parley_llama_image_parts(pointer)).map { part in
                let count = parley_llama_part_count(pointer, part)
                if let tokens = parley_llama_part_tokens(pointer, part) {
                    return .tokens(Array(UnsafeBufferPointer(start: tokens, count: count)))
                }
                return .piece(rows: count, positions: Int(parley_llama_part_positions(pointer, part)))
            }
        }

        deinit {
            parley_llama_free_image(pointer)
        }
    }

    /// One piece of an image, as the ids in a prompt name it.
    struct ImagePiece: Sendable {
        let image: LlamaCppImage
        let part: Int
        /// The ids of its rows, below zero and descending.
        let ids: ClosedRange<TokenID>
        let positions: Int

        var rows: Int { ids.count }
        /// The id of its first row.
        var first: TokenID { ids.upperBound }
    }
#endif
