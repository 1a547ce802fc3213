// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyEngine
import ParleyFiles
import ParleyLocal
import ParleyRuntime
import ParleyTestSupport
import ParleyTesting
import ParleyTokenizer
import Testing

@Suite("Files of snapshots")
struct SnapshotFileTests {
    private static let key = SnapshotFile.key(model: "tiny", format: "test")

    /// A tiny model, a file with a snapshot of 64 tokens, and those tokens.
    private func fixture(
        _ architecture: TinyArchitecture, in directory: TemporaryDirectory
    ) async throws -> (model: NativeModel, file: URL, tokens: [TokenID]) {
        let (weights, file) = (directory.url.appending(path: "a.gguf"), directory.url.appending(path: "snapshot"))
        var tiny = TinyModel(architecture)
        (tiny.width, tiny.headDim, tiny.heads, tiny.keyValueHeads) = (32, 8, 4, 1)
        try tiny.write(to: weights)
        let model = try await NativeModel.load(weights, configuration: .init(threads: 1))
        let tokens = (0..<70).map { TokenID($0 * 7 % 190) }
        let timeline = try timeline(model)
        try await timeline.step(TimelineStep(tokens: tokens, positions: .none), into: LogitRows())
        try SnapshotFile.write(timeline, count: 64, key: Self.key, to: file)
        return (model, file, Array(tokens.prefix(64)))
    }

    private func timeline(_ model: NativeModel, capacity: Int = 100) throws -> any SnapshotTimeline {
        try #require(try model.makeTimeline(capacity: capacity) as? any SnapshotTimeline)
    }

    private func read(
        _ file: URL, key: [UInt8] = SnapshotFileTests.key, into timeline: any SnapshotTimeline
    ) throws -> [TokenID] {
        var reader = try SnapshotReader(file, key: key, for: timeline)
        try reader.restore(timeline)
        return reader.tokens
    }

    @Test(
        "A snapshot comes back from its file, which only the user may read",
        arguments: [TinyArchitecture.gemma3, .lfm2])
    func roundTrip(architecture: TinyArchitecture) async throws {
        let directory = try TemporaryDirectory()
        let (model, file, tokens) = try await fixture(architecture, in: directory)
        #expect(try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int == 0o600)
        #expect(try directory.listing == ["a.gguf", "snapshot"])
        let timeline = try timeline(model)
        #expect(try read(file, into: timeline) == tokens)
        #expect(timeline.contents.tokens == tokens)
        let output = LogitRows()
        try await timeline.step(TimelineStep(tokens: [3]), into: output)
        let restored = Array(output[0])
        timeline.rewind(to: 0)
        try await timeline.step(TimelineStep(tokens: tokens + [3]), into: output)
        #expect(restored.map(\.bitPattern) == output[0].map(\.bitPattern))
    }

    @Test(
        "A file with any flipped bit is refused, and one of any other length",
        arguments: [TinyArchitecture.llama, .lfm2])
    func damage(architecture: TinyArchitecture) async throws {
        let directory = try TemporaryDirectory()
        let (model, file, _) = try await fixture(architecture, in: directory)
        let timeline = try timeline(model)
        let whole = try [UInt8](Data(contentsOf: file))
        let handle = try FileHandle(forUpdating: file)
        defer { try? handle.close() }
        func put(_ byte: UInt8, at index: Int) throws {
            try handle.seek(toOffset: UInt64(index))
            try handle.write(contentsOf: Data([byte]))
        }
        var accepted: [Int] = []
        for index in whole.indices {
            try put(whole[index] ^ 1 << UInt8(index % 8), at: index)
            if (try? read(file, into: timeline)) != nil || !timeline.contents.isEmpty { accepted.append(index) }
            try put(whole[index], at: index)
        }
        #expect(accepted.isEmpty)
        // As it was, so that the loop has seen more than one fault.
        #expect(try read(file, into: timeline).count == 64)
        timeline.rewind(to: 0)
        try handle.seekToEnd()
        try handle.write(contentsOf: Data([0]))
        #expect(throws: SnapshotFault.damaged) { try read(file, into: timeline) }
        for count in stride(from: whole.count - 1, through: 0, by: -1) {
            try handle.truncate(atOffset: UInt64(count))
            if (try? read(file, into: timeline)) != nil || !timeline.contents.isEmpty { accepted.append(count) }
        }
        #expect(accepted.isEmpty)
    }

    @Test(
        "A file of another model, engine or version is refused, and so are links, pipes and sizes beyond the timeline")
    func foreign() async throws {
        let directory = try TemporaryDirectory()
        let (model, file, _) = try await fixture(.llama, in: directory)
        let timeline = try timeline(model)
        for (weights, format) in [("tiny2", "test"), ("tiny", "test2"), ("tiny\ntest", "")] {
            let key = SnapshotFile.key(model: weights, format: format)
            #expect(throws: SnapshotFault.foreign) { try read(file, key: key, into: timeline) }
        }
        let small = try self.timeline(model, capacity: 63)
        #expect(throws: SnapshotFault.damaged) { try read(file, into: small) }
        var later = try Data(contentsOf: file)
        later[8] = 2
        try later.write(to: file)
        #expect(throws: SnapshotFault.foreign) { try read(file, into: timeline) }
        // The largest numbers in the place of sizes.
        later[8] = 1
        for range in [48..<56, 56..<64] {
            var odd = later
            odd.replaceSubrange(range, with: [UInt8](repeating: 0xFF, count: 8))
            try odd.write(to: file)
            #expect(throws: SnapshotFault.damaged) { try read(file, into: timeline) }
        }
        let (link, pipe) = (directory.url.appending(path: "link"), directory.url.appending(path: "pipe"))
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
        #expect(throws: FileError.self) { try read(link, into: timeline) }
        #expect(mkfifo(pipe.path, 0o600) == 0)
        #expect(throws: SnapshotFault.foreign) { try read(pipe, into: timeline) }
        #expect(timeline.contents.isEmpty)
    }
}
