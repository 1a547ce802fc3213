// SPDX-License-Identifier: Apache-2.0

#if LlamaCpp
    import Foundation

    #if canImport(Glibc)
        import Glibc
    #endif

    /// Figures that tests tell where they are asked to:
    ///
    ///     PARLEY_MEASURE=30 swift test -c release --disable-testable-imports --traits LlamaCpp --filter MixedUseTests
    enum Measuring {
        /// How many minutes to go on; nil where nothing is to be told and a few rounds will do.
        static let minutes = ProcessInfo.processInfo.environment["PARLEY_MEASURE"].flatMap(Int.init)

        static func tell(_ line: String) {
            if minutes != nil { pass(on: Array("measured: \(line)\n".utf8)) }
        }

        /// Writes what was told in another process, at once: it has to be there also where this one is ended.
        static func pass(on bytes: [UInt8]) {
            FileHandle.standardOutput.write(Data(bytes))
        }

        /// What this process holds in memory, in MiB; nil where the system does not say.
        struct Memory: CustomStringConvertible {
            /// All of it, mapped files included.
            var resident: Int
            /// What is its own. The system takes pages of files back and brings them in as it likes.
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
