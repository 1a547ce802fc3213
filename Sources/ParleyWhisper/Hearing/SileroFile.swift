// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyModelFile
import ParleySpeech
import ParleyTensor

/// The values of Silero's network, in the form of its own package (safetensors) or in that of whisper.cpp.
struct SileroFile {
    private let bytes: FileBytes
    private let tensors: [String: WhisperTensor]

    /// The largest file that is read; real ones have 1.2 MB.
    private static let mostBytes = 16 << 20

    init(contentsOf url: URL) throws {
        bytes = try FileBytes(path: url.path)
        guard bytes.count <= Self.mostBytes else {
            throw SpeechError(.unsupportedModel, "\(bytes.name): \(bytes.count) bytes are no network of Silero's.")
        }
        let isGGML = bytes.withUnsafeBytes { $0.prefix(4).elementsEqual(GGMLFile.magic) }
        tensors = try isGGML ? Self.ggml(bytes) : Self.safetensors(url)
    }

    private static func safetensors(_ url: URL) throws -> [String: WhisperTensor] {
        var tensors: [String: WhisperTensor] = [:]
        for stored in try SafetensorsFile(contentsOf: url).tensors where stored.type == .f32 {
            var name = stored.name
            for (old, new) in names { name = name.replacing(old, with: new) }
            tensors[name] = WhisperTensor(shape: stored.shape, encoding: .plain(.f32), bytes: stored.byteRange)
        }
        return tensors
    }

    /// The parts of names in the package's file.
    private static let names =
        [
            ("stft_conv.weight", "spectrum"), ("conv1.", "convolution.0."), ("conv2.", "convolution.1."),
            ("conv3.", "convolution.2."), ("conv4.", "convolution.3."), ("final_conv.", "output."),
        ] + cellNames.map { ("lstm_cell.\($0)", $1) }

    /// The parts of names in whisper.cpp's file.
    private static let ggmlNames =
        [("_model.stft.forward_basis_buffer", "spectrum"), ("_model.decoder.decoder.2.", "output.")]
        + (0..<4).map { ("_model.encoder.\($0).reparam_conv.", "convolution.\($0).") }
        + cellNames.map { ("_model.decoder.rnn.\($0)", $1) }

    private static let cellNames = [
        ("weight_ih", "cell.input"), ("weight_hh", "cell.hidden"), ("bias_ih", "cell.input.bias"),
        ("bias_hh", "cell.hidden.bias"),
    ]

    private static func ggml(_ bytes: FileBytes) throws -> [String: WhisperTensor] {
        try bytes.withUnsafeBytes { buffer in
            var reader = ByteReader(buffer, of: bytes.size, name: bytes.name)
            try reader.skip(4, "the magic number")
            let length: UInt32 = try reader.read("the length of the kind")
            let kind = String(decoding: buffer[try reader.skip(UInt64(length), "the kind")], as: UTF8.self)
            guard kind == "silero-16k" else {
                throw SpeechError(
                    .unsupportedModel, "\(bytes.name): another model than Silero's voice activity for 16 kHz.")
            }
            // The version, the sizes of stretches and layers, which are always the same, and those of the cells.
            try reader.skip(4 * (3 + 2 + 1 + 4 * 3 + 2 + 2), "the sizes")
            let stored = try GGMLFile.tensors(&reader, buffer, ranks: 0...4)
            return Dictionary(
                stored.map { name, tensor in
                    (Self.ggmlNames.reduce(name) { $0.replacing($1.0, with: $1.1) }, tensor)
                }
            ) { first, _ in first }
        }
    }

    // MARK: Values

    /// The values of a tensor as floats.
    func values(_ name: String, count: Int) throws -> [Float] {
        guard let tensor = tensors[name], tensor.count == count, case .plain(let type) = tensor.encoding else {
            throw SpeechError.damaged(bytes.name, "the tensor \(name) is missing or has another size")
        }
        let pool = WorkerPool(lanes: 1)
        let floats = try bytes.withUnsafeBytes {
            try AlignedBuffer(
                floatsOf: type, count: count, source: UnsafeRawBufferPointer(rebasing: $0[tensor.bytes]), pool: pool)
        }
        guard let floats else {
            throw SpeechError.damaged(bytes.name, "the tensor \(name) has a form that is not read")
        }
        return withExtendedLifetime(floats) { Array(UnsafeBufferPointer(start: floats.floats, count: count)) }
    }

    /// A matrix of `rows` outputs.
    func matrix(_ name: String, rows: Int, columns: Int, _ pool: WorkerPool) throws -> PackedMatrix {
        try Self.pack(values(name, count: rows * columns), columns: columns, pool)
    }

    /// A convolution over three frames as the matrix of its product with the frames one after the other.
    func convolution(_ name: String, _ outputs: Int, _ inputs: Int, _ pool: WorkerPool) throws -> PackedMatrix {
        let values = try values(name, count: outputs * inputs * 3)
        var turned = values
        for output in 0..<outputs {
            for input in 0..<inputs {
                for tap in 0..<3 {
                    turned[(output * 3 + tap) * inputs + input] = values[(output * inputs + input) * 3 + tap]
                }
            }
        }
        return try Self.pack(turned, columns: 3 * inputs, pool)
    }

    /// Two matrices side by side.
    func joined(_ left: String, _ right: String, rows: Int, columns: Int, _ pool: WorkerPool) throws -> PackedMatrix {
        let (left, right) = (try values(left, count: rows * columns), try values(right, count: rows * columns))
        var both: [Float] = []
        both.reserveCapacity(2 * rows * columns)
        for row in 0..<rows {
            let range = row * columns..<(row + 1) * columns
            both += left[range]
            both += right[range]
        }
        return try Self.pack(both, columns: 2 * columns, pool)
    }

    private static func pack(_ values: [Float], columns: Int, _ pool: WorkerPool) throws -> PackedMatrix {
        let matrix = try values.withUnsafeBytes {
            try PackedMatrix(type: .f32, rows: values.count / columns, columns: columns, source: $0, pool: pool)
        }
        guard let matrix else { throw SpeechError(.unsupportedModel, "The kernels take no matrices of floats.") }
        return matrix
    }
}
