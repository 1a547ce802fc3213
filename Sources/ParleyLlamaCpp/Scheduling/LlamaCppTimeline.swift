// SPDX-License-Identifier: Apache-2.0

#if LlamaCpp
    import ParleyRuntime
    import ParleyTokenizer

    /// A sequence of llama.cpp.
    ///
    /// `@unchecked Sendable`: it belongs to one generation at a time, whose steps do not overlap; during a step only
    /// the model's thread uses it.
    final class LlamaCppTimeline: TokenTimeline, @unchecked Sendable {
        let capacity: Int
        let place: SequencePlace
        private(set) var tokens: [TokenID] = []
        /// How many positions llama.cpp holds; nil where an earlier timeline's contents are still there.
        var stored: Int?

        private let model: LlamaCppModel
        /// The pieces of images among the tokens, with the end and the size of each.
        private var pieces: [(end: Int, rows: Int, positions: Int)] = []
        /// The beginning of an image whose rest is in the next step.
        private var deferred: [TokenID] = []

        init(model: LlamaCppModel, place: SequencePlace, capacity: Int) {
            self.model = model
            self.place = place
            self.capacity = capacity
        }

        deinit {
            model.scheduler.release(place)
        }

        var rewindsExactly: Bool { model.scheduler.cutsExactly }

        /// The position of the next token, which pieces of images can make differ from the number of tokens.
        var position: Int { pieces.reduce(tokens.count) { $0 - $1.rows + $1.positions } }

        /// llama.cpp's sequence is cut with the next step, on the model's thread. Images can only be cut as a whole.
        func rewind(to position: Int) -> Int {
            deferred.removeAll()
            guard position < tokens.count else { return tokens.count }
            var reached = rewindsExactly ? max(position, 0) : 0
            while let piece = pieces.last, piece.end > reached {
                reached = min(reached, piece.end - piece.rows)
                pieces.removeLast()
            }
            tokens.removeSubrange(reached...)
            return reached
        }

        func step(_ step: TimelineStep, into output: LogitRows) async throws {
            var appended = try checked(step)
            if let start = try startOfIncompletePiece(appended) {
                guard step.positions == .none else {
                    throw RuntimeError(.invalidInput, "A step cannot end within an image and ask for logits.")
                }
                deferred = Array(appended[start...])
                appended.removeSubrange(start...)
            } else {
                deferred.removeAll()
            }
            let rows =
                switch step.positions {
                case .none: 0
                case .last: min(appended.count, 1)
                case .all: appended.count
                }
            try output.resize(count: rows, vocabularySize: model.info.vocabularySize)
            guard !appended.isEmpty else { return }
            let cancellation = LlamaCppJob.Cancellation()
            try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    model.scheduler.submit(
                        LlamaCppJob(
                            timeline: self, tokens: appended, positions: step.positions, output: output,
                            cancellation: cancellation, continuation: continuation))
                }
            } onCancel: {
                cancellation.set()
                model.scheduler.noticeCancellation()
            }
        }

        /// Called by the model's thread when tokens have been run.
        func append(_ run: ArraySlice<TokenID>) {
            tokens.append(contentsOf: run)
            stored = tokens.count
        }

        /// Called by the model's thread when a piece of an image has been run.
        func append(_ piece: ImagePiece) {
            append(Array(piece.ids.reversed())[...])
            pieces.append((tokens.count, piece.rows, piece.positions))
        }

        /// Called by the model's thread when llama.cpp has lost the sequence; returns its tokens.
        func forget() -> [TokenID] {
            defer {
                tokens.removeAll()
                pieces.removeAll()
            }
            stored = nil
            return tokens
        }

        private func checked(_ step: TimelineStep) throws -> [TokenID] {
            let appended = deferred + step.tokens
            guard tokens.count + appended.count <= capacity else {
                throw RuntimeError(
                    .contextExceeded,
                    "\(appended.count) more tokens after \(tokens.count) exceed the context of \(capacity).")
            }
            let vocabulary = model.info.vocabularySize
            if let stray = appended.first(where: { $0 >= vocabulary || ($0 < 0 && model.images == nil) }) {
                throw RuntimeError(.invalidInput, "Token \(stray) is not in the vocabulary of \(vocabulary) tokens.")
            }
            return appended
        }

        /// Checks the pieces of images in a step; returns where one begins whose end is not there yet.
        private func startOfIncompletePiece(_ appended: [TokenID]) throws -> Int? {
            var index = 0
            while let start = appended[index...].firstIndex(where: { $0 < 0 }) {
                let rest = appended[start...]
                guard let piece = model.images?.piece(from: appended[start]),
                    zip(rest, piece.ids.reversed()).allSatisfy(==)
                else {
                    throw RuntimeError(.invalidInput, "An image of the prompt is not known any more; make it again.")
                }
                guard rest.count >= piece.rows else { return start }
                index = start + piece.rows
            }
            return nil
        }
    }
#endif
