// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyHTTP
import ParleyModels
import ParleySystem
import ParleyTestSupport
import ParleyTesting
import Testing

/// A store in a directory of its own, with small chunks, without real waits, and for which no answer comes too late.
struct ServedStore: Sendable {
    let directory: TemporaryDirectory
    let clock = InstantClock()
    var store: ModelStore

    init(
        in directory: TemporaryDirectory? = nil, connections: Int = 1, chunkSize: ByteSize = 10_000,
        client: any HTTPClient = URLSessionClient(clock: ManualClock())
    ) throws {
        let directory = try directory ?? TemporaryDirectory()
        self.directory = directory
        store = ModelStore(directory: directory.url, client: client)
        store.downloading.connections = connections
        store.downloading.chunkSize = chunkSize
        store.downloading.retries.clock = clock
        store.downloading.retries.jitter = { 1 }
    }

    /// The names of complete files.
    var blobs: [String] { names(in: "blobs") }

    /// The names of models that can be seen.
    var entries: [String] { names(in: "entries") }

    /// The names of partial files.
    var partials: [String] { names(in: "partial").filter { !$0.hasSuffix(".lock") } }

    private func names(in folder: String) -> [String] {
        let path = directory.url.appending(path: folder).path
        return (try? FileManager.default.contentsOfDirectory(atPath: path).sorted()) ?? []
    }

    /// Checks that a model holds a file, and that nothing else is in the store.
    func expectOnly(_ file: ServedFile, at url: URL) throws {
        #expect(try Data(contentsOf: url) == file.contents)
        #expect(blobs == ["sha256-\(file.sha256)"])
        #expect(partials.isEmpty)
    }

    /// Checks that nothing is left of a model that could not be downloaded.
    func expectNothing() {
        #expect(blobs.isEmpty)
        #expect(entries.isEmpty)
        #expect(partials.isEmpty)
    }
}
