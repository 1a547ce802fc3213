// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyModelFile
import ParleyTestSupport
import ParleyTesting
import ParleyTokenizer
import Testing

struct SplitPositionTests {
    @Test("a split model can be opened by any of its parts and reads the same as the whole")
    func opensSplitModels() throws {
        try withTemporaryDirectory { directory in
            let writer = smallModel()
            let urls = try writer.writeParts(tensorsPerPart: 4, named: "m", in: directory)
            #expect(urls.map(\.lastPathComponent).first == "m-00001-of-00003.gguf")
            for url in urls {
                let file = try GGUFFile(contentsOf: url)
                #expect(file.tensors.map(\.name) == writer.tensors.map(\.name))
                #expect(file.tensors.map(\.part).max() == 2)
                #expect(try file.architecture == "llama")
                #expect(try file.tokenizerDescription().merges.isEmpty == false)
                for tensor in writer.tensors {
                    #expect(try file.withBytes(of: file.tensor(tensor.name)) { Array($0) } == tensor.bytes)
                }
            }
        }
    }

    @Test("a missing part is an error that names it")
    func reportsMissingParts() throws {
        try withTemporaryDirectory { directory in
            let urls = try smallModel().writeParts(tensorsPerPart: 4, named: "m", in: directory)
            try FileManager.default.removeItem(at: urls[1])
            let error = #expect(throws: ModelFileError.self) { try GGUFFile(contentsOf: urls[2]) }
            #expect(error?.code == .unreadable)
            #expect(error?.message.contains("m-00002-of-00003.gguf") == true)
        }
    }

    @Test("parts that do not belong together are refused")
    func refusesForeignParts() throws {
        try withTemporaryDirectory { directory in
            let urls = try smallModel().writeParts(tensorsPerPart: 4, named: "m", in: directory)
            try FileManager.default.removeItem(at: urls[1])
            try FileManager.default.copyItem(at: urls[2], to: urls[1])
            #expect(code { _ = try GGUFFile(contentsOf: urls[0]) } == .incompleteSplit)
        }
        let parts = smallModel().split(tensorsPerPart: 4).map { $0.encoded()[...] }
        _ = try GGUFFile(bytes: parts[0], parts[1], parts[2])
        #expect(code { _ = try GGUFFile(bytes: parts[0]) } == .incompleteSplit)
        #expect(code { _ = try GGUFFile(bytes: parts[0], parts[2], parts[1]) } == .incompleteSplit)
        #expect(code { _ = try GGUFFile(bytes: parts[0], parts[1]) } == .incompleteSplit)
        let other = GGUFWriter().encoded()[...]
        #expect(code { _ = try GGUFFile(bytes: parts[0], other, parts[2]) } == .incompleteSplit)
    }

    @Test("tensors that are missing, or in two parts, are errors")
    func countsTensors() throws {
        var parts = smallModel().split(tensorsPerPart: 4)
        let removed = parts[1].tensors.removeLast()
        #expect(
            code { _ = try GGUFFile(bytes: parts[0].encoded()[...], parts[1].encoded()[...], parts[2].encoded()[...]) }
                == .incompleteSplit)
        parts[1].tensors.append(parts[0].tensors[0])
        #expect(
            code { _ = try GGUFFile(bytes: parts[0].encoded()[...], parts[1].encoded()[...], parts[2].encoded()[...]) }
                == .corrupt)
        #expect(!removed.bytes.isEmpty)
    }

    @Test("a renamed part is refused with the name it should have")
    func needsPublishedNames() throws {
        try withTemporaryDirectory { directory in
            let urls = try smallModel().writeParts(tensorsPerPart: 4, named: "m", in: directory)
            let renamed = directory.appending(path: "model.gguf")
            try FileManager.default.moveItem(at: urls[0], to: renamed)
            let error = #expect(throws: ModelFileError.self) { try GGUFFile(contentsOf: renamed) }
            #expect(error?.code == .incompleteSplit)
            #expect(error?.message.contains("-00001-of-00003.gguf") == true)
        }
    }

    @Test("invalid part numbers are refused")
    func refusesNumbers() {
        for (number, count) in [(3, 3), (0, 0x10000 + 100_000), (7, 0)] {
            var writer = mixedFile()
            writer.set("split.no", .uint32(UInt32(number)))
            writer.set("split.count", .uint32(UInt32(count)))
            #expect(code { _ = try writer.opened() } == .corrupt)
        }
    }

    @Test("a file that is its only part opens")
    func opensSingleParts() throws {
        for count: UInt16 in [0, 1] {
            var writer = mixedFile()
            writer.set("split.no", .uint16(0))
            writer.set("split.count", .uint16(count))
            #expect(try writer.opened().tensors.count == 2)
        }
    }
}
