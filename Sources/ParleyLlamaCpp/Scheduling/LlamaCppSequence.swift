// SPDX-License-Identifier: Apache-2.0

#if LlamaCpp
    package import ParleyRuntime
    package import ParleyTokenizer

    /// What is known of a sequence of llama.cpp: its place, and the images in it.
    ///
    /// `@unchecked Sendable`: during a step only the model's thread uses it, otherwise only its timeline.
    package final class LlamaCppSequence: EngineSequence, @unchecked Sendable {
        let place: SequencePlace
        /// How many tokens llama.cpp holds; nil where an earlier sequence's contents are still there.
        var stored: Int?

        package let rewindsExactly: Bool
        private let images: ImageTable?
        /// Called when the sequence is gone.
        private let release: @Sendable () -> Void
        /// The pieces of images among the tokens, with the end and the size of each.
        private var pieces: [(end: Int, rows: Int, positions: Int)] = []
        /// The beginning of an image whose rest is in the next step.
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

        /// The position after `count` tokens, which pieces of images can make differ from their number.
        func position(after count: Int) -> Int { pieces.reduce(count) { $0 - $1.rows + $1.positions } }

        /// llama.cpp's sequence is cut with the next step, on the model's thread. Images can only be cut as a whole.
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

        /// Remembers a piece of an image, which is to be followed by ``advance(to:)``.
        func append(_ piece: ImagePiece, to count: Int) {
            pieces.append((count + piece.rows, piece.rows, piece.positions))
        }

        /// Called when llama.cpp has lost the sequence.
        func forget() {
            pieces.removeAll()
            stored = 0
        }

        /// Puts an image off whose end is not there yet.
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
        /// How many tokens are left before the next image.
        var remainingText: Int { (tokens[done...].firstIndex { $0 < 0 } ?? tokens.count) - done }
        /// The id of the image that is next, if any.
        var nextImage: TokenID? { remaining > 0 && tokens[done] < 0 ? tokens[done] : nil }
    }
#endif
