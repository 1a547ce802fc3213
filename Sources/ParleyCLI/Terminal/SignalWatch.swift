// SPDX-License-Identifier: Apache-2.0

import Dispatch

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Handles a signal, in place of what it does by itself, as long as this lives.
///
/// `@unchecked Sendable`: the source is made once and only cancelled afterwards, which any thread may do.
final class SignalWatch: @unchecked Sendable {
    private let source: any DispatchSourceSignal
    private let number: Int32

    /// - Parameter handler: called on a thread of its own, so it may do anything.
    init(_ number: Int32, handler: @escaping @Sendable () -> Void) {
        self.number = number
        source = DispatchSource.makeSignalSource(signal: number, queue: .global(qos: .userInteractive))
        source.setEventHandler(handler: handler)
        signal(number, SIG_IGN)
        source.resume()
    }

    deinit {
        source.cancel()
        signal(number, SIG_DFL)
    }

    /// Ends this process at once, as if it had died of a signal.
    static func exit(for number: Int32) -> Never {
        _exit(128 + number)
    }
}
