// SPDX-License-Identifier: Apache-2.0

package import Foundation
import Synchronization

/// What a process that is killed has written down, line by line, beside its data.
package final class Diary: Sendable {
    private let descriptor: Int32
    private let lines = Atomic<Int>(0)

    /// Begins a diary.
    package init(_ file: URL) throws {
        descriptor = open(file.path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0o600)
        guard descriptor >= 0 else { throw CocoaError(.fileWriteUnknown) }
    }

    /// The time in seconds.
    package static var now: Double { Double(DispatchTime.now().uptimeNanoseconds) / 1e9 }

    /// Writes a line in one call, so that a kill cuts none.
    package func write(_ line: String) {
        let bytes = Array((line.replacing("\n", with: " ") + "\n").utf8)
        _ = Foundation.write(descriptor, bytes, bytes.count)
        lines.wrappingAdd(1, ordering: .relaxed)
    }

    /// Has this process killed when it has written so many lines and then so many microseconds have passed. One that does
    /// not get on is killed all the same.
    ///
    /// The last line is `killed` with the time, from which is taken how late a thread was woken here: on a busy machine
    /// others were too.
    package func end(after count: Int, microseconds: UInt32) {
        let killer = Thread { [self] in
            var (late, at) = (0.0, 0.0)
            func sleep() {
                let began = Self.now
                usleep(500)
                let delay = Self.now - began - 0.0005
                // What was late long ago says nothing of the end.
                if delay >= late || began - at > 2 { (late, at) = (delay, began) }
            }
            for _ in 0..<60_000 where lines.load(ordering: .relaxed) < count { sleep() }
            for _ in 0..<microseconds / 500 { sleep() }
            write("killed \(Self.now - late)")
            kill(getpid(), SIGKILL)
        }
        killer.start()
    }

    /// The lines of a diary, each with its first word apart.
    package static func lines(_ file: URL) throws -> [(kind: String, rest: String)] {
        try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map { line in
            let parts = line.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
            return (String(parts[0]), parts.count > 1 ? String(parts[1]) : "")
        }
    }
}
