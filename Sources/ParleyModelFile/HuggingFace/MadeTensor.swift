// SPDX-License-Identifier: Apache-2.0

/// A vector of a GGUF file whose values `config.json` has, and not the weights.
struct MadeTensor: FolderTensorSource {
    let layout: GGUFLayout.Tensor
    private let bytes: [UInt8]

    init(_ name: String, _ values: [Float]) {
        bytes = values.flatMap { value in withUnsafeBytes(of: value.bitPattern.littleEndian) { Array($0) } }
        layout = .init(
            name: name, typeCode: TensorType.f32.rawValue, dimensions: [values.count], byteCount: bytes.count)
    }

    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) throws -> Result {
        try bytes.withUnsafeBytes(body)
    }

    func releasePages(_ bytes: Range<Int>) {}
}
