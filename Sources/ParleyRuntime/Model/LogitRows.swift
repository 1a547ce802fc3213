// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif
import ParleySystem

/// Logits of some positions, one row of `vocabularySize` floats for each; reused from step to step.
///
/// `@unchecked Sendable`: the caller of a step lends it to the engine during the step and reads it afterwards.
public final class LogitRows: @unchecked Sendable {
    /// How many rows the last step wrote.
    public private(set) var count = 0
    /// The length of a row.
    public private(set) var vocabularySize = 0

    private var storage = UnsafeMutableBufferPointer<Float>(start: nil, count: 0)

    /// Creates an empty set of rows.
    public init() {}

    deinit {
        free(storage.baseAddress)
    }

    /// Makes room for rows; called by the engine before it writes. The former rows are lost.
    ///
    /// - Throws: ``RuntimeError`` with code `insufficientMemory` where there is no memory for them; there are none
    ///   then.
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
        // For a few rows the memory is not checked.
        let room = bytes < Self.large ? .max : MachineMemory.current().available
        guard !overflows, bytes <= room, let memory = calloc(values, MemoryLayout<Float>.stride) else {
            throw RuntimeError(
                .insufficientMemory,
                "There is no memory for the logits of so many positions; ask for those of fewer at once.")
        }
        storage = .init(start: memory.bindMemory(to: Float.self, capacity: values), count: values)
    }

    /// From how many bytes on the memory is checked.
    private static let large = 64 << 20

    /// A row; valid until the next step or ``resize(count:vocabularySize:)``.
    public subscript(row: Int) -> UnsafeMutableBufferPointer<Float> {
        precondition(row < count, "row \(row) of \(count)")
        return .init(rebasing: storage[row * vocabularySize..<(row + 1) * vocabularySize])
    }
}
