// SPDX-License-Identifier: Apache-2.0

/// Checks from time to time whether tokenising a long text should continue.
final class EncodingWatch {
    /// The number of bytes or merges between two checks.
    private static let stride = 1 << 16

    private let goesOn: () -> Bool
    private var untilQuestion = stride
    private(set) var isOver = false

    init(_ goesOn: @escaping () -> Bool) {
        self.goesOn = goesOn
    }

    /// Adds to the work done, and returns whether to stop.
    func ends(after count: Int) -> Bool {
        untilQuestion -= count
        if untilQuestion <= 0 {
            untilQuestion = Self.stride
            isOver = isOver || !goesOn()
        }
        return isOver
    }
}
