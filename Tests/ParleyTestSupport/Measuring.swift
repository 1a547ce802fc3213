// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Measurements that tests print on request; each says of what there are so many:
///
///     PARLEY_MEASURE=1000 swift test -c release --disable-testable-imports --filter DefaultModelMeasuredTests
///     PARLEY_MEASURE=30 swift test -c release --disable-testable-imports --traits LlamaCpp --filter MixedUseTests
///
/// To see on Linux that nothing leaks, set `MALLOC_MMAP_THRESHOLD_=65536` too: otherwise the C library keeps the pages of
/// caches that were freed for the next ones, which use others of them, and memory grows to that of four whole caches.
package enum Measuring {
    /// The number of rounds or minutes; nil without a request, when one or a few rounds suffice.
    package static let amount = ProcessInfo.processInfo.environment["PARLEY_MEASURE"].flatMap(Int.init)

    /// Prints a line on request, immediately, so that it is not lost if the process is ended.
    package static func tell(_ line: String) {
        if amount != nil { write("measured: \(line)") }
    }

    /// Prints what a process of its own has told.
    package static func pass(on output: [UInt8]) {
        for line in String(decoding: output, as: UTF8.self).split(separator: "\n") where line.hasPrefix("measured: ") {
            write(line)
        }
    }

    private static func write(_ line: some StringProtocol) {
        FileHandle.standardOutput.write(Data("\(line)\n".utf8))
    }

    /// Median, 99th percentile and longest, in milliseconds.
    package static func spread(_ durations: [Duration]) -> String {
        guard !durations.isEmpty else { return "none" }
        let sorted = durations.map { $0 / .milliseconds(1) }.sorted()
        let chosen = [sorted.count / 2, sorted.count * 99 / 100, sorted.count - 1].map {
            String(format: "%.1f", sorted[$0])
        }
        return "median \(chosen[0]) ms, p99 \(chosen[1]) ms, longest \(chosen[2]) ms (\(sorted.count))"
    }
}
