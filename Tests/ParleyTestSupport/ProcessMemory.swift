// SPDX-License-Identifier: Apache-2.0

import Foundation

#if canImport(Glibc)
    import Glibc
#endif

/// The memory of this process in bytes.
package struct ProcessMemory: Sendable, CustomStringConvertible {
    /// All resident memory, including mapped files.
    package var resident: Int
    /// The resident memory without pages of mapped files, which the system evicts and loads as it likes.
    package var own: Int

    /// As it is; nil where the system does not tell.
    package static var current: ProcessMemory? {
        guard let resident = statusField("VmRSS:"), let own = statusField("RssAnon:") else { return nil }
        return ProcessMemory(resident: resident << 10, own: own << 10)
    }

    /// After the C library has given back what is freed, where it can; nil where the system does not tell.
    package static var inUse: ProcessMemory? {
        #if canImport(Glibc)
            // Its header is in no module.
            if let trim = dlsym(nil, "malloc_trim") {
                _ = unsafeBitCast(trim, to: (@convention(c) (Int) -> CInt).self)(0)
            }
        #endif
        return current
    }

    /// Both sizes in MiB.
    package var description: String { "\(resident >> 20) MiB resident, \(own >> 20) MiB of them its own" }
}

/// The number of threads of this process; nil where the system does not tell.
package func threadCountOfProcess() -> Int? { statusField("Threads:") }

private func statusField(_ name: String) -> Int? {
    guard let text = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8) else { return nil }
    let line = text.split(separator: "\n").first { $0.hasPrefix(name) }
    return line?.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) }
}

/// By how many bytes this process grows while something is done again and again; call it in a process of its own.
///
/// - Parameters:
///   - rounds: how often it is done, after the first 20 times.
///   - body: what is done.
/// - Returns: the growth; nil where the system tells no memory.
/// - Throws: any error of `body`.
package func memoryGrowth(over rounds: Int, _ body: () async throws -> Void) async throws -> Int? {
    for _ in 0..<20 { try await body() }
    guard let before = ProcessMemory.inUse else { return nil }
    for _ in 0..<rounds { try await body() }
    return ProcessMemory.inUse.map { $0.own - before.own }
}
