// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyModelFile
import Testing

@Suite("SplitName")
struct SplitNameTests {
    @Test("a part's name has its number and gives the names of all parts, with path and extension")
    func parts() throws {
        let name = try #require(SplitName("a/big-q-00002-of-00003.GGUF"))
        #expect((name.stem, name.part, name.count) == ("a/big-q", 2, 3))
        #expect(name.name == "a/big-q-00002-of-00003.GGUF")
        #expect(name.all == (1...3).map { "a/big-q-0000\($0)-of-00003.GGUF" })
        #expect(SplitName(SplitName("m", part: 10, count: 12).name)?.part == 10)
    }

    @Test("the files of a model are all parts beside the one that is given, or that file alone")
    func files() {
        let part = URL(filePath: "/a/m-00002-of-00002.gguf")
        #expect(SplitName.files(of: part).map(\.path) == (1...2).map { "/a/m-0000\($0)-of-00002.gguf" })
        #expect(SplitName.files(of: URL(filePath: "/a/m.gguf")).map(\.path) == ["/a/m.gguf"])
    }

    @Test(
        "other names are not parts of split files",
        arguments: [
            "m.gguf", "m-00001-of-00001.gguf", "m-00000-of-00002.gguf", "m-00003-of-00002.gguf", "m-1-of-2.gguf",
            "m-00001-of-00002.bin", "m-00001-00002.gguf", "-00001-of-00002.gguf", "m-+0001-of-00002.gguf",
            "m-٠٠٠٠١-of-00002.gguf", ".gguf", "",
        ])
    func others(name: String) {
        #expect(SplitName(name) == nil)
    }

    @Test("a format is recognised by the file extension, in upper and lower case")
    func formats() {
        #expect(ModelFormat.gguf.isFormat(ofFileNamed: "a/M.GGUF"))
        #expect(!ModelFormat.gguf.isFormat(ofFileNamed: "gguf"))
        #expect(!ModelFormat.gguf.isFormat(ofFileNamed: "m.gguf.part"))
    }
}
