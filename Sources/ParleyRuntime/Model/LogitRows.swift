// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif
import ParleySystem

/// The logits of some positions: one row of `vocabularySize` floats per position, reused from step to step.
///
/// `@unchecked Sendable`: the engine uses it only during a step, the caller of the step only outside it.
public final class LogitRows: @unchecked Sendable {
    /// The number of rows that the last step wrote.
    public private(set) var count = 0
    /// The number of logits in a row.
    public private(set) var vocabularySize = 0

    private var storage = UnsafeMutableBufferPointer<Float>(start: nil, count: 0)

    /// Creates an empty set of rows.
    public init() {}

    deinit {
        free(storage.baseAddress)
    }

    /// Allocates memory for rows; called by the engine before it writes. Earlier rows are lost.
    ///
    /// - Throws: ``RuntimeError`` with code `insufficientMemory` if there is not enough memory; there are no rows then.
    public func resize(count: Int, vocabularySize: Int) throws(RuntimeError) {
        self.count = 0
        let (values, overflows) = count.multipliedReportingOverflow(by: vocabularySize)
        if overflows || values > storage.count { try allocate(overflows ? .max : values) }
        self.count = count
        self.vocabularySize = vocabularySize
    }

    private func allocate(_ values: Int) throws(RuntimeError) {
        free(storage.baseAddress)
        storage = .init(start: nil, count: 0)
        let (bytes, overflows) = values.multipliedReportingOverflow(by: MemoryLayout<Float>.stride)
        // Available memory is only checked for large allocations.
        let room = bytes < Self.large ? .max : MachineMemory.current().available
        guard !overflows, bytes <= room, let memory = calloc(values, MemoryLayout<Float>.stride) else {
            throw RuntimeError(
                .insufficientMemory,
                "There is no memory for the logits of so many positions; ask for those of fewer at once.")
        }
        storage = .init(start: memory.bindMemory(to: Float.self, capacity: values), count: values)
    }

    /// The size in bytes from which available memory is checked.
    private static let large = 64 << 20

    /// The logits of a row, valid until the next step or ``resize(count:vocabularySize:)``.
    public subscript(row: Int) -> UnsafeMutableBufferPointer<Float> {
        precondition(row < count, "row \(row) of \(count)")
        return .init(rebasing: storage[row * vocabularySize..<(row + 1) * vocabularySize])
    }
}
