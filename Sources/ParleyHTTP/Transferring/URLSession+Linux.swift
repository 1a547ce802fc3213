// SPDX-License-Identifier: Apache-2.0

#if !canImport(Darwin)
    import Dispatch
    import Foundation
    import FoundationNetworking

    extension URLSessionConfiguration {
        /// Nothing is left to do: here URLSession stands on libcurl, which reads the environment itself.
        func useProxies(from environment: ProcessEnvironment) {}
    }

    extension OperationQueue {
        /// A serial queue for the events of a session.
        ///
        /// Here URLSession hands on whatever the network brings, at once and without limit, so a disk slower than the
        /// network would fill the memory. This queue makes it wait: the thread that reads the sockets stops until there
        /// is room, and the network's own flow control does the rest.
        static func bounded() -> OperationQueue { BoundedQueue() }
    }

    /// `@unchecked Sendable`: the semaphore is immutable and serialises itself, the rest is the superclass's.
    private final class BoundedQueue: OperationQueue, @unchecked Sendable {
        /// Events that may wait; one carries at most 16 KiB or so.
        private let room = DispatchSemaphore(value: 512)

        override init() {
            super.init()
            maxConcurrentOperationCount = 1
        }

        override func addOperation(_ block: @escaping @Sendable () -> Void) {
            room.wait()
            super.addOperation {
                block()
                self.room.signal()
            }
        }
    }
#endif
