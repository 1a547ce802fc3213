// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyModelFile
import ParleyRuntime
import ParleyTestSupport
import Testing

/// The bytes of a safetensors file with that header and data.
func safetensors(_ header: String, data: [UInt8] = []) -> [UInt8] {
    withUnsafeBytes(of: UInt64(header.utf8.count).littleEndian) { Array($0) } + Array(header.utf8) + data
}

/// A member of a header: a tensor.
private func tensor(_ name: String, _ shape: [Int], _ range: Range<Int>, type: String = "F32") -> String {
    "\"\(name)\":{\"dtype\":\"\(type)\",\"shape\":\(shape),\"data_offsets\":[\(range.lowerBound),\(range.upperBound)]}"
}

@Suite("SafetensorsFile")
struct SafetensorsFileTests {
    /// What `scripts/reference/huggingface/record_safetensors.py` wrote with safetensors 0.8.0.
    private static let recorded = """
        kAEAAAAAAAB7Il9fbWV0YWRhdGFfXyI6eyJmb3JtYXQiOiJwdCJ9LCJzY2FsYXIiOnsiZHR5cGUiOiJJNjQiLCJzaGFwZSI6W10sImRhdGFfb2Zm
        c2V0cyI6WzAsOF19LCJtYXRyaXgiOnsiZHR5cGUiOiJGMzIiLCJzaGFwZSI6WzIsM10sImRhdGFfb2Zmc2V0cyI6WzgsMzJdfSwibm90aGluZyI6
        eyJkdHlwZSI6IkYzMiIsInNoYXBlIjpbMCw0XSwiZGF0YV9vZmZzZXRzIjpbMzIsMzJdfSwiYnJhaW5zIjp7ImR0eXBlIjoiQkYxNiIsInNoYXBl
        IjpbMiwyXSwiZGF0YV9vZmZzZXRzIjpbMzIsNDBdfSwiaGFsdmVzIjp7ImR0eXBlIjoiRjE2Iiwic2hhcGUiOls0XSwiZGF0YV9vZmZzZXRzIjpb
        NDAsNDhdfSwiYnl0ZXMiOnsiZHR5cGUiOiJVOCIsInNoYXBlIjpbM10sImRhdGFfb2Zmc2V0cyI6WzQ4LDUxXX19ICAgICAgBwAAAAAAAAAAAAAA
        AACAPwAAAEAAAEBAAACAQAAAoECAP0DASnEAPAA8AMAAOP97Af8A
        """

