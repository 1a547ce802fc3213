// SPDX-License-Identifier: Apache-2.0

import ParleyJSON

/// The index of a model in several safetensors files: which file has which tensor.
struct SafetensorsIndex {
    /// The names of the files, sorted.
    let files: [String]
    private let fileOfTensor: [String: String]
    private let name: String

    /// The maximum number of files; real models have a few hundred.
    private static let maximumFiles = 4_096
    private static let limits = JSONLimits(
        depth: 8, bytes: 32 << 20, values: 131_072 + 1_024, requiresDistinctNames: true)

    /// Reads an index. The files must lie beside it.
    init(_ file: FileBytes) throws(ModelFileError) {
        let document: JSONValue
        do {
            document = try JSONValue(
                parsing: file.withUnsafeBytes { Array($0.prefix(Self.limits.bytes + 1)) }, limits: Self.limits)
        } catch {
            throw ModelFileError(
                .corrupt, "\(file.name): the index is not valid: \(error). Download it again.", cause: error)
        }
        guard let map = document["weight_map"]?.object else { throw .corrupt(file.name, "the index has no weight_map") }
        var fileOfTensor: [String: String] = [:]
        var files: Set<String> = []
        for (tensor, value) in map {
            guard let part = value.string, Self.isFileName(part) else {
                throw .corrupt(file.name, "the index names a file that is no .safetensors file beside it")
            }
            fileOfTensor[tensor] = part
            files.insert(part)
        }
        guard (1...Self.maximumFiles).contains(files.count) else {
            throw .corrupt(file.name, "the index lists \(files.count) files")
        }
        self.files = files.sorted()
        self.fileOfTensor = fileOfTensor
        name = file.name
    }

    /// Checks that the files have the tensors that the index lists, each where the index says, and no others.
    func check(_ tensors: [SafetensorsTensor]) throws(ModelFileError) {
        for tensor in tensors where fileOfTensor[tensor.name] != files[tensor.part] {
            throw ModelFileError(
                .incompleteSplit,
                "\(name): the tensor \(tensor.name) is in \(files[tensor.part]), which the index does not say. Get all "
                    + "files of one model.")
        }
        guard tensors.count == fileOfTensor.count else {
            throw ModelFileError(
                .incompleteSplit,
                "\(name): the index lists \(fileOfTensor.count) tensors, but the files have \(tensors.count). Get all "
                    + "files of one model.")
        }
    }

    private static func isFileName(_ name: String) -> Bool {
        name.hasSuffix(".safetensors") && !name.hasPrefix(".") && name.utf8.count <= 255
            && !name.utf8.contains { $0 < 0x20 || $0 == 0x7F || $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") }
    }
}
