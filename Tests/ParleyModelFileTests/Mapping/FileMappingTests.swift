// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyModelFile
import ParleyTestSupport
import Testing

struct FileMappingTests {
    @Test("anything but a regular file is refused, without blocking")
    func refusesOtherThanFiles() throws {
        try withTemporaryDirectory { directory in
            #expect(code { _ = try GGUFFile(contentsOf: directory) } == .unreadable)
            #expect(code { _ = try GGUFFile(contentsOf: directory.appending(path: "none.gguf")) } == .unreadable)
            let pipe = directory.appending(path: "pipe.gguf")
            #expect(mkfifo(pipe.path, 0o600) == 0)
            #expect(code { _ = try GGUFFile(contentsOf: pipe) } == .unreadable)
        }
    }

    @Test("an empty file counts as truncated")
    func refusesEmptyFiles() throws {
        try withTemporaryDirectory { directory in
            let url = directory.appending(path: "empty.gguf")
            try Data().write(to: url)
            #expect(code { _ = try GGUFFile(contentsOf: url) } == .truncated)
        }
    }

    @Test("the message names the file and the system's reason")
    func explains() {
        let error = #expect(throws: ModelFileError.self) { try GGUFFile(contentsOf: URL(filePath: "/no/model.gguf")) }
        #expect(error?.message.contains("/no/model.gguf") == true)
        #expect(error?.message.contains("No such file") == true)
    }
}
