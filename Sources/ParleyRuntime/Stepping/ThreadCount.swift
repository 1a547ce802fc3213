// SPDX-License-Identifier: Apache-2.0

import ParleySystem

/// Returns the number of threads that run a step together.
///
/// - Parameter asked: the requested number; nil for the number of processors that this process may use.
/// - Returns: the number of threads, from 1 to 1,024.
/// - Throws: ``RuntimeError`` with code `invalidInput` if the requested number is not from 1 to 1,024.
package func threadCount(_ asked: Int?) throws(RuntimeError) -> Int {
    let threads = asked ?? ThreadCount.usual
    let range = ThreadCount.range
    guard range.contains(threads) else {
        throw RuntimeError(
            .invalidInput,
            "The number of threads must be from \(range.lowerBound) to \(range.upperBound), not \(threads).")
    }
    return threads
}
