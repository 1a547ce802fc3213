// SPDX-License-Identifier: Apache-2.0

import ParleyRuntime
import ParleyTokenizer

/// A sequence of the native engine.
///
/// `@unchecked Sendable`: it belongs to one generation at a time, whose steps do not overlap; during a step only the
/// scheduler's thread touches it.
final class NativeTimeline: TokenTimeline, @unchecked Sendable {
    let capacity: Int
    let cache: SequenceCache
    private(set) var tokens: [TokenID] = []

    private let model: NativeModel

    init(model: NativeModel, memories: [LayerMemory], capacity: Int) {
        self.model = model
        self.capacity = capacity
        cache = SequenceCache(memories, capacity: capacity)
        tokens.reserveCapacity(capacity)
    }

    var rewindsExactly: Bool { cache.rewindsExactly }

    func rewind(to position: Int) -> Int {
        guard position < tokens.count else { return tokens.count }
        let reached = cache.rewind(to: max(position, 0))
        tokens.removeSubrange(reached...)
        return reached
    }

    func step(_ step: TimelineStep, into output: LogitRows) async throws {
        let appended = try checked(step)
        let rows =
            switch step.positions {
            case .none: 0
            case .last: min(appended.count, 1)
            case .all: appended.count
            }
        output.resize(count: rows, vocabularySize: model.description.vocabularySize)
        guard !appended.isEmpty else { return }
        let cancellation = StepJob.Cancellation()
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                model.scheduler.submit(
                    StepJob(
                        timeline: self, tokens: appended, positions: step.positions, output: output,
                        cancellation: cancellation, continuation: continuation))
            }
        } onCancel: {
            cancellation.set()
        }
    }

    /// Called by the scheduler when tokens have been run.
    func append(_ run: ArraySlice<TokenID>) {
        tokens.append(contentsOf: run)
    }

    private func checked(_ step: TimelineStep) throws -> [TokenID] {
        var appended: [TokenID] = []
        for segment in step.segments {
            switch segment {
            case .tokens(let tokens): appended += tokens
            case .media:
                throw RuntimeError(.unsupported, "This model reads text only; leave images and sounds out.")
            }
        }
        guard tokens.count + appended.count <= capacity else {
            throw RuntimeError(
                .contextExceeded,
                "\(appended.count) more tokens after \(tokens.count) exceed the context of \(capacity).")
        }
        let vocabulary = model.description.vocabularySize
        if let stray = appended.first(where: { !(0..<vocabulary).contains(Int($0)) }) {
            throw RuntimeError(.invalidInput, "Token \(stray) is not in the vocabulary of \(vocabulary) tokens.")
        }
        return appended
    }
}
