// SPDX-License-Identifier: Apache-2.0

#if LlamaCpp
    package import ParleyRuntime
    package import ParleyTokenizer

    /// The state that is kept for a sequence in llama.cpp: its place and its images.
    ///
    /// `@unchecked Sendable`: during a step only the model's thread uses it, and only its timeline at other times.
    package final class LlamaCppSequence: EngineSequence, @unchecked Sendable {
        let place: SequencePlace
        /// The number of tokens in llama.cpp's sequence; nil if it still has the contents of an earlier sequence.
        var stored: Int?

        package let rewindsExactly: Bool
        private let images: ImageTable?
        /// Called when the sequence is deinitialised.
        private let release: @Sendable () -> Void
        /// The pieces of images among the tokens: the token count at the end of each, its rows and its positions.
        private var pieces: [(end: Int, rows: Int, positions: Int)] = []
        /// The beginning of an incomplete image, deferred to the next step.
        private var deferred: [TokenID] = []

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

        package var takesImages: Bool { images != nil }

        /// The position after `count` tokens; it differs from `count` if pieces of images have more or fewer positions
        /// than rows.
        func position(after count: Int) -> Int { pieces.reduce(count) { $0 - $1.rows + $1.positions } }

        /// Removes tokens; an image can only be removed as a whole.
        ///
        /// The model's thread removes them from llama.cpp's sequence at the next step.
        package func rewind(to position: Int, of count: Int) -> Int {
            deferred.removeAll()
            guard position < count else { return count }
            var reached = rewindsExactly ? position : 0
            while let piece = pieces.last, piece.end > reached {
                reached = min(reached, piece.end - piece.rows)
                pieces.removeLast()
            }
            return reached
        }

        package func advance(to count: Int) {
            stored = count
        }

        /// Records a piece of an image after `count` tokens; ``advance(to:)`` must be called next.
        func append(_ piece: ImagePiece, to count: Int) {
            pieces.append((count + piece.rows, piece.rows, piece.positions))
        }

        /// Called if llama.cpp has lost the contents of the sequence.
        func forget() {
            pieces.removeAll()
            stored = 0
        }

        /// Defers an image whose end is in a later step.
        package func admit(_ tokens: inout [TokenID], wanting positions: TimelineStep.Positions) throws {
            guard let images else { return }
            tokens.insert(contentsOf: deferred, at: 0)
            let start = try images.startOfIncompletePiece(in: tokens)
            guard start == nil || positions == .none else {
                throw RuntimeError(.invalidInput, "A step cannot end within an image and ask for logits.")
            }
            deferred = Array(tokens[(start ?? tokens.count)...])
            tokens.removeLast(deferred.count)
        }
    }

    extension StepJob<LlamaCppSequence> {
        /// The position of the next token.
        var position: Int { sequence.position(after: held.count) }
        /// The number of tokens before the next image or the end.
        var remainingText: Int { (tokens[done...].firstIndex { $0 < 0 } ?? tokens.count) - done }
        /// The id of the next token if it belongs to an image.
        var nextImage: TokenID? { remaining > 0 && tokens[done] < 0 ? tokens[done] : nil }
    }
#endif
