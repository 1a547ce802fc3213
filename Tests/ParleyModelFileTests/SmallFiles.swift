// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyModelFile
import ParleyTestSupport
import ParleyTesting
import Testing

/// A model of one narrow layer: about 30 kB with its vocabulary, so that it can be damaged everywhere.
func smallModel(_ tokenizer: TinyTokenizer = .bytePairs) -> GGUFWriter {
    var model = TinyModel(.llama)
    model.layers = 1
    model.width = 32
    model.heads = 2
    model.keyValueHeads = 1
    model.feedForward = 32
    model.encoding = .q8_0
    model.tokenizer = tokenizer
    return model.writer()
}

/// The model with the vocabulary of a name, as tests call it.
func smallModel(named vocabulary: String) -> GGUFWriter {
    smallModel(vocabulary == "SentencePiece" ? .sentencePiece : .bytePairs)
}

/// A file with one entry of each kind of metadata and a few tensors.
func mixedFile() -> GGUFWriter {
    var writer = GGUFWriter()
    writer.metadata = [
        .init("u8", .uint8(200)), .init("i8", .int8(-100)), .init("u16", .uint16(60_000)),
        .init("i16", .int16(-30_000)),
        .init("u32", .uint32(4_000_000_000)), .init("i32", .int32(-2_000_000_000)), .init("f32", .float32(1.5)),
        .init("yes", .bool(true)), .init("text", .string("naïve ▁")), .init("u64", .uint64(.max)),
        .init("i64", .int64(.min)), .init("f64", .float64(0.25)),
        .init("texts", .strings(["a", "", "▁b"])), .init("numbers", .integers([3, -4])),
        .init("floats", .floats([1, -2])),
        .init("flags", .bools([true, false])), .init("bytes", .array(.uint8, [.uint8(1), .uint8(255)])),
        .init("nested", .array(.array, [.integers([1]), .strings(["x"])])), .init("empty", .strings([])),
    ]
    writer.tensors = [
        .init(name: "a", typeCode: 0, dimensions: [4, 2, 3], bytes: (0..<96).map { UInt8($0) }),
        .init(name: "b", typeCode: 8, dimensions: [32], bytes: (0..<34).map { UInt8($0) }),
    ]
    return writer
}

extension GGUFWriter {
    /// The file as a reader sees it.
    func opened() throws -> GGUFFile {
        try GGUFFile(bytes: encoded()[...])
    }
}

/// The code of the error that an operation throws; nil if it throws none.
func code(of operation: () throws -> Void) -> ModelFileError.Code? {
    do {
        try operation()
        return nil
    } catch let error as ModelFileError {
        return error.code
    } catch {
        Issue.record("threw \(error), which is no ModelFileError")
        return nil
    }
}
