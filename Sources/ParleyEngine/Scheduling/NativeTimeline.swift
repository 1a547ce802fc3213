// SPDX-License-Identifier: Apache-2.0

import ParleyNetwork
import ParleyRuntime
import ParleyTokenizer

/// A sequence of the native engine.
///
/// `@unchecked Sendable`: it belongs to one generation at a time, whose steps do not overlap; during a step only the
/// scheduler's thread touches its job.
final class NativeTimeline: TokenTimeline, @unchecked Sendable {
    let capacity: Int

    private let model: NativeModel
    private let job: StepJob

    init(model: NativeModel, cache: SequenceCache, capacity: Int, reservation: SequenceReservation) {
        self.model = model
        self.capacity = capacity
        job = StepJob(cache: cache, capacity: capacity, reservation: reservation)
    }

    var tokens: [TokenID] { job.held }

    var rewindsExactly: Bool { job.cache.rewindsExactly }

    func rewind(to position: Int) -> Int {
        guard position < tokens.count else { return tokens.count }
        let reached = job.cache.rewind(to: max(position, 0))
        job.truncate(to: reached)
        return reached
    }

    func step(_ step: TimelineStep, into output: LogitRows) async throws {
        job.prepare(step, into: output)
        try check(job.tokens)
        let rows =
            switch step.positions {
            case .none: 0
            case .last: min(job.remaining, 1)
            case .all: job.remaining
            }
        try output.resize(count: rows, vocabularySize: model.info.vocabularySize)
        guard job.remaining > 0 else { return }
        try await withTaskCancellationHandler {
            try await withUnsafeThrowingContinuation { continuation in
                job.begin(continuation)
                model.scheduler.submit(job)
            }
        } onCancel: {
            job.cancellation.set()
        }
    }

    private func check(_ appended: [TokenID]) throws {
        guard tokens.count + appended.count <= capacity else {
            throw RuntimeError(
                .contextExceeded,
                "\(appended.count) more tokens after \(tokens.count) exceed the context of \(capacity).")
        }
        let vocabulary = model.info.vocabularySize
        if let stray = appended.first(where: { !(0..<vocabulary).contains(Int($0)) }) {
            throw RuntimeError(.invalidInput, "Token \(stray) is not in the vocabulary of \(vocabulary) tokens.")
        }
    }
}
