// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyCLI
import ParleyTestSupport
import Testing

@Suite("ModelPaths")
struct ModelPathsTests {
    @Test("model files and directories are offered, hidden and other files are not")
    func paths() throws {
        let files = FileManager.default
        let directory = URL.temporary("/")
        try files.createDirectory(at: directory.appending(path: "big"), withIntermediateDirectories: true)
        defer { try? files.removeItem(at: directory) }
        for name in ["b.gguf", "a.GGUF", "a.txt", ".hidden.gguf"] {
            try Data().write(to: directory.appending(path: name))
        }
        let path = directory.path.hasSuffix("/") ? directory.path : directory.path + "/"
        #expect(ModelPaths.completing(path) == ["a.GGUF", "b.gguf", "big/"].map { path + $0 })
        #expect(ModelPaths.completing(path + "b") == ["b.gguf", "big/"].map { path + $0 })
        #expect(ModelPaths.completing(path + "missing/").isEmpty)
    }
}
