// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyModelFile
import ParleyTestSupport
import ParleyTesting
import Testing

struct TensorDescriptorTests {
    @Test("columns are the first dimension, rows the product of the others")
    func multipliesRows() throws {
        let file = try mixedFile().opened()
        let a = try file.tensor("a")
        #expect((a.columns, a.rows, a.elementCount) == (4, 6, 24))
        let b = try file.tensor("b")
        #expect((b.columns, b.rows, b.elementCount) == (32, 1, 32))
        #expect(try b.type.name == "Q8_0")
    }

    @Test("a tensor without dimensions is one number")
    func readsScalars() throws {
        var writer = GGUFWriter()
        writer.tensors = [.init(name: "s", typeCode: 0, dimensions: [], bytes: [0, 0, 0x80, 0x3F])]
        let file = try writer.opened()
        #expect(try file.tensor("s").elementCount == 1)
        #expect(try file.withBytes(of: file.tensor("s")) { $0.load(as: Float.self) } == 1)
    }

    @Test("the bytes of a tensor are those that were written, also after their pages were released")
    func lendsBytes() throws {
        try withTemporaryDirectory { directory in
            let url = directory.appending(path: "model.gguf")
            let writer = smallModel()
            try writer.write(to: url)
            let file = try GGUFFile(contentsOf: url)
            for _ in 0..<2 {
                for tensor in writer.tensors {
                    let descriptor = try file.tensor(tensor.name)
                    #expect(try file.withBytes(of: descriptor) { Array($0) } == tensor.bytes)
                    file.releasePages(of: descriptor)
                }
            }
        }
    }

    @Test("the descriptor of another file is refused")
    func refusesForeignDescriptors() throws {
        let large = try smallModel().opened()
        let small = try GGUFFile(bytes: GGUFWriter().encoded()[...])
        let last = try #require(large.tensors.last)
        #expect(code { try small.withBytes(of: last) { _ in } } == .missingTensor)
        small.releasePages(of: last)
    }
}
