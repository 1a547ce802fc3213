// SPDX-License-Identifier: Apache-2.0

/// Asks from time to time whether to go on tokenising a long text.
final class EncodingWatch {
    /// How many bytes, or merges, pass between two questions.
    private static let stride = 1 << 16

    private let goesOn: () -> Bool
    private var untilQuestion = stride
    private(set) var isOver = false

    init(_ goesOn: @escaping () -> Bool) {
        self.goesOn = goesOn
    }

    /// Counts the work done, and says whether to stop.
    func ends(after count: Int) -> Bool {
        untilQuestion -= count
        if untilQuestion <= 0 {
            untilQuestion = Self.stride
            isOver = isOver || !goesOn()
        }
        return isOver
    }
}
