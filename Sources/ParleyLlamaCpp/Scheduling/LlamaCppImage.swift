// SPDX-License-Identifier: Apache-2.0

#if LlamaCpp
    import CParleyLlamaCpp
    import ParleyRuntime

    /// An image that llama.cpp has read: pieces, with control tokens around them.
    ///
    /// `@unchecked Sendable`: it is immutable.
    final class LlamaCppImage: @unchecked Sendable {
        let pointer: OpaquePointer
        let projector: LlamaCppProjector

        init(_ pointer: OpaquePointer, projector: LlamaCppProjector) {
            self.pointer = pointer
            self.projector = projector
        }

        deinit {
            parley_llama_free_image(pointer)
        }

        /// The image in a prompt. The identity of a piece is the digest of the image's file and the piece's number.
        ///
        /// - Throws: `RuntimeError` if llama.cpp divides the image into pieces without rows.
        func input(digest: [UInt8]) throws -> ModelInput {
            var input = ModelInput()
            for part in 0..<parley_llama_image_parts(pointer) {
                let count = parley_llama_part_count(pointer, part)
                if let tokens = parley_llama_part_tokens(pointer, part) {
                    input.append(Array(UnsafeBufferPointer(start: tokens, count: count)))
                    continue
                }
                guard count > 0 else { throw RuntimeError(.engineFailed, "llama.cpp made nothing of an image.") }
                let positions = Int(parley_llama_part_positions(pointer, part))
                let number = withUnsafeBytes(of: UInt32(part).littleEndian) { Array($0) }
                let piece = ImagePiece(image: self, part: part, rows: count, positions: positions)
                input.append(.embedding(InputEmbedding(identity: digest + number, count: count, payload: piece)))
            }
            return input
        }
    }

    /// One piece of an image; the payload of its embedding.
    struct ImagePiece: Sendable {
        let image: LlamaCppImage
        let part: Int
        /// The number of cache rows it takes.
        let rows: Int
        /// The number of llama.cpp's positions by which it lengthens the sequence.
        let positions: Int
    }

    extension InputEmbedding {
        /// The piece of an image that this is; nil if another engine made it.
        var piece: ImagePiece? { payload as? ImagePiece }
    }
#endif
