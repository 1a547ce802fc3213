// SPDX-License-Identifier: Apache-2.0

import ParleyRuntime
import ParleyTokenizer

/// The texts of one call, and the vectors that have been computed for them.
///
/// `@unchecked Sendable`: only the scheduler's thread uses it between ``EmbeddingScheduler/run(_:)`` and ``finish(_:)``.
final class EmbeddingJob: @unchecked Sendable {
    let texts: [[TokenID]]
    let lengths: [Int]
    /// Set when the task that waits for the vectors is cancelled.
    let cancellation = Cancellation()
    /// How many of the texts have been taken into steps.
    var begun = 0
    /// The vectors of the texts that are done, in their order.
    private(set) var vectors: [[Float]] = []

    /// Only ``finish(_:)`` resumes it, exactly once.
    private var continuation: CheckedContinuation<[[Float]], any Error>?

    init(_ texts: [[TokenID]]) {
        self.texts = texts
        lengths = texts.map(\.count)
        vectors.reserveCapacity(texts.count)
    }

    var isDone: Bool { vectors.count == texts.count }

    func begin(_ continuation: CheckedContinuation<[[Float]], any Error>) {
        self.continuation = continuation
    }

    /// Adds the vector of the next text.
    func append(_ vector: UnsafeBufferPointer<Float>) {
        vectors.append(Array(vector))
    }

    /// Ends the call, with its vectors or with an error.
    func finish(_ error: (any Error)? = nil) {
        if let error { continuation?.resume(throwing: error) } else { continuation?.resume(returning: vectors) }
        continuation = nil
    }
}