    private func recordedBytes() throws -> [UInt8] {
        [UInt8](try #require(Data(base64Encoded: Self.recorded, options: .ignoreUnknownCharacters)))
    }

    private func refusal(_ header: String, data count: Int = 0) -> ModelFileError.Code? {
        code { _ = try SafetensorsFile(bytes: safetensors(header, data: Array(repeating: 0, count: count))[...]) }
    }

    @Test("a file of the reference library is read: types, shapes, notes and data")
    func readsRecordedFile() throws {
        let file = try SafetensorsFile(bytes: try recordedBytes()[...])
        #expect(file.notes == ["format": "pt"])
        #expect(file.tensors.map(\.name) == ["scalar", "matrix", "nothing", "brains", "halves", "bytes"])
        let matrix = try file.tensor("matrix")
        #expect(matrix.shape == [2, 3])
        #expect(matrix.type == .f32)
        #expect(matrix.elementCount == 6)
        let values = try file.withBytes(of: matrix) { bytes in
            (0..<6).map { bytes.loadUnaligned(fromByteOffset: 4 * $0, as: Float.self) }
        }
        #expect(values == [0, 1, 2, 3, 4, 5])
        #expect(try file.tensor("scalar").shape.isEmpty)
        #expect(try file.tensor("scalar").elementCount == 1)
        #expect(try file.withBytes(of: file.tensor("scalar")) { $0.loadUnaligned(as: Int64.self) } == 7)
        #expect(try file.tensor("nothing").elementCount == 0)
        #expect(try file.tensor("brains").type == .bf16)
        #expect(try file.withBytes(of: file.tensor("halves")) { Array($0) } == [0, 0x3C, 0, 0xC0, 0, 0x38, 0xFF, 0x7B])
        #expect(try file.withBytes(of: file.tensor("bytes")) { Array($0) } == [1, 255, 0])
        #expect(code { _ = try file.tensor("none") } == .missingTensor)
    }

    @Test("a file is refused for gaps, overlaps, remains and wrong sizes")
    func refusesGapsAndOverlaps() {
        #expect(refusal("{\(tensor("a", [2], 0..<8))}", data: 8) == nil)
        #expect(refusal("{\(tensor("a", [2], 0..<8))}", data: 9) == .corrupt)
        #expect(refusal("{\(tensor("a", [2], 4..<12))}", data: 12) == .corrupt)
        #expect(refusal("{\(tensor("a", [2], 0..<8)),\(tensor("b", [1], 4..<8))}", data: 8) == .corrupt)
        #expect(refusal("{\(tensor("a", [1], 0..<4)),\(tensor("b", [1], 8..<12))}", data: 12) == .corrupt)
        #expect(refusal("{\(tensor("a", [3], 0..<8))}", data: 8) == .corrupt)
        #expect(refusal("{\(tensor("a", [2], 0..<8))}", data: 7) == .truncated)
        #expect(refusal("{}") == nil)
        #expect(refusal("{}", data: 1) == .corrupt)
    }

    @Test("a header is refused that contradicts the format")
    func refusesBadHeaders() {
        #expect(refusal("{\(tensor("a", [1 << 62, 4], 0..<0))}") == .corrupt)
        #expect(refusal("{\(tensor("a", [-1], 0..<0))}") == .corrupt)
        #expect(refusal("{\(tensor("a", [1, 1, 1, 1, 1, 1, 1, 1, 1], 0..<4))}", data: 4) == .corrupt)
        #expect(refusal("{\(tensor("a", [1], 0..<4, type: "F7"))}", data: 4) == .unsupportedTensorType)
        #expect(refusal("{\(tensor("a", [1], 0..<4)),\(tensor("a", [1], 0..<4))}", data: 4) == .corrupt)
        #expect(refusal(#"{"a":{"dtype":"F32","shape":[1],"data_offsets":[4,0]}}"#, data: 4) == .truncated)
        #expect(refusal(#"{"a":{"dtype":"F32","shape":[1]}}"#, data: 4) == .corrupt)
        #expect(refusal(#"{"a\n":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}"#, data: 4) == .corrupt)
        #expect(refusal(#"{"__metadata__":{"a":1}}"#) == .corrupt)
        #expect(refusal("{") == .corrupt)
        #expect(refusal("[]") == .notSafetensors)
        #expect(code { _ = try SafetensorsFile(bytes: Array("<!DOCTYPE html>".utf8)[...]) } == .notSafetensors)
        #expect(code { _ = try SafetensorsFile(bytes: [1, 0, 0][...]) } == .truncated)
        let cut = safetensors("{\(tensor("a", [2], 0..<8))}", data: Array(repeating: 0, count: 8)).prefix(20)
        #expect(code { _ = try SafetensorsFile(bytes: ArraySlice(cut)) } == .truncated)
    }

    @Test("a header of a million digits and commas takes no more memory than one of tensors")
    func refusesBombs() {
        let header = "{\"__metadata__\":{\"a\":[" + String(repeating: "0,", count: 2_000_000) + "0]}}"
        #expect(refusal(header) == .corrupt)
        #expect(refusal(String(repeating: "{\"a\":", count: 6) + "1" + String(repeating: "}", count: 6)) == .corrupt)
    }

    @Test("a file cut anywhere is refused")
    func refusesCutFiles() throws {
        let bytes = try recordedBytes()
        for count in bytes.indices {
            #expect(code { _ = try SafetensorsFile(bytes: bytes[..<count]) } != nil, "\(count) bytes")
        }
    }

    @Test("20,000 damaged files are refused, or read in full")
    func survivesDamage() throws {
        let bytes = try recordedBytes()
        var damage = Damage(original: bytes, fields: [0..<8], seed: 7)
        var opened = 0
        for _ in 0..<(20_000 * variantFactor) {
            do {
                let file = try SafetensorsFile(bytes: damage.next()[...])
                for tensor in file.tensors { try file.withBytes(of: tensor) { _ = ($0.first, $0.last) } }
                opened += 1
            } catch is ModelFileError {}
        }
        #expect(opened > 100)
    }
}

@Suite("SafetensorsFile: folders")
struct SafetensorsFolderTests {
    private func folder(_ files: [String: [UInt8]], _ body: (URL) throws -> Void) throws {
        try withTemporaryDirectory { directory in
            for (name, bytes) in files { try Data(bytes).write(to: directory.appending(path: name)) }
            try body(directory)
        }
    }

