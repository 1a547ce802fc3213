// SPDX-License-Identifier: Apache-2.0

/// Which experts of a layer compute each row of a step, and the order in which they do: sorted by expert, so that each
/// expert multiplies all its rows together.
///
/// A slot is a place in that order; a row has as many slots as it has experts. The view does not own its memory, and is
/// used only during the step to which the memory belongs.
package struct ExpertRoutes: @unchecked Sendable {
    /// The number of rows.
    package let rows: Int
    /// The number of experts that compute each row.
    package let used: Int
    /// The number of experts.
    package let experts: Int
    /// The experts of each row, the likeliest first, `[rows, used]`.
    let choices: UnsafeMutablePointer<Int32>
    /// How much each of them counts, `[rows, used]`.
    let weights: UnsafeMutablePointer<Float>
    /// The first slot of each expert, and the number of slots, `[experts + 1]`.
    let starts: UnsafeMutablePointer<Int32>
    /// The slot of each row and expert, `[rows, used]`.
    let slots: UnsafeMutablePointer<Int32>
    /// The row of each slot, `[rows · used]`.
    let sources: UnsafeMutablePointer<Int32>

    /// The memory for routes of at most `rows` rows, in floats.
    package static func floatCount(rows: Int, used: Int, experts: Int) -> Int { 4 * rows * used + experts + 1 }

    /// Creates a view of ``floatCount(rows:used:experts:)`` floats as routes.
    package init(pointer: UnsafeMutablePointer<Float>, rows: Int, used: Int, experts: Int) {
        let count = rows * used
        let integers = UnsafeMutableRawPointer(pointer + count).assumingMemoryBound(to: Int32.self)
        (self.rows, self.used, self.experts) = (rows, used, experts)
        weights = pointer
        (choices, slots, sources, starts) = (integers, integers + count, integers + 2 * count, integers + 3 * count)
    }

    /// The number of slots.
    package var slotCount: Int { rows * used }

    /// The experts of a row, the likeliest first.
    package func choices(of row: Int) -> [Int] { (0..<used).map { Int(choices[row * used + $0]) } }
    /// How much each of them counts.
    package func weights(of row: Int) -> [Float] { (0..<used).map { weights[row * used + $0] } }

    /// The slots of an expert.
    func range(of expert: Int) -> Range<Int> { Int(starts[expert])..<Int(starts[expert + 1]) }

    /// The number of an expert's slots. A lane that has fallen behind may ask for it while others choose the experts of
    /// a later layer; it gets some number then, which does not matter, because its own operation is over.
    func count(of expert: Int) -> Int { max(Int(starts[expert + 1]) - Int(starts[expert]), 0) }

    /// Sorts the choices by expert; rows keep their order.
    func sort() {
        for expert in 0...experts { starts[expert] = 0 }
        for choice in 0..<slotCount { starts[Int(choices[choice]) + 1] += 1 }
        for expert in 0..<experts { starts[expert + 1] += starts[expert] }
        // Each start moves to its end, which is the next one's start, and is moved back after that.
        for choice in 0..<slotCount {
            let expert = Int(choices[choice])
            slots[choice] = starts[expert]
            sources[Int(starts[expert])] = Int32(choice / used)
            starts[expert] += 1
        }
        for expert in stride(from: experts, to: 0, by: -1) { starts[expert] = starts[expert - 1] }
        starts[0] = 0
    }
}

/// How the scores of experts become probabilities.
package enum ExpertGating: Sendable {
    /// Probabilities that add up to 1 over all experts.
    case softmax
    /// A probability for each expert by itself.
    case sigmoid
}
