// SPDX-License-Identifier: Apache-2.0

/// A tensor of a folder, for an engine that reads the weights by itself.
package struct NetworkTensor: Sendable, Hashable {
    /// The name in the folder's files, such as `model.layers.0.self_attn.q_proj.weight`.
    package let stored: String
    /// The name in GGUF files, such as `blk.0.attn_q.weight`.
    package let name: String
    /// The number of rows; 1 for a vector.
    package let rows: Int
    /// The number of values in a row.
    package let columns: Int
    /// Whether it has two sizes.
    package let isMatrix: Bool
    /// The number of neighbours that share a scale and an offset, which lie in tensors of their own whose names end in
    /// `.scales` and `.biases`; 0 for floats.
    package let groupSize: Int
    /// The bits of a value in groups; 0 for floats.
    package let bits: Int
    /// What is added to each value: Gemma's norms multiply by 1 + weight.
    package let addend: Float
    /// The size in the files in bytes, with the scales and offsets.
    package let byteCount: Int
    /// The size of its floats in bytes, or that of the scales.
    package let valueBytes: Int

    /// The number of weights.
    package var elementCount: Int { rows * columns }

    /// The tensors that a network uses.
    static func all(
        of file: SafetensorsFile, _ family: any FolderFamily, _ config: FolderConfiguration,
        _ quantization: FolderQuantization?
    ) throws(ModelFileError) -> [NetworkTensor] {
        let sharesHead = try config.flag("tie_word_embeddings", default: false)
        var all: [NetworkTensor] = []
        for tensor in file.tensors where !isPart(tensor.name, of: file) {
            guard let form = try family.form(of: FolderTensorName(tensor.name), config) else { continue }
            // A copy of the embedding that some programs write although it is shared.
            if sharesHead, form.name == "output.weight" { continue }
            all.append(try NetworkTensor(tensor, in: file, name: form.name, addend: form.addend, quantization))
        }
        return all
    }

    /// Whether a tensor has the scales or offsets of another one.
    private static func isPart(_ name: String, of file: SafetensorsFile) -> Bool {
        for suffix in [".scales", ".biases"] where name.hasSuffix(suffix) {
            return file.tensor(ifPresent: name.dropLast(suffix.count) + ".weight")?.type == .u32
        }
        return false
    }

    private init(
        _ tensor: SafetensorsTensor, in file: SafetensorsFile, name: String, addend: Float,
        _ quantization: FolderQuantization?
    ) throws(ModelFileError) {
        (stored, self.name, self.addend) = (tensor.name, name, addend)
        guard (1...2).contains(tensor.shape.count), tensor.shape.allSatisfy({ (1...Self.longest).contains($0) }) else {
            throw Self.wrong(tensor, file)
        }
        isMatrix = tensor.shape.count == 2
        rows = isMatrix ? tensor.shape[0] : 1
        guard tensor.type == .u32 else {
            guard tensor.isFloat else {
                throw ModelFileError(
                    .unsupportedTensorType,
                    "\(file.name): the tensor \(tensor.name) has values of the type \(tensor.type.rawValue), which is "
                        + "not supported.")
            }
            columns = tensor.shape[tensor.shape.count - 1]
            (groupSize, bits) = (0, 0)
            (byteCount, valueBytes) = (tensor.byteRange.count, tensor.type.byteCount)
            return
        }
        guard case .mlx(let groups, let others)? = quantization, isMatrix, tensor.name.hasSuffix(".weight") else {
            throw Self.wrong(tensor, file)
        }
        let path = String(tensor.name.dropLast(".weight".count))
        let form = others[path] ?? groups
        let scales = try file.tensor(path + ".scales")
        let offsets = try file.tensor(path + ".biases")
        columns = tensor.shape[1] * 32 / form.bits
        guard scales.shape == [rows, columns / form.groupSize], offsets.shape == scales.shape,
            offsets.type == scales.type, scales.isFloat,
            columns.isMultiple(of: form.groupSize), columns * form.bits == tensor.shape[1] * 32
        else { throw Self.wrong(tensor, file) }
        (groupSize, bits) = (form.groupSize, form.bits)
        byteCount = tensor.byteRange.count + scales.byteRange.count + offsets.byteRange.count
        valueBytes = scales.type.byteCount
    }

    /// No size of a real tensor is longer, and no product of two of them overflows.
    private static let longest = 1 << 26

    private static func wrong(_ tensor: SafetensorsTensor, _ file: SafetensorsFile) -> ModelFileError {
        ModelFileError(
            .corrupt,
            "\(file.name): the tensor \(tensor.name) is \(tensor.shape.map(String.init).joined(separator: " × ")), which "
                + "does not go with config.json. Download the files again.")
    }
}
