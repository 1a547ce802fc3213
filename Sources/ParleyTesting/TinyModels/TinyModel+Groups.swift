// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif
import ParleyJSON
import ParleyModelFile

extension TinyModel {
    /// The number of neighbours in a row that share a scale and an offset in ``writeGroupedFolder(to:exact:)``.
    package static let groupSize = 32

    /// Writes the model as a folder in the form of Hugging Face with its matrices in MLX's groups of 4 bits, and another
    /// one with the floats that these stand for.
    ///
    /// - Parameters:
    ///   - grouped: the folder of the groups, which is created.
    ///   - exact: the folder of the floats, which is created.
    /// - Throws: errors from Foundation, and `ModelFileError`.
    package func writeGroupedFolder(to grouped: URL, exact: URL) throws {
        try writeFolder(to: exact)
        try writeFolder(to: grouped) { $0["quantization"] = ["group_size": .integer(Self.groupSize), "bits": 4] }
        let file = try SafetensorsFile(contentsOf: exact)
        var (groups, floats) = (SafetensorsWriter(), SafetensorsWriter())
        for tensor in file.tensors {
            let bytes = try file.withBytes(of: tensor) { Array($0) }
            guard tensor.shape.count == 2, tensor.shape[1].isMultiple(of: Self.groupSize) else {
                groups.append(tensor.name, tensor.type.rawValue, tensor.shape, bytes)
                floats.append(tensor.name, tensor.type.rawValue, tensor.shape, bytes)
                continue
            }
            let values = bytes.withUnsafeBytes { bytes in
                (0..<bytes.count / 4).map { bytes.loadUnaligned(fromByteOffset: 4 * $0, as: Float.self) }
            }
            let made = stride(from: 0, to: values.count, by: Self.groupSize).map { start in
                FourBitGroup(values[start..<start + Self.groupSize])
            }
            let path = tensor.name.dropLast(".weight".count)
            let rows = tensor.shape[0]
            groups.append(tensor.name, "U32", [rows, tensor.shape[1] / 8], made.flatMap(\.levels))
            for (part, value) in [("scales", \FourBitGroup.scale), ("biases", \.offset)] {
                groups.append(
                    "\(path).\(part)", "F32", [rows, tensor.shape[1] / Self.groupSize],
                    made.flatMap { TensorEncoding.f32.encode([$0[keyPath: value]]) })
            }
            floats.append(tensor.name, "F32", tensor.shape, made.flatMap { TensorEncoding.f32.encode($0.values) })
        }
        try groups.data.write(to: grouped.appending(path: "model.safetensors"))
        try floats.data.write(to: exact.appending(path: "model.safetensors"))
    }
}

/// Neighbours in a row as whole numbers from 0 to 15 with a scale and an offset.
private struct FourBitGroup {
    let scale: Float
    let offset: Float
    private let numbers: [UInt8]

    init(_ values: ArraySlice<Float>) {
        let (least, most) = (values.min() ?? 0, values.max() ?? 0)
        let scale = max((most - least) / 15, 1e-6)
        (self.scale, offset) = (scale, least)
        numbers = values.map { UInt8(min(max((($0 - least) / scale).rounded(), 0), 15)) }
    }

    /// The numbers, two in a byte with the first in the low half.
    var levels: [UInt8] {
        stride(from: 0, to: numbers.count, by: 2).map { numbers[$0] | numbers[$0 + 1] << 4 }
    }

    var values: [Float] { numbers.map { scale * Float($0) + offset } }
}
