// SPDX-License-Identifier: Apache-2.0

/// How a tensor of a folder becomes one of a GGUF file.
struct FolderTensorForm: Sendable {
    /// The order of the rows.
    enum RowOrder: Sendable, Hashable {
        case asStored
        /// The rows of each head are interleaved: those of its first half with those of its second.
        ///
        /// `transformers` rotates value i of a head together with value i + half, and GGUF's llama neighbours.
        case interleaved(heads: Int)

        /// Whether a number of rows divides into heads of two halves.
        func divides(_ rows: Int) -> Bool {
            guard case .interleaved(let heads) = self else { return true }
            return heads > 0 && rows.isMultiple(of: heads) && (rows / heads).isMultiple(of: 2)
        }

        /// The row of the GGUF file that a row of the folder becomes.
        func place(of row: Int, among rows: Int) -> Int {
            guard case .interleaved(let heads) = self else { return row }
            let headRows = rows / heads
            let (head, inner) = row.quotientAndRemainder(dividingBy: headRows)
            return head * headRows + inner % (headRows / 2) * 2 + inner / (headRows / 2)
        }
    }

    /// The name in the GGUF file.
    var name: String
    var rows = RowOrder.asStored
    /// What is added to each value: Gemma's norms multiply by 1 + weight.
    var addend: Float = 0
    /// Whether the values are floats of 32 bits in the GGUF file, as for all vectors.
    var isFloat = false
    /// The number of columns, where it is not the tensor's own last size.
    var columns: Int?
}

/// A tensor of the GGUF file that a folder is read as.
protocol FolderTensorSource: TensorSource {
    /// The description of the tensor in that file.
    var layout: GGUFLayout.Tensor { get }
}

/// A tensor of a folder in the form that a GGUF file has: taken from the mapped file as it is where that is the same,
/// otherwise made when it is asked for.
struct FolderTensor: FolderTensorSource {
    let layout: GGUFLayout.Tensor
    private let type: TensorType
    private let stored: SafetensorsTensor
    private let file: SafetensorsFile
    private let form: FolderTensorForm

    /// - Throws: ``ModelFileError`` if the values are of a type without a form in GGUF, or the rows do not divide.
    init(_ stored: SafetensorsTensor, in file: SafetensorsFile, as form: FolderTensorForm) throws(ModelFileError) {
        self.stored = stored
        self.file = file
        self.form = form
        let kept: TensorType? =
            switch stored.type {
            case .f32: .f32
            case .f16: .f16
            case .bf16: .bf16
            default: nil
            }
        guard let kept else {
            throw ModelFileError(
                .unsupportedTensorType,
                "\(file.name): the tensor \(stored.name) has values of the type \(stored.type.rawValue), which is not "
                    + "supported. Use a folder of F32, F16 or BF16, or a GGUF file of this model.")
        }
        type = form.isFloat || form.addend != 0 || stored.shape.count < 2 ? .f32 : kept
        var dimensions = Array(stored.shape.reversed())
        if let columns = form.columns {
            guard columns > 0, stored.elementCount.isMultiple(of: columns) else { throw Self.wrongShape(stored, file) }
            dimensions = [columns, stored.elementCount / columns]
        }
        guard (1...4).contains(dimensions.count), stored.elementCount > 0 else { throw Self.wrongShape(stored, file) }
        guard form.rows.divides(stored.shape[0]) else { throw Self.wrongShape(stored, file) }
        layout = .init(
            name: form.name, typeCode: type.rawValue, dimensions: dimensions,
            byteCount: type.byteCount(of: stored.elementCount))
    }

    private static func wrongShape(_ stored: SafetensorsTensor, _ file: SafetensorsFile) -> ModelFileError {
        ModelFileError(
            .corrupt,
            "\(file.name): the tensor \(stored.name) is \(stored.shape.map(String.init).joined(separator: " × ")), which "
                + "does not go with config.json. Download the files again.")
    }

    /// Whether the data of the file is the data of the tensor.
    ///
    /// Kernels read aligned numbers, which the format does not promise.
    private var isAsStored: Bool {
        layout.byteCount == stored.byteRange.count && form.rows == .asStored && form.addend == 0
            && stored.byteRange.lowerBound.isMultiple(of: stored.type.byteCount)
    }

    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) throws -> Result {
        try file.withBytes(of: stored) { bytes in
            if isAsStored { return try body(bytes) }
            let made = UnsafeMutableRawBufferPointer.allocate(byteCount: layout.byteCount, alignment: 64)
            defer { made.deallocate() }
            make(bytes, into: made)
            file.releasePages(of: stored)
            return try body(UnsafeRawBufferPointer(made))
        }
    }

    func releasePages(_ bytes: Range<Int>) {
        if isAsStored { file.releasePages(of: stored, bytes: bytes) }
    }

    private func make(_ bytes: UnsafeRawBufferPointer, into made: UnsafeMutableRawBufferPointer) {
        let rows = stored.shape.first ?? 1
        let rowBytes = bytes.count / rows
        let madeBytes = made.count / rows
        for row in 0..<rows {
            let source = UnsafeRawBufferPointer(rebasing: bytes[row * rowBytes..<(row + 1) * rowBytes])
            let place = form.rows.place(of: row, among: rows) * madeBytes
            let target = UnsafeMutableRawBufferPointer(rebasing: made[place..<place + madeBytes])
            if type != .f32 || stored.type == .f32, form.addend == 0 {
                target.copyMemory(from: source)
            } else {
                FloatValues(source, type: stored.type).forEach { index, value in
                    target.storeBytes(of: value + form.addend, toByteOffset: 4 * index, as: Float.self)
                }
            }
        }
    }
}
