// SPDX-License-Identifier: Apache-2.0

package import ParleyTensor

/// The scratch memory for the texts of an encoder's step, allocated once for each loaded model.
///
/// An encoder keeps nothing of a text, so its keys and values are scratch too: those of one layer at a time.
package final class EncoderScratch: Sendable {
    enum Area: Int, CaseIterable {
        case hidden, branch, queries, keys, values, mixed, inner, pooled
    }

    /// The most positions in a step: the tokens of each text, rounded up to ``KeyValueCache/panelPositions``.
    package let positions: Int
    package let quantized: QuantizedRows
    let cache: KeyValueCache

    private let buffer: AlignedBuffer
    private let widths: [Int]
    private let offsets: [Int]

    /// Allocates the scratch memory for a model that was loaded for texts of `context` tokens.
    ///
    /// - Throws: `AllocationError` if the system has too little memory.
    package init(_ hyper: Hyperparameters, context: Int) throws(AllocationError) {
        positions = Self.positions(context: context)
        widths = Self.widths(hyper)
        var offsets: [Int] = []
        var end = 0
        for width in widths {
            offsets.append(end)
            end += positions * width
        }
        self.offsets = offsets
        buffer = try AlignedBuffer(byteCount: end * MemoryLayout<Float>.stride)
        quantized = try QuantizedRows(count: positions, columns: Self.widestRow(hyper))
        cache = try KeyValueCache(
            capacity: positions, kvHeads: hyper.kvHeads.max() ?? hyper.heads, headWidth: hyper.headWidth)
    }

    /// The size in bytes of a model's scratch memory for `positions` positions.
    package static func byteCount(_ hyper: Hyperparameters, positions: Int) -> Int {
        positions * widths(hyper).reduce(0, +) * MemoryLayout<Float>.stride
            + QuantizedRows.byteCount(count: positions, columns: widestRow(hyper))
            + KeyValueCache.byteCount(
                capacity: positions, kvHeads: hyper.kvHeads.max() ?? hyper.heads, headWidth: hyper.headWidth)
    }

    /// The largest number of columns of any product's input.
    package static func widestRow(_ hyper: Hyperparameters) -> Int {
        max(hyper.width, hyper.queryWidth, hyper.feedForwardWidth.max() ?? 0)
    }

    /// The positions that a text of `count` tokens takes.
    package static func positions(of count: Int) -> Int {
        (count + KeyValueCache.panelPositions - 1) / KeyValueCache.panelPositions * KeyValueCache.panelPositions
    }

    func rows(_ area: Area, _ count: Int) -> FloatRows {
        precondition(count <= positions, "\(count) rows in scratch for \(positions)")
        return FloatRows(
            pointer: buffer.floats + offsets[area.rawValue], count: count, width: widths[area.rawValue])
    }

    /// The positions of a step where no text is longer: enough rows to make good use of the weights that it reads.
    package static let usualPositions = 256

    private static func positions(context: Int) -> Int { max(positions(of: context), usualPositions) }

    private static func widths(_ hyper: Hyperparameters) -> [Int] {
        let kvWidth = (hyper.kvHeads.max() ?? hyper.heads) * hyper.headWidth
        return Area.allCases.map { area in
            switch area {
            case .hidden, .branch, .pooled: hyper.width
            case .queries, .mixed: hyper.queryWidth
            case .keys, .values: kvWidth
            case .inner: hyper.feedForwardWidth.max() ?? 0
            }
        }
    }
}
