// SPDX-License-Identifier: Apache-2.0

#if LlamaCpp
    import Foundation

    #if canImport(Glibc)
        import Glibc
    #endif

    /// Measurements that tests print on request:
    ///
    ///     PARLEY_MEASURE=30 swift test -c release --disable-testable-imports --traits LlamaCpp --filter MixedUseTests
    enum Measuring {
        /// The duration of a test in minutes; nil without a request, when a few rounds suffice.
        static let minutes = ProcessInfo.processInfo.environment["PARLEY_MEASURE"].flatMap(Int.init)

        static func tell(_ line: String) {
            if minutes != nil { pass(on: Array("measured: \(line)\n".utf8)) }
        }

        /// Writes the output of another process immediately, so that it is not lost if this process is ended.
        static func pass(on bytes: [UInt8]) {
            FileHandle.standardOutput.write(Data(bytes))
        }

        /// The memory of this process in MiB; nil where the system does not report it.
        struct Memory: CustomStringConvertible {
            /// All resident memory, including mapped files.
            var resident: Int
            /// The resident memory without pages of mapped files, which the system evicts and loads as it likes.
            var own: Int

            /// What is in use, where the C library can give back what is freed.
            static var inUse: Memory? {
                #if canImport(Glibc)
                    // Its header is in no module.
                    if let trim = dlsym(nil, "malloc_trim") {
                        _ = unsafeBitCast(trim, to: (@convention(c) (Int) -> CInt).self)(0)
                    }
                #endif
                return current
            }

            static var current: Memory? {
                guard let text = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8) else { return nil }
                func field(_ name: String) -> Int? {
                    let line = text.split(separator: "\n").first { $0.hasPrefix(name) }
                    return line?.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) }.map { $0 >> 10 }
                }
                guard let resident = field("VmRSS:"), let own = field("RssAnon:") else { return nil }
                return Memory(resident: resident, own: own)
            }

            var description: String { "\(resident) MiB resident, \(own) MiB of them its own" }
        }
    }
#endif
