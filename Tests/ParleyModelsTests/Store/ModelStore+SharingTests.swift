// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyModelFile
import ParleyModels
import ParleySystem
import ParleyTesting
import ParleyTestSupport
import Testing

/// Several files in one model, several models of one file, several stores in one directory.
@Suite("ModelStore: sharing", .timeLimit(.minutes(15)))
struct ModelStoreSharingTests {
    private let file = ServedFile.model()

    enum Part: CaseIterable { case right, missing, wrong }

    @Test(
        "a split file from the web is installed as one model, with all its parts or not at all",
        arguments: Part.allCases)
    func splitFile(second: Part) async throws {
        let parts = try ServedFile.parts(in: TemporaryDirectory())
        let file = file
        let server = try WebServer(pages: { _ in
            var pages = Dictionary(
                uniqueKeysWithValues: parts.map {
                    ("/\($0.url.lastPathComponent)", WebServer.Page(body: $0.file.contents))
                })
            switch second {
            case .right: break
            case .missing: pages["/big-00002-of-00003.gguf"] = nil
            case .wrong: pages["/big-00002-of-00003.gguf"] = .init(body: file.contents)
            }
            return pages
        })
        let served = try ServedStore()
        let address = "\(server.root)/big-00001-of-00003.gguf"
        if second != .right {
            let error = await #expect(throws: ModelStoreError.self) { try await served.store.install(address) }
            #expect(error?.code == (second == .missing ? .notFound : .damagedFile))
            #expect(served.entries.isEmpty)
        } else {
            let model = try await served.store.install(address)
            #expect(model.manifest?.files.map(\.name) == parts.map(\.url.lastPathComponent))
            #expect(try GGUFFile(contentsOf: model.url).tensors.count == TinyModel().writer().tensors.count)
            #expect(server.bodyBytes == parts.reduce(0) { $0 + $1.file.contents.count })
            #expect(served.blobs.count == parts.count)
        }
    }

    @Test("two stores that install the same model at the same time download it once", arguments: [true, false])
    func twoStores(isPinned: Bool) async throws {
        let gate = ThreadGate()
        let file = file
        let server = try WebServer { request in
            let reply = file.reply(to: request)
            return request.number == 0 ? reply.pausing(after: 1_000, at: gate) : reply
        }
        let directory = try TemporaryDirectory()
        let manifest = file.manifest(try server.url(), isPinned: isPinned)
        let first = try ServedStore(in: directory)
        let second = try ServedStore(in: directory)
        let (begun, hasBegun) = AsyncStream<Void>.makeStream()
        async let one = first.store.install(manifest) { if case .received = $0 { hasBegun.yield() } }
        for await _ in begun { break }
        async let two = second.store.install(manifest) { event in
            // Only now the first one goes on: the second has found it at work.
            if case .waiting = event { gate.open() }
        }
        let (left, right) = try await (one, two)
        #expect(left.url == right.url)
        try first.expectOnly(file, at: left.url)
        #expect(server.bodyBytes == file.contents.count)
    }

    @Test("two models that are installed at the same time keep to the quota together")
    func sharedQuota() async throws {
        let gate = ThreadGate()
        let (file, other) = (file, ServedFile.model(seed: 2))
        let server = try WebServer { request in
            request.path == "/a.gguf"
                ? file.reply(to: request).pausing(after: 1_000, at: gate) : other.reply(to: request)
        }
        let directory = try TemporaryDirectory()
        var (first, second) = (try ServedStore(in: directory), try ServedStore(in: directory))
        let quota = ByteSize(clamping: file.contents.count * 3 / 2)
        (first.store.quota, second.store.quota) = (quota, quota)
        let (one, two) = (first.store, second.store)
        let (begun, hasBegun) = AsyncStream<Void>.makeStream()
        let manifest = file.manifest(try server.url("/a.gguf"), name: "a")
        let installing = Task { try await one.install(manifest) { if case .received = $0 { hasBegun.yield() } } }
        for await _ in begun { break }
        let error = await #expect(throws: ModelStoreError.self) {
            try await two.install(other.manifest(server.url("/b.gguf"), name: "b"))
        }
        #expect(error?.code == .quotaExceeded)
        #expect(error?.message.contains("parley models gc") == false)
        gate.open()
        _ = try await installing.value
        _ = try await two.remove("a")
        try await two.install(other.manifest(server.url("/b.gguf"), name: "b"))
        #expect(second.partials.filter { $0.hasSuffix(".claim") } == [])
    }

    @Test("two names for one file share it: it is downloaded once and stored once")
    func twoNames() async throws {
        let file = file
        let server = try WebServer { file.reply(to: $0) }
        let served = try ServedStore()
        try await served.store.install(file.manifest(server.url("/a.gguf"), name: "a"))
        let other = try await served.store.install(file.manifest(server.url("/b.gguf"), name: "b"))
        #expect(served.entries == ["a", "b"])
        try served.expectOnly(file, at: other.url)
        #expect(server.bodyBytes == file.contents.count)
    }

    @Test("a file that does not fit on the disk is refused before a byte is written", arguments: [true, false])
    func diskFull(isPinned: Bool) async throws {
        let file = file
        let server = try WebServer { file.reply(to: $0) }
        var served = try ServedStore()
        let free = ByteSize(clamping: file.contents.count - 1)
        served.store.freeSpace = { _ in free }
        let error = await #expect(throws: ModelStoreError.self) {
            try await served.store.install(file.manifest(server.url(), isPinned: isPinned))
        }
        #expect(error?.code == .diskFull)
        // Where the size is not known beforehand, the server has to be asked for it.
        #expect(server.requests.count == (isPinned ? 0 : 1))
        served.expectNothing()
    }

    @Test("only the missing part of a resumed download needs space")
    func resumedInLittleRoom() async throws {
        let file = file
        let server = try WebServer { request in
            request.number == 5 ? WebServerReply(404) : file.reply(to: request)
        }
        var served = try ServedStore()
        let manifest = file.manifest(try server.url())
        await #expect(throws: ModelStoreError.self) { try await served.store.install(manifest) }
        let kept = server.bodyBytes
        let free = ByteSize(clamping: file.contents.count - kept + 10_000)
        served.store.freeSpace = { _ in free }
        let model = try await served.store.install(manifest)
        try served.expectOnly(file, at: model.url)
        #expect(server.bodyBytes == file.contents.count)
    }
}
