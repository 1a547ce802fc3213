// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyTensor

/// Which positions of the encoder's window are computed.
///
/// Short sound would pay for the silence behind it. The positions up to 1.28 seconds behind the last sample are computed
/// whole; of the rest every fifth stands for those up to the next, and its score as a key is raised by the logarithm of
/// their number. The last position is always one: it alone sees the end of the window, and the model looks there. A plain
/// cut makes the decoder repeat itself.
package struct AudioPositions: Sendable, Hashable {
    /// The positions of a window of 30 seconds.
    package static let window = 1_500
    /// Samples of a position.
    private static let samples = 320
    /// The positions of silence that are computed whole.
    private static let margin = 64
    private static let step = 5
    /// A rest of fewer positions is not thinned; that would save nothing.
    private static let shortestRest = 16

    /// How many positions from the first on are computed whole.
    package let whole: Int
    /// Positions of the thinned rest, ascending.
    package let thinned: [Int]

    /// All positions of the window.
    package static let all = AudioPositions(whole: window, thinned: [])

    private init(whole: Int, thinned: [Int]) {
        (self.whole, self.thinned) = (whole, thinned)
    }

    /// The positions for so many samples.
    package init(samples count: Int) {
        let whole = (count + Self.samples - 1) / Self.samples + Self.margin
        guard whole + Self.shortestRest <= Self.window else {
            self = .all
            return
        }
        let last = Self.window - 1
        self.init(whole: whole, thinned: Array(stride(from: whole, to: last, by: Self.step)) + [last])
    }

    /// How many positions are computed.
    package var count: Int { whole + thinned.count }
    /// Whether all are.
    package var isFull: Bool { thinned.isEmpty }

    /// What is added to the scores of the keys; nil for nothing.
    package var keyBias: [Float]? {
        isFull
            ? nil
            : [Float](repeating: 0, count: whole)
                + zip(thinned, thinned.dropFirst() + [Self.window]).map { log(Float($1 - $0)) }
    }

    /// The place of a position among those computed that stands nearest before it, and the position of each place.
    package func position(at place: Int) -> Int { place < whole ? place : thinned[place - whole] }
}
