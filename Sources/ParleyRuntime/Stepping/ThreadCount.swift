// SPDX-License-Identifier: Apache-2.0

import ParleySystem

/// The threads that share a step.
///
/// - Parameter asked: the number that the caller asked for; nil takes the processors that this process may use.
/// - Returns: the number of threads, at least 1.
/// - Throws: ``RuntimeError`` with code `invalidInput` for a number of threads that no machine runs well.
package func threadCount(_ asked: Int?) throws(RuntimeError) -> Int {
    let threads = asked ?? min(max(usableProcessors(), 1), mostThreads)
    guard (1...mostThreads).contains(threads) else {
        throw RuntimeError(.invalidInput, "The number of threads must be from 1 to \(mostThreads), not \(threads).")
    }
    return threads
}

private let mostThreads = 1_024
