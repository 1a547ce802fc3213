// SPDX-License-Identifier: Apache-2.0

/// A matrix that a folder stores in fewer bits, in several tensors together.
protocol PackedWeights: Sendable {
    /// The number of matrices: 1, or that of experts whose matrices are stored together.
    var matrices: Int { get }
    /// The number of rows of all matrices, which are outputs.
    var rows: Int { get }
    /// The number of columns, which are inputs.
    var columns: Int { get }
    /// The type in which the matrix is given on.
    var type: TensorType { get }
    /// The tensors that it is read from.
    var parts: [SafetensorsTensor] { get }

    /// Writes some rows, each to where `place` says.
    ///
    /// - Throws: ``ModelFileError`` with code `invalidValue` if a number is not finite, or belongs to no group.
    func write(
        _ rows: Range<Int>, from file: SafetensorsFile, to place: (Int) -> UnsafeMutableRawBufferPointer
    ) throws
}

/// A tensor of the GGUF file that is made of ``PackedWeights`` when it is asked for.
struct PackedTensor: FolderTensorSource {
    let layout: GGUFLayout.Tensor
    private let weights: any PackedWeights
    private let file: SafetensorsFile
    private let form: FolderTensorForm

    /// The number of rows that are made at a time: as many as words of a line of the processor's cache hold.
    private static let tile = 128

    /// - Throws: ``ModelFileError`` if the rows do not divide, or the values would have to change.
    init(
        _ weights: any PackedWeights, name: String, in file: SafetensorsFile, as form: FolderTensorForm
    ) throws(ModelFileError) {
        let rows = weights.rows / weights.matrices
        guard form.addend == 0, form.columns == nil, !form.isTransposed, form.isStack || weights.matrices == 1,
            form.share == .all || rows.isMultiple(of: 2), form.rows.divides(form.share.count(of: rows))
        else {
            throw ModelFileError(
                .unsupportedModel,
                "\(file.name): the tensor \(name) is quantised, which is not supported for tensors of its kind. Use a "
                    + "GGUF file of this model.")
        }
        self.weights = weights
        self.file = file
        self.form = form
        let kept = form.share.count(of: rows)
        layout = .init(
            name: form.name, typeCode: weights.type.rawValue,
            dimensions: [weights.columns, kept] + (form.isStack ? [weights.matrices] : []),
            byteCount: weights.type.byteCount(of: weights.columns) * kept * weights.matrices)
    }

    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) throws -> Result {
        let made = UnsafeMutableRawBufferPointer.allocate(byteCount: layout.byteCount, alignment: 64)
        defer { made.deallocate() }
        let rowBytes = weights.type.byteCount(of: weights.columns)
        let rows = weights.rows / weights.matrices
        let kept = form.share.count(of: rows)
        // Receives the rows that are not of the share.
        let others = UnsafeMutableRawBufferPointer.allocate(byteCount: rowBytes, alignment: 64)
        defer { others.deallocate() }
        for start in stride(from: 0, to: weights.rows, by: Self.tile) {
            try weights.write(start..<min(start + Self.tile, weights.rows), from: file) { row in
                let (matrix, inner) = row.quotientAndRemainder(dividingBy: rows)
                guard let number = form.share.place(of: inner, among: rows) else { return others }
                let place = (matrix * kept + form.rows.place(of: number, among: kept)) * rowBytes
                return UnsafeMutableRawBufferPointer(rebasing: made[place..<place + rowBytes])
            }
        }
        for part in weights.parts { file.releasePages(of: part) }
        return try body(UnsafeRawBufferPointer(made))
    }

    func releasePages(_ bytes: Range<Int>) {}
}

extension PackedWeights {
    var matrices: Int { 1 }
}

extension SafetensorsFile {
    /// Some of the numbers of a tensor of F32, F16 or BF16.
    func floats(of tensor: SafetensorsTensor, _ range: Range<Int>) throws -> [Float] {
        try withBytes(of: tensor) { bytes in
            let width = tensor.type.byteCount
            let part = UnsafeRawBufferPointer(rebasing: bytes[range.lowerBound * width..<range.upperBound * width])
            return [Float](unsafeUninitializedCapacity: range.count) { numbers, count in
                FloatValues(part, type: tensor.type).forEach { numbers[$0] = $1 }
                count = range.count
            }
        }
    }

    /// The numbers of 32 bits of a small tensor.
    func words(of tensor: SafetensorsTensor) throws -> [UInt32] {
        try withBytes(of: tensor) { bytes in (0..<bytes.count / 4).map { bytes.word($0) } }
    }

    /// The error for a tensor whose shape does not go with those of the others.
    func wrongShape(_ tensor: SafetensorsTensor) -> ModelFileError {
        ModelFileError(
            .corrupt,
            "\(name): the tensor \(tensor.name) is \(tensor.shape.map(String.init).joined(separator: " × ")) of "
                + "\(tensor.type.rawValue), which does not go with config.json and the tensors that belong to it. Download "
                + "the files again.")
    }

    /// The error for a number that is not finite.
    func notFinite(_ tensor: SafetensorsTensor) -> ModelFileError {
        ModelFileError(
            .invalidValue,
            "\(name): the tensor \(tensor.name) has a number that is not finite, or a scale beyond what 16 bits hold. "
                + "Download the files again.")
    }
}

extension UnsafeRawBufferPointer {
    /// A little-endian number of 32 bits.
    func word(_ index: Int) -> UInt32 {
        UInt32(littleEndian: loadUnaligned(fromByteOffset: index * 4, as: UInt32.self))
    }
}

extension SafetensorsTensor {
    /// Whether the values are floats of 16 or 32 bits.
    var isFloat: Bool { [.f32, .f16, .bf16].contains(type) }
    /// Whether the values are whole numbers of 32 bits, whose sign does not matter.
    var isWords: Bool { type == .i32 || type == .u32 }
}
