// SPDX-License-Identifier: Apache-2.0

import ParleyModelFile

/// What differs between the layers of a network that attend: the width of their heads, and whose keys and values they
/// read.
package struct AttentionLayers: Sendable, Hashable {
    /// The number of values in a head of each layer.
    package let headWidths: [Int]
    /// The number of values of a head that layers with a sliding window rotate.
    package let localRotaryWidth: Int
    /// Whether each layer attends to a sliding window; nil if the file does not list it.
    package let slides: [Bool]?
    /// The layer whose keys and values each layer attends to: itself, or, in the last layers of some networks, the last
    /// one of the same kind before these.
    package let sources: [Int]

    /// Reads the metadata; `bounded` checks a number, by the name of its key.
    init(
        _ metadata: Metadata, key: (String) -> String, layers: Int, headWidth: Int, rotaryWidth: Int,
        bounded: (String, Int, ClosedRange<Int>) throws -> Int
    ) throws {
        /// A number that is a multiple of another one.
        func size(_ name: String, _ range: ClosedRange<Int>, multipleOf divisor: Int) throws -> Int? {
            guard let value = try metadata.unsigned(ifPresent: key(name)) else { return nil }
            _ = try bounded(name, value % divisor, 0...0)
            return try bounded(name, value, range)
        }
        let pattern = metadata[key("attention.sliding_window_pattern")]
        let slides = pattern?.count == layers ? pattern?.bools : nil
        // Where the file does not list the layers with a window, the heads of all have one width.
        let widths = slides == nil ? headWidth...headWidth : 8...1_024
        let localWidth = try size("attention.key_length_swa", widths, multipleOf: 8) ?? headWidth
        _ = try size("attention.value_length_swa", localWidth...localWidth, multipleOf: 1)
        localRotaryWidth =
            try size("rope.dimension_count_swa", 2...localWidth, multipleOf: 2) ?? min(rotaryWidth, localWidth)
        let shared = try size("attention.shared_kv_layers", 0...layers - 1, multipleOf: 1) ?? 0
        func kind(_ layer: Int) -> Bool { slides?[layer] ?? false }
        let own = layers - shared
        sources = try (0..<layers).map { layer in
            if layer < own { return layer }
            if let source = (0..<own).last(where: { kind($0) == kind(layer) }) { return source }
            return try bounded("attention.shared_kv_layers", shared, 0...0)
        }
        headWidths = (0..<layers).map { kind($0) ? localWidth : headWidth }
        self.slides = slides
    }
}
