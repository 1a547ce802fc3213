// SPDX-License-Identifier: Apache-2.0

import Dispatch

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Handles a signal, in place of its default action, until the process ends; a signal has one watch. What was ignored when
/// the process began stays ignored, as `nohup` and shells that start programs in the background want it.
///
/// It cannot be undone, by design: on Linux, Dispatch does not receive a signal again after a source for it has been
/// cancelled.
///
/// `@unchecked Sendable`: the source is created once and never changed.
final class SignalWatch: @unchecked Sendable {
    private let source: (any DispatchSourceSignal)?

    /// Begins to handle a signal. The handler runs on a normal thread, not in a signal context, so it may do anything.
    init(_ number: Int32, handler: @escaping @Sendable () -> Void) {
        // Otherwise Apple's systems would also perform the signal's default action.
        let before = signal(number, SIG_IGN)
        guard unsafeBitCast(before, to: Int.self) != unsafeBitCast(SIG_IGN, to: Int.self) else {
            self.source = nil
            return
        }
        let source = DispatchSource.makeSignalSource(signal: number, queue: .global(qos: .userInteractive))
        source.setEventHandler(handler: handler)
        source.resume()
        self.source = source
    }

    /// Ends this process at once, with the status a shell expects after a signal.
    static func exit(for number: Int32) -> Never {
        _exit(128 + number)
    }
}
