// SPDX-License-Identifier: Apache-2.0

/// Logits of some positions, one row of `vocabularySize` floats for each; reused from step to step.
///
/// `@unchecked Sendable`: the caller of a step hands it over for the time of the step and reads it afterwards.
public final class LogitRows: @unchecked Sendable {
    /// How many rows the last step wrote.
    public private(set) var count = 0
    /// The length of a row.
    public private(set) var vocabularySize = 0

    private var storage = UnsafeMutableBufferPointer<Float>(start: nil, count: 0)

    /// Creates an empty set of rows.
    public init() {}

    deinit {
        storage.deallocate()
    }

    /// Makes room for rows; what the engine does before it writes. What was there is lost.
    public func resize(count: Int, vocabularySize: Int) {
        self.count = count
        self.vocabularySize = vocabularySize
        guard storage.count < count * vocabularySize else { return }
        storage.deallocate()
        storage = .allocate(capacity: count * vocabularySize)
        storage.initialize(repeating: 0)
    }

    /// A row; valid until the next step or ``resize(count:vocabularySize:)``.
    public subscript(row: Int) -> UnsafeMutableBufferPointer<Float> {
        precondition(row < count, "row \(row) of \(count)")
        return .init(rebasing: storage[row * vocabularySize..<(row + 1) * vocabularySize])
    }
}
