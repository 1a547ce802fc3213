// SPDX-License-Identifier: Apache-2.0

package import ParleyTensor

/// The scratch memory for the rows of a step, allocated once for each loaded model.
///
/// Pages that an architecture never writes take no physical memory.
package final class StepScratch: Sendable {
    /// The largest number of rows in a step.
    package static let rows = 256
    /// The largest number of rows whose logits are computed together.
    package static let logitRows = 16

    package let quantized: QuantizedRows

    private let buffer: AlignedBuffer
    private let layout: Layout
    private let experts: ExpertSizes?

    /// Allocates the scratch memory of steps that run on up to `lanes` lanes.
    ///
    /// - Throws: `AllocationError` if the system has too little memory.
    package init(_ hyper: Hyperparameters, lanes: Int) throws(AllocationError) {
        layout = Layout(hyper, lanes: lanes)
        buffer = try AlignedBuffer(byteCount: layout.byteCount)
        quantized = try QuantizedRows(count: layout.quantizedRows, columns: layout.widest)
        experts = hyper.experts
    }

    /// The size of a model's scratch memory in bytes.
    package static func byteCount(_ hyper: Hyperparameters, lanes: Int) -> Int {
        let layout = Layout(hyper, lanes: lanes)
        return layout.byteCount + QuantizedRows.byteCount(count: layout.quantizedRows, columns: layout.widest)
    }

    /// The largest number of columns of any product's input.
    package static func widestRow(_ hyper: Hyperparameters) -> Int { Layout(hyper, lanes: 1).widest }

    func hidden(_ count: Int, lane: Int) -> FloatRows { view(layout.hidden, layout.privateHidden, count, lane) }
    func inner(_ count: Int, lane: Int) -> FloatRows { view(layout.inner, layout.privateInner, count, lane) }
    func activated(_ count: Int, lane: Int) -> FloatRows {
        view(layout.gate, layout.privateActivated, count, lane)
    }
    func branch(_ count: Int) -> FloatRows { view(layout.branch, count) }
    func queries(_ count: Int) -> FloatRows { view(layout.queries, count) }
    func keys(_ count: Int) -> FloatRows { view(layout.keys, count) }
    func values(_ count: Int) -> FloatRows { view(layout.values, count) }
    func mixed(_ count: Int) -> FloatRows { view(layout.mixed, count) }
    func gate(_ count: Int) -> FloatRows { view(layout.gate, count) }
    func up(_ count: Int) -> FloatRows { view(layout.up, count) }
    /// The router's scores, `[rows, experts]`.
    func expertScores(_ count: Int) -> FloatRows { view(layout.expertScores, count) }
    /// The input of each row's experts, and later their output, `[rows · used, width]`.
    func expertRows(_ count: Int) -> FloatRows { view(layout.expertRows, count) }
    /// `[rows · used, expertWidth]`
    func expertGate(_ count: Int) -> FloatRows { view(layout.expertGate, count) }
    /// `[rows · used, expertWidth]`
    func expertUp(_ count: Int) -> FloatRows { view(layout.expertUp, count) }
    /// Which experts compute each of `count` rows.
    func routes(_ count: Int) -> ExpertRoutes {
        let (used, experts) = (experts?.used ?? 0, experts?.count ?? 0)
        return ExpertRoutes(pointer: buffer.floats + layout.routes.offset, rows: count, used: used, experts: experts)
    }
    /// A lane's own memory for the experts of a single row: the routes, the probabilities of all experts, and an expert's
    /// gated values.
    func ownRoute(
        lane: Int
    ) -> (routes: ExpertRoutes, probabilities: UnsafeMutablePointer<Float>, gated: UnsafeMutablePointer<Float>) {
        let (used, experts) = (experts?.used ?? 0, experts?.count ?? 0)
        let start = buffer.floats + layout.privateRoutes.offset + lane * layout.privateRoutes.width
        let probabilities = start + ExpertRoutes.floatCount(rows: 1, used: used, experts: experts)
        return (
            ExpertRoutes(pointer: start, rows: 1, used: used, experts: experts), probabilities, probabilities + experts
        )
    }
    func projected(_ count: Int) -> FloatRows { view(layout.projected, count) }
    func layerEmbeddings(_ count: Int) -> FloatRows { view(layout.layerEmbeddings, count) }
    func layerProjections(_ count: Int) -> FloatRows { view(layout.layerProjections, count) }
    func sum(_ count: Int) -> FloatRows { view(layout.sum, count) }
    func streams(_ count: Int) -> FloatRows { view(layout.streams, count) }
    func predictions(_ count: Int) -> FloatRows { view(layout.predictions, count) }
    func modalities(_ count: Int) -> FloatRows { view(layout.modalities, count) }
    func coefficients(_ count: Int) -> FloatRows { view(layout.coefficients, count) }
    func angles(_ count: Int) -> FloatRows { view(layout.angles, count) }
    func localAngles(_ count: Int) -> FloatRows { view(layout.localAngles, count) }
    /// The hidden states whose logits are requested, `[rows, width]`.
    package func selected(_ count: Int, lane: Int) -> FloatRows {
        view(layout.selected, layout.privateSelected, count, lane)
    }
    /// The logits, `[rows, vocabulary]`.
    package func logits(_ count: Int) -> FloatRows { view(layout.logits, count) }

    private func view(_ area: Layout.Area, _ count: Int) -> FloatRows {
        precondition(count <= area.rows, "\(count) rows in scratch for \(area.rows)")
        return FloatRows(pointer: buffer.floats + area.offset, count: count, width: area.width)
    }

    /// The rows of a shared area, or, if they are few, of the lane's own area.
    private func view(_ shared: Layout.Area, _ own: Layout.Area, _ count: Int, _ lane: Int) -> FloatRows {
        guard count <= Lane.privateRows else { return view(shared, count) }
        let offset = own.offset + lane * Lane.privateRows * own.width
        return FloatRows(pointer: buffer.floats + offset, count: count, width: own.width, isPrivate: true)
    }

    /// The position of each area in the scratch memory, in floats.
    private struct Layout {
        struct Area {
            let offset: Int
            let rows: Int
            let width: Int
        }

        let hidden, inner, branch, queries, keys, values, mixed, gate, up, projected, angles, localAngles, selected,
            logits: Area
        let layerEmbeddings, layerProjections, sum, streams, predictions, modalities, coefficients: Area
        let expertScores, expertRows, expertGate, expertUp, routes: Area
        let privateHidden, privateInner, privateActivated, privateSelected, privateRoutes: Area
        let byteCount: Int
        let widest: Int
        /// The number of rows that are quantised together.
        let quantizedRows: Int

        init(_ hyper: Hyperparameters, lanes: Int) {
            var end = 0
            func area(_ width: Int, rows: Int = StepScratch.rows) -> Area {
                defer { end += (rows * width + 15) / 16 * 16 }
                return Area(offset: end, rows: rows, width: width)
            }
            let headWidths = hyper.attention.headWidths
            let queryWidth = hyper.heads * max(hyper.headWidth, headWidths.max() ?? 0)
            let kvWidth = zip(hyper.kvHeads, headWidths).map { $0 * $1 }.max() ?? 0
            let layerEmbeddingWidth = hyper.layerEmbeddingWidth
            let experts = hyper.experts
            let feedForwardWidth = max(
                hyper.feedForwardWidth.max() ?? 0, experts?.sharedWidth ?? 0, layerEmbeddingWidth)
            let slots = StepScratch.rows * (experts?.used ?? 0)
            hidden = area(hyper.width)
            inner = area(hyper.width)
            branch = area(hyper.width)
            queries = area(queryWidth)
            keys = area(kvWidth)
            values = area(kvWidth)
            mixed = area(max(queryWidth, hyper.recurrence?.innerWidth ?? 0))
            gate = area(feedForwardWidth)
            up = area(feedForwardWidth)
            projected = area(hyper.projectedWidth)
            angles = area(hyper.rotaryWidth)
            localAngles = area(hyper.attention.localRotaryWidth)
            layerEmbeddings = area(hyper.layers * layerEmbeddingWidth)
            layerProjections = area(hyper.layers * layerEmbeddingWidth)
            let streamCount = hyper.streams.count
            sum = area(experts == nil && streamCount == 0 ? 0 : hyper.width)
            streams = area(streamCount * hyper.width)
            predictions = area(streamCount * hyper.width)
            modalities = area(streamCount)
            coefficients = area(streamCount * streamCount)
            selected = area(hyper.width, rows: StepScratch.logitRows)
            logits = area(hyper.vocabularySize, rows: StepScratch.logitRows)
            expertScores = area(experts?.count ?? 0)
            expertRows = area(hyper.width, rows: slots)
            expertGate = area(experts?.width ?? 0, rows: slots)
            expertUp = area(experts?.width ?? 0, rows: slots)
            routes = area(
                experts.map { ExpertRoutes.floatCount(rows: StepScratch.rows, used: $0.used, experts: $0.count) } ?? 0,
                rows: 1)
            quantizedRows = max(
                StepScratch.rows, experts.map { Lane.quantizedRows(slots: slots, experts: $0.count) } ?? 0)
            let privateRows = Lane.privateRows * lanes
            privateHidden = area(hyper.width, rows: privateRows)
            privateInner = area(hyper.width, rows: privateRows)
            privateActivated = area(feedForwardWidth, rows: privateRows)
            privateSelected = area(hyper.width, rows: privateRows)
            privateRoutes = area(
                experts.map {
                    let routes = ExpertRoutes.floatCount(rows: 1, used: $0.used, experts: $0.count)
                    // Whole cache lines, so that no two lanes write to the same one.
                    return (routes + $0.count + $0.width + 15) / 16 * 16
                } ?? 0, rows: lanes)
            byteCount = end * MemoryLayout<Float>.stride
            widest = max(
                hyper.width, queryWidth, feedForwardWidth, experts?.width ?? 0, hyper.recurrence?.innerWidth ?? 0)
        }
    }
}
