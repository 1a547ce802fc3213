// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
    import Foundation

    extension OperationQueue {
        /// A serial queue for the events of a session; the system itself waits while one is being handled.
        static func bounded() -> OperationQueue {
            let queue = OperationQueue()
            queue.maxConcurrentOperationCount = 1
            return queue
        }
    }
#endif
