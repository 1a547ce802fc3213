// SPDX-License-Identifier: Apache-2.0

#if LlamaCpp
    package import ParleyRuntime

    /// The state that is kept for a sequence in llama.cpp: its place and how much llama.cpp has of it.
    ///
    /// `@unchecked Sendable`: during a step only the model's thread uses it, and only its timeline at other times.
    package final class LlamaCppSequence: EngineSequence, @unchecked Sendable {
        let place: SequencePlace
        /// The number of rows in llama.cpp's sequence; nil if it still has the contents of an earlier sequence.
        private(set) var stored: Int?

        package let rewindsExactly: Bool
        private let images: ImageTable?
        /// Called when the sequence is deinitialised.
        private let release: @Sendable () -> Void

        init(
            _ place: SequencePlace, rewindsExactly: Bool, images: ImageTable?, release: @escaping @Sendable () -> Void
        ) {
            self.place = place
            self.rewindsExactly = rewindsExactly
            self.images = images
            self.release = release
        }

        deinit {
            release()
        }

        /// The model's thread removes the positions from llama.cpp's sequence at the next step.
        package func rewind(to position: Int, of count: Int) -> Int {
            position < count && !rewindsExactly ? 0 : position
        }

        package func advance(to count: Int) {
            stored = count
        }

        package func admit(_ embedding: InputEmbedding) throws {
            guard let images else { throw LlamaCppModel.seesNothing }
            try images.check(embedding)
        }
    }

    extension StepJob<LlamaCppSequence> {
        /// llama.cpp's next position. In some models an image has more or fewer of these than it has rows.
        var position: Int {
            held.embeddings.reduce(held.count) { $0 + ($1.piece?.positions ?? $1.count) - $1.count }
        }

        /// The number of tokens before the next image or the end.
        var remainingText: Int {
            if case .tokens(let tokens) = input.part(at: done) { tokens.count } else { 0 }
        }

        /// The piece of an image that comes next, if one does.
        var nextImage: ImagePiece? {
            if case .embedding(let embedding) = input.part(at: done) { embedding.piece } else { nil }
        }
    }
#endif
