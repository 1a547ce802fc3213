// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyModelFile
import ParleySystem
import ParleyTestSupport
import ParleyTesting
import Testing

/// Headers that are read from the beginning of a file, with a claimed file length.
@Suite("GGUFFile: reading the beginning of a file")
struct BeginningTests {
    @Test("the header can be read from the beginning of a file, as from the whole file")
    func beginning() throws {
        let bytes = smallModel().encoded()
        let size = ByteSize(clamping: bytes.count)
        let length = try #require(try GGUFFile.headerLength(in: bytes[...], of: size, name: "m"))
        #expect(length < bytes.count)
        let file = try GGUFFile(beginnings: [(bytes[..<length], size)], name: "m")
        let whole = try GGUFFile(bytes: bytes[...])
        #expect(file.tensors == whole.tensors)
        #expect(file.byteCount == whole.byteCount)
        #expect(code { try file.withBytes(of: file.tensors[0]) { _ in } } == .missingTensor)
    }

    @Test("a header that is cut off at any byte needs more")
    func cutOff() throws {
        let bytes = smallModel().encoded()
        let size = ByteSize(clamping: bytes.count)
        let length = try #require(try GGUFFile.headerLength(in: bytes[...], of: size, name: "m"))
        for count in 0..<length {
            #expect(try GGUFFile.headerLength(in: bytes[..<count], of: size, name: "m") == nil)
        }
    }

    @Test("a claimed file length does not make missing data valid", arguments: [60_000_000_000, 1 << 50])
    func claims(size: Int64) throws {
        var bytes = Array("GGUF".utf8) + [3, 0, 0, 0]
        for number in [UInt64(2_000_000_000), 0] { withUnsafeBytes(of: number.littleEndian) { bytes += Array($0) } }
        bytes += [UInt8](repeating: 0, count: 4_096)
        #expect(try GGUFFile.headerLength(in: bytes[...], of: ByteSize(clamping: size), name: "m") == nil)
    }

    @Test("a header of more than 131,072 tensors is refused")
    func tensors() throws {
        var bytes = Array("GGUF".utf8) + [3, 0, 0, 0]
        for number in [UInt64(200_000), 0] { withUnsafeBytes(of: number.littleEndian) { bytes += Array($0) } }
        bytes += [UInt8](repeating: 0, count: 200_000 * 25)
        #expect(code { _ = try GGUFFile(bytes: bytes[...]) } == .corrupt)
    }

    @Test("absurdly large sizes of parts are added without a trap")
    func sums() throws {
        let parts = smallModel().split(tensorsPerPart: 1).map { ($0.encoded()[...], ByteSize.limit) }
        #expect(try GGUFFile(beginnings: parts, name: "m").byteCount == ByteSize.limit.count)
    }
}

#if canImport(Glibc)
    import Glibc

    /// Each test runs in a process of its own, whose address space is limited.
    @Suite("Metadata: giant arrays")
    struct GiantArrayTests {
        @Test("the length of an array with a number for each layer is checked before decoding")
        func layers() async {
            await #expect(processExitsWith: .success) {
                let (url, count) = try GiantArrayTests.giantArray()
                defer { try? FileManager.default.removeItem(at: url) }
                let file = try GGUFFile(contentsOf: url)
                #expect(file.metadata["numbers"]?.count == count)
                GiantArrayTests.limitAddressSpace()
                #expect(code { _ = try file.metadata.integers("numbers", count: 30) } == .invalidValue)
            }
        }

        @Test("a hole in a sparse file is not parsed to its end as a header")
        func hole() async {
            await #expect(processExitsWith: .success) {
                let url = URL.temporary()
                defer { try? FileManager.default.removeItem(at: url) }
                var bytes = Array("GGUF".utf8) + [3, 0, 0, 0]
                for number in [UInt64(0), 1] { withUnsafeBytes(of: number.littleEndian) { bytes += Array($0) } }
                withUnsafeBytes(of: UInt64(1).littleEndian) { bytes += Array($0) }
                bytes += Array("k".utf8) + [9, 0, 0, 0, 8, 0, 0, 0]
                withUnsafeBytes(of: UInt64(100_000_000_000).littleEndian) { bytes += Array($0) }
                try Data(bytes).write(to: url)
                let handle = try FileHandle(forWritingTo: url)
                try handle.truncate(atOffset: 1 << 40)
                #expect(code { _ = try GGUFFile(contentsOf: url) } == .incompleteHeader)
            }
        }

        /// A file with an array of 200 million bytes, almost all of which is a hole.
        fileprivate static func giantArray() throws -> (url: URL, count: Int) {
            let url = URL.temporary()
            var writer = GGUFWriter()
            writer.set("numbers", .array(.uint8, []))
            var bytes = writer.encoded()
            let count = 200_000_000
            // The count of the array is the last of the file.
            let stored = withUnsafeBytes(of: UInt64(count).littleEndian) { Array($0) }
            bytes.replaceSubrange((bytes.count - 8)..., with: stored)
            try Data(bytes).write(to: url)
            let handle = try FileHandle(forWritingTo: url)
            try handle.truncate(atOffset: UInt64(bytes.count + count))
            try handle.close()
            return (url, count)
        }

        /// Leaves room for 256 MiB more than the process has now.
        fileprivate static func limitAddressSpace() {
            let pages = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ").first
            let used = (pages.flatMap { UInt($0) } ?? 0) * 4_096
            var limit = rlimit()
            getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit)
            limit.rlim_cur = rlim_t(used) + 268_435_456
            setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit)
        }
    }
#endif
