// SPDX-License-Identifier: Apache-2.0

import Dispatch

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Handles a signal, in place of its default action, until the process ends.
///
/// It cannot be undone on purpose: on Linux, Dispatch does not notice a signal again once a source for it has been
/// cancelled.
///
/// `@unchecked Sendable`: the source is made once and never touched again.
final class SignalWatch: @unchecked Sendable {
    private let source: any DispatchSourceSignal

    /// Begins to handle a signal. The handler runs on a thread of its own, so it may do anything.
    init(_ number: Int32, handler: @escaping @Sendable () -> Void) {
        source = DispatchSource.makeSignalSource(signal: number, queue: .global(qos: .userInteractive))
        source.setEventHandler(handler: handler)
        // Apple's systems would otherwise end the process as well as call the handler.
        signal(number, SIG_IGN)
        source.resume()
    }

    /// Ends this process at once, with the status a shell expects after a signal.
    static func exit(for number: Int32) -> Never {
        _exit(128 + number)
    }
}
