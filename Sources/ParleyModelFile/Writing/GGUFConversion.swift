// SPDX-License-Identifier: Apache-2.0

/// A model written anew as one GGUF file, with its tensors in another type.
///
/// Matrices get the type, or those of a mixture; vectors, norms and the kernels of convolutions become floats of 32 bits, as llama.cpp's
/// converter does it, and matrices whose rows do not divide into blocks become F16.
package struct GGUFConversion: Sendable {
    private let file: GGUFFile
    private let types: [TensorType]
    /// The header and size of the file that is written.
    package let layout: GGUFLayout

    /// Plans a conversion.
    ///
    /// - Parameters:
    ///   - file: a file or a folder.
    ///   - form: how matrices are written; nil to keep the types.
    /// - Throws: ``ModelFileError`` with code `unsupportedTokenizer` if no GGUF file can have the folder's tokenizer, or
    ///   `unsupportedTensorType` if a tensor is quantised in another type already.
    package init(of file: GGUFFile, to form: WritingForm?) throws(ModelFileError) {
        guard file.metadata["tokenizer.ggml.model"]?.string != Self.tokenizerWithoutForm else {
            throw ModelFileError(
                .unsupportedTokenizer,
                "\(file.name): GGUF has no name for the steps of this tokenizer.json, so the file would cut text wrongly. "
                    + "Use the folder itself.")
        }
        var types: [TensorType] = []
        var tensors: [GGUFLayout.Tensor] = []
        let places = Self.places(of: file.tensors)
        for tensor in file.tensors {
            let target = try Self.target(of: tensor, form, places[tensor.name], in: file)
            types.append(target)
            tensors.append(
                .init(
                    name: tensor.name, typeCode: target.rawValue, dimensions: tensor.dimensions,
                    byteCount: target.byteCount(of: tensor.elementCount)))
        }
        self.file = file
        self.types = types
        layout = GGUFLayout(metadata: Self.metadata(of: file, form), tensors: tensors)
    }

    /// Plans a conversion of all matrices to one type, one of ``TensorType/writable``.
    ///
    /// - Throws: ``ModelFileError``, as the other one does.
    package init(of file: GGUFFile, to type: TensorType) throws(ModelFileError) {
        try self.init(of: file, to: WritingForm(type))
    }

    /// The numbers of matrices among those of their kind, in the order of layers, and how many there are.
    private static func places(of tensors: [TensorDescriptor]) -> [String: (number: Int, count: Int)] {
        func layer(_ name: String) -> Int { Int(UInt16(name.split(separator: ".").dropFirst().first ?? "") ?? 0) }
        var places: [String: (number: Int, count: Int)] = [:]
        let names = tensors.map(\.name).sorted { (layer($0), $0) < (layer($1), $1) }
        let values = names.filter { WritingForm.kind(of: $0) == .values }
        for (number, name) in values.enumerated() { places[name] = (number, values.count) }
        // A layer may have several, of experts: its own number counts.
        let layers = names.last.map { layer($0) + 1 } ?? 0
        for name in names where WritingForm.kind(of: name) == .feedForwardOutputs {
            places[name] = (layer(name), layers)
        }
        return places
    }

    /// Whether a tensor stays a tensor of floats: vectors, norms, and small matrices that decide much.
    private static func keepsFloats(_ tensor: TensorDescriptor) -> Bool {
        let endings = [
            "_norm.weight", "shortconv.conv.weight", "ffn_gate_inp.weight", "position_embd.weight",
            "token_types.weight",
        ]
        return tensor.dimensions.count < 2 || !tensor.name.hasSuffix(".weight") || tensor.name.hasPrefix("rope_f")
            || endings.contains(where: tensor.name.hasSuffix)
    }

    /// The name of the kind of tokenizers that GGUF files cannot have, in the metadata that a folder is given.
    static let tokenizerWithoutForm = "tokenizer.json"

    private static func target(
        of tensor: TensorDescriptor, _ form: WritingForm?, _ place: (number: Int, count: Int)?, in file: GGUFFile
    ) throws(ModelFileError) -> TensorType {
        let stored = try tensor.type
        guard let form else { return stored }
        let experts = file.metadata["\(file.metadata["general.architecture"]?.string ?? "").expert_count"]?.unsigned
        let target =
            keepsFloats(tensor)
            ? .f32
            : form.type(
                of: tensor.name, columns: tensor.columns, place: place ?? (0, 1),
                sharesHead: file.tensor(ifPresent: "output.weight") == nil, experts: experts ?? 0)
        guard stored == target || [.f32, .f16, .bf16].contains(stored) else {
            throw ModelFileError(
                .unsupportedTensorType,
                "\(file.name): the tensor \(tensor.name) is stored as \(stored.name). Only F32, F16 and BF16 can be converted: "
                    + "quantising twice would lose more than once.")
        }
        return target
    }

    /// The metadata, without what describes the old file.
    private static func metadata(of file: GGUFFile, _ form: WritingForm?) -> [GGUFEntry] {
        var entries: [GGUFEntry] = []
        for key in file.metadata.keys
        where key != "general.alignment" && !key.hasPrefix("split.") && key != "general.quantization_version" {
            guard let value = file.metadata[key] else { continue }
            if key == "general.file_type", form != nil { continue }
            entries.append(GGUFEntry(key, .stored(value)))
        }
        if let form { entries.append(GGUFEntry("general.file_type", .uint32(FileType.number(of: form.name)))) }
        return entries + [GGUFEntry("general.quantization_version", .uint32(2))]
    }

    /// Writes the file from its beginning to its end.
    ///
    /// - Parameter append: adds bytes at the end.
    /// - Throws: ``ModelFileError`` with code `invalidValue` if a weight is infinite or no number; `CancellationError`; the
    ///   errors of `append`.
    package func write(append: (UnsafeRawBufferPointer) throws -> Void) throws {
        try layout.header.withUnsafeBytes(append)
        var written = layout.header.count
        for (number, tensor) in file.tensors.enumerated() {
            try Task.checkCancellation()
            let padding = [UInt8](repeating: 0, count: layout.offsets[number] - written)
            try padding.withUnsafeBytes(append)
            written += padding.count
            try write(tensor, as: types[number], append)
            file.releasePages(of: tensor)
            written += types[number].byteCount(of: tensor.elementCount)
        }
    }

    private func write(
        _ tensor: TensorDescriptor, as target: TensorType, _ append: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        let stored = try tensor.type
        try file.withBytes(of: tensor) { bytes in
            guard stored != target else { return try append(bytes) }
            // Some rows at a time, so that the largest matrix takes little memory.
            let columns = tensor.columns
            let rows = max(1, min(tensor.rows, (1 << 20) / columns))
            let numbers = UnsafeMutableBufferPointer<Float>.allocate(capacity: rows * columns)
            let made = UnsafeMutableRawBufferPointer.allocate(
                byteCount: target.byteCount(of: rows * columns), alignment: 16)
            defer {
                numbers.deallocate()
                made.deallocate()
            }
            numbers.initialize(repeating: 0)
            for start in stride(from: 0, to: tensor.rows, by: rows) {
                let count = min(rows, tensor.rows - start) * columns
                let first = stored.byteCount(of: start * columns)
                let source = UnsafeRawBufferPointer(rebasing: bytes[first..<first + stored.byteCount(of: count)])
                var isFinite = true
                FloatValues(source, type: stored == .f32 ? .f32 : stored == .f16 ? .f16 : .bf16).forEach {
                    index, value in
                    numbers[index] = value
                    isFinite = isFinite && value.isFinite
                }
                guard isFinite else {
                    throw ModelFileError(
                        .invalidValue, "\(file.name): the tensor \(tensor.name) has a weight that is no finite number.")
                }
                let part = UnsafeMutableRawBufferPointer(rebasing: made[..<target.byteCount(of: count)])
                guard target.encode(UnsafeBufferPointer(rebasing: numbers[..<count]), into: part) else {
                    throw ModelFileError(.unsupportedTensorType, "\(target.name) cannot be written.")
                }
                try append(UnsafeRawBufferPointer(part))
            }
        }
    }
}
