// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Measurements that tests print on request:
///
///     PARLEY_MEASURE=1000 swift test -c release --disable-testable-imports --filter DefaultModelMeasuredTests
///
/// To see on Linux that nothing leaks, set `MALLOC_MMAP_THRESHOLD_=65536` too: otherwise the C library keeps the pages of
/// caches that were freed for the next ones, which use others of them, and memory grows to that of four whole caches.
enum Measuring {
    /// The number of repetitions; nil without a request, when one or a few suffice.
    static let rounds = ProcessInfo.processInfo.environment["PARLEY_MEASURE"].flatMap(Int.init)

    static func tell(_ line: String) {
        if rounds != nil { print("measured: \(line)") }
    }

    /// Prints what a process of its own has told.
    static func pass(on output: [UInt8]) {
        for line in String(decoding: output, as: UTF8.self).split(separator: "\n") where line.hasPrefix("measured: ") {
            print(line)
        }
    }

    /// Median, 99th percentile and longest, in milliseconds.
    static func spread(_ durations: [Duration]) -> String {
        guard !durations.isEmpty else { return "none" }
        let sorted = durations.map { $0 / .milliseconds(1) }.sorted()
        let chosen = [sorted.count / 2, sorted.count * 99 / 100, sorted.count - 1].map {
            String(format: "%.1f", sorted[$0])
        }
        return "median \(chosen[0]) ms, p99 \(chosen[1]) ms, longest \(chosen[2]) ms (\(sorted.count))"
    }

    /// The resident memory of this process in MiB, without mapped files, whose pages the system evicts and loads as it
    /// likes; nil where the system does not report it.
    static var residentMemory: Int? {
        guard let text = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8) else { return nil }
        let line = text.split(separator: "\n").first { $0.hasPrefix("RssAnon:") }
        return line?.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) }.map { $0 / 1_024 }
    }
}
