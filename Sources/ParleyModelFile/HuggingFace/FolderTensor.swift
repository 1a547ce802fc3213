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

    /// The rows of each matrix that the tensor has, where a folder stores two matrices as one.
    enum RowShare: Sendable, Hashable {
        case all, firstHalf, secondHalf, even, odd

        /// The number of these rows among all rows of a matrix.
        func count(of rows: Int) -> Int { self == .all ? rows : rows / 2 }

        /// The number of a row among these; nil if it is none of them.
        func place(of row: Int, among rows: Int) -> Int? {
            switch self {
            case .all: row
            case .firstHalf: row < rows / 2 ? row : nil
            case .secondHalf: row < rows / 2 ? nil : row - rows / 2
            case .even: row.isMultiple(of: 2) ? row / 2 : nil
            case .odd: row.isMultiple(of: 2) ? nil : row / 2
            }
        }
    }

    /// The name in the GGUF file.
    var name: String
    var rows = RowOrder.asStored
    var share = RowShare.all
    /// Whether the tensor has a matrix, or a vector, of each expert.
    var isStack = false
    /// The expert whose matrix it is, where each has a tensor of its own, which one tensor of the GGUF file has together.
    var expert: Int?
    /// Whether matrices are stored the other way round, with inputs as rows.
    var isTransposed = false
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
    /// Whether the data of the file is the data of the tensor.
    private let isAsStored: Bool
    /// The numbers of matrices, of rows of each, and of values of a row, as the GGUF file has them but for the share.
    private let matrices: Int
    private let rows: Int
    private let columns: Int

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
        // Kernels read aligned numbers, which the format does not promise.
        isAsStored =
            type == kept && form.share == .all && form.rows == .asStored && form.addend == 0 && !form.isTransposed
            && stored.byteRange.lowerBound.isMultiple(of: stored.type.byteCount)
        let wrongShape = ModelFileError(
            .corrupt,
            "\(file.name): the tensor \(stored.name) is \(stored.shape.map(String.init).joined(separator: " × ")), which "
                + "does not go with config.json. Download the files again.")
        let rowAxis = form.isStack ? 1 : 0
        var shape = stored.shape
        guard shape.count > rowAxis, stored.elementCount > 0 else { throw wrongShape }
        if form.isTransposed {
            guard shape.count == rowAxis + 2 else { throw wrongShape }
            shape.swapAt(rowAxis, rowAxis + 1)
        }
        matrices = form.isStack ? shape[0] : 1
        rows = shape[rowAxis]
        columns = stored.elementCount / (matrices * rows)
        guard form.share == .all || rows.isMultiple(of: 2), form.rows.divides(form.share.count(of: rows)) else {
            throw wrongShape
        }
        shape[rowAxis] = form.share.count(of: rows)
        var dimensions = Array(shape.reversed())
        let count = dimensions.reduce(1, *)
        if let columns = form.columns {
            guard columns > 0, count.isMultiple(of: columns) else { throw wrongShape }
            dimensions = [columns, count / columns]
        }
        guard (1...4).contains(dimensions.count) else { throw wrongShape }
        layout = .init(
            name: form.name, typeCode: type.rawValue, dimensions: dimensions, byteCount: type.byteCount(of: count))
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
        let kept = form.share.count(of: rows)
        let rowBytes = columns * stored.type.byteCount
        let madeBytes = type.byteCount(of: columns)
        var transposed = [UInt8](repeating: 0, count: form.isTransposed ? rowBytes : 0)
        for matrix in 0..<matrices {
            let start = matrix * rows * rowBytes
            for row in 0..<rows {
                guard let number = form.share.place(of: row, among: rows) else { continue }
                let place = (matrix * kept + form.rows.place(of: number, among: kept)) * madeBytes
                let target = UnsafeMutableRawBufferPointer(rebasing: made[place..<place + madeBytes])
                if form.isTransposed {
                    let matrixBytes = UnsafeRawBufferPointer(rebasing: bytes[start..<start + rows * rowBytes])
                    gather(row, of: matrixBytes, into: &transposed)
                    transposed.withUnsafeBytes { write($0, into: target) }
                } else {
                    let first = start + row * rowBytes
                    write(UnsafeRawBufferPointer(rebasing: bytes[first..<first + rowBytes]), into: target)
                }
            }
        }
    }

    /// Copies a row of a matrix that is stored as columns.
    private func gather(_ row: Int, of matrix: UnsafeRawBufferPointer, into values: inout [UInt8]) {
        let width = stored.type.byteCount
        for column in 0..<columns {
            for byte in 0..<width { values[column * width + byte] = matrix[(column * rows + row) * width + byte] }
        }
    }

    private func write(_ source: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer) {
        if type != .f32 || stored.type == .f32, form.addend == 0 {
            target.copyMemory(from: source)
        } else {
            FloatValues(source, type: stored.type).forEach { index, value in
                target.storeBytes(of: value + form.addend, toByteOffset: 4 * index, as: Float.self)
            }
        }
    }
}
