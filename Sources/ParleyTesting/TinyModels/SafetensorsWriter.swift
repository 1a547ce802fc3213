// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif
import ParleyJSON

/// A file in the format safetensors that a test writes.
package struct SafetensorsWriter: Sendable {
    /// A tensor of the file.
    package struct Tensor: Sendable {
        var name: String
        var type: String
        var shape: [Int]
        var bytes: [UInt8]
    }

    private var tensors: [Tensor]

    /// Creates a file.
    package init(_ tensors: [Tensor] = []) {
        self.tensors = tensors
    }

    /// Appends a tensor; `type` is its name in such files, such as `BF16`.
    package mutating func append(_ name: String, _ type: String, _ shape: [Int], _ bytes: [UInt8]) {
        tensors.append(Tensor(name: name, type: type, shape: shape, bytes: bytes))
    }

    /// The whole file.
    package var data: Data {
        var header: JSONObject = ["__metadata__": ["format": "pt"]]
        var offset = 0
        for tensor in tensors {
            header[tensor.name] = [
                "dtype": .string(tensor.type), "shape": .array(tensor.shape.map(JSONValue.integer)),
                "data_offsets": [.integer(offset), .integer(offset + tensor.bytes.count)],
            ]
            offset += tensor.bytes.count
        }
        let text = Array(JSONValue.object(header).text().utf8)
        let padded = text + Array(repeating: UInt8(ascii: " "), count: (8 - text.count % 8) % 8)
        return withUnsafeBytes(of: UInt64(padded.count).littleEndian) { Data($0) } + Data(padded)
            + tensors.reduce(into: Data()) { $0 += $1.bytes }
    }
}
