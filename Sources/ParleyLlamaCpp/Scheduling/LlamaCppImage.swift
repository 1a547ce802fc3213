// SPDX-License-Identifier: Apache-2.0

#if LlamaCpp
    import CParleyLlamaCpp
    import ParleyTokenizer

    /// An image as a model takes it: pieces, with control tokens around them.
    ///
    /// `@unchecked Sendable`: it is immutable.
    final class LlamaCppImage: @unchecked Sendable {
        /// Consecutive rows of a sequence.
        enum Part: Sendable, Hashable {
            case tokens([TokenID])
            /// A piece of the image: the number of cache rows it takes, and of positions by which it lengthens the
            /// sequence.
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

    /// One piece of an image, as it is represented in prompts.
    struct ImagePiece: Sendable {
        let image: LlamaCppImage
        let part: Int
        /// The ids of its rows, which are below zero and descend.
        let ids: ClosedRange<TokenID>
        let positions: Int

        var rows: Int { ids.count }
        /// The id of the first row.
        var first: TokenID { ids.upperBound }
    }
#endif
