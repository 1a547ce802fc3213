// SPDX-License-Identifier: Apache-2.0

import Dispatch
import ParleySystem
import ParleyTensor
import Testing

/// Runs a closure on so many threads at once, each with its number, and returns whether all have finished after ten
/// seconds.
func runOnThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) -> Bool {
    let group = DispatchGroup()
    for number in 0..<count {
        group.enter()
        let started = startThread {
            body(number)
            group.leave()
        }
        guard !started else { continue }
        Issue.record("the system gave no thread")
        group.leave()
    }
    return group.wait(timeout: .now() + 300) == .success
}
