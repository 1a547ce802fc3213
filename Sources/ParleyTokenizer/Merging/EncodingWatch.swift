// SPDX-License-Identifier: Apache-2.0

/// Asks from time to time whether tokenising a long text is to go on.
final class EncodingWatch {
    /// How many bytes, or merges, pass between two questions.
    private static let stride = 1 << 16

    private let goesOn: () -> Bool
    private var untilQuestion = stride
    private(set) var isOver = false

    init(_ goesOn: @escaping () -> Bool) {
        self.goesOn = goesOn
    }

    /// Counts what has been done, and says whether that was enough.
    func ends(after count: Int) -> Bool {
        untilQuestion -= count
        if untilQuestion <= 0 {
            untilQuestion = Self.stride
            isOver = isOver || !goesOn()
        }
        return isOver
    }
}