    private func index(_ map: [String: String]) -> [UInt8] {
        let members = map.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\"\($0.value)\"" }.joined(separator: ",")
        return Array("{\"metadata\":{\"total_size\":8},\"weight_map\":{\(members)}}".utf8)
    }

    private let first = safetensors("{\(tensor("a", [1], 0..<4))}", data: [1, 2, 3, 4])
    private let second = safetensors("{\(tensor("b", [1], 0..<4))}", data: [5, 6, 7, 8])

    @Test("a folder's only file is found by its name")
    func readsOneFile() throws {
        try folder(["model.safetensors": first]) { directory in
            let whole = try SafetensorsFile(contentsOf: directory)
            #expect(whole.tensors.map(\.name) == ["a"])
            let file = try SafetensorsFile(contentsOf: directory.appending(path: "model.safetensors"))
            #expect(file.tensors.map(\.name) == ["a"])
        }
        try folder([:]) { directory in
            #expect(code { _ = try SafetensorsFile(contentsOf: directory) } == .unreadable)
        }
    }

    @Test("several files are read as their index lists them")
    func readsShards() throws {
        let map = ["a": "x-1.safetensors", "b": "x-2.safetensors"]
        let files = ["x-1.safetensors": first, "x-2.safetensors": second, "model.safetensors.index.json": index(map)]
        try folder(files) { directory in
            let file = try SafetensorsFile(contentsOf: directory)
            let first = try file.withBytes(of: file.tensor("a")) { Array($0) }
            let second = try file.withBytes(of: file.tensor("b")) { Array($0) }
            #expect(first == [1, 2, 3, 4])
            #expect(second == [5, 6, 7, 8])
        }
    }

    @Test(
        "an index is refused that contradicts its files",
        arguments: [
            (["a": "x-2.safetensors", "b": "x-1.safetensors"], ModelFileError.Code.incompleteSplit),
            (["a": "../x-1.safetensors"], .corrupt),
            (["a": "/x-1.safetensors"], .corrupt), (["a": "x-1.bin"], .corrupt), ([:], .corrupt),
            (["a": "x-1.safetensors", "b": "x-2.safetensors", "c": "x-2.safetensors"], .incompleteSplit),
            (["a": "x-1.safetensors", "b": "x-3.safetensors"], .incompleteSplit),
        ] as [([String: String], ModelFileError.Code)])
    func refusesContradiction(map: [String: String], expected: ModelFileError.Code) throws {
        let files = ["x-1.safetensors": first, "x-2.safetensors": second, "model.safetensors.index.json": index(map)]
        try folder(files) { directory in
            #expect(code { _ = try SafetensorsFile(contentsOf: directory) } == expected)
        }
    }
}
