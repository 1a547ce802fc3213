// SPDX-License-Identifier: Apache-2.0

#if !canImport(Darwin)
    import Dispatch
    import Foundation
    import FoundationNetworking

    extension URLSessionConfiguration {
        /// Does nothing: on Linux, URLSession uses libcurl, which reads the environment itself.
        func useProxies(from environment: ProcessEnvironment) {}
    }

    extension OperationQueue {
        /// A serial queue for the events of a session.
        ///
        /// On Linux, URLSession queues events as fast as data arrives and without limit, so that a consumer slower than
        /// the network would fill the memory. Adding an event to this queue blocks while too many are waiting. The
        /// thread that reads the sockets then stops, and TCP's flow control slows the server.
        static func bounded() -> OperationQueue { BoundedQueue() }
    }

    /// `@unchecked Sendable`: the semaphore is immutable and serialises itself, the rest is the superclass's.
    private final class BoundedQueue: OperationQueue, @unchecked Sendable {
        /// The number of events that may wait; each carries about 16 KiB at most.
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
