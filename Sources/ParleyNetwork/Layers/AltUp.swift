// SPDX-License-Identifier: Apache-2.0

import ParleyModelFile
package import ParleyTensor

/// Several hidden states for each row, of which layers compute one and predict the others
/// ([Baykal et al., 2023](https://arxiv.org/abs/2301.13310)).
package struct AltUp: Sendable {
    /// Turn the embedding into the streams after the first, `[width, width]` each.
    private let projections: [PackedMatrix]
    /// Turn those streams back, `[width, width]` each.
    private let unprojections: [PackedMatrix]
    private let streams: AltUpStreams

    package init(_ loader: ModelLoader) throws {
        let width = loader.hyperparameters.width
        let streams = loader.hyperparameters.streams
        func matrices(_ name: String) throws -> [PackedMatrix] {
            try (0..<streams.count - 1).map { index in
                try loader.matrix(
                    name, rows: index * width..<(index + 1) * width, of: (streams.count - 1) * width, columns: width)
            }
        }
        projections = try matrices("altup_proj.weight")
        unprojections = try matrices("altup_unembd_proj.weight")
        self.streams = streams
    }

    /// Makes the streams of the step from the hidden state, which has the embedding.
    package func begin(_ step: ModelStep, on lane: Lane) {
        let x = step.hidden(on: lane)
        lane.copy(x, into: step.stream(0))
        for (index, projection) in projections.enumerated() {
            let stream = step.stream(index + 1)
            lane.multiply(x, by: projection, into: stream, quantized: step.quantized)
            lane.match(stream, toLengthOf: x)
        }
    }

    /// Makes the hidden state from the streams of the step: their mean.
    package func end(_ step: ModelStep, on lane: Lane) {
        let x = step.hidden(on: lane)
        lane.copy(step.stream(0), into: x)
        for (index, unprojection) in unprojections.enumerated() {
            // Each in memory of its own: lanes that add one to their own rows do not wait for each other.
            let part = step.predictions.columns(from: index * x.width, width: x.width)
            lane.multiply(step.stream(index + 1), by: unprojection, into: part, quantized: step.quantized)
            lane.match(part, toLengthOf: step.stream(streams.active))
            lane.add(part, to: x)
        }
        lane.scale(x, by: 1 / Float(streams.count))
    }
}

/// The prediction and correction of the streams by a layer.
package struct AltUpLayer: Sendable {
    /// `[width]`; includes the factor of the router's input.
    private let routerNorm: AlignedBuffer
    /// `[count, width]`
    private let router: PackedMatrix
    /// `[count · count, count]`
    private let prediction: PackedMatrix
    /// `[count, count]`
    private let correction: PackedMatrix
    /// `[width]`
    private let scale: AlignedBuffer
    private let streams: AltUpStreams
    private let epsilon: Float

    package init(_ loader: ModelLoader, layer index: Int) throws {
        let hyper = loader.hyperparameters
        let name = "blk.\(index).altup_"
        let count = hyper.streams.count
        routerNorm = try loader.vector(
            name + "router_norm.weight", count: hyper.width, times: 1 / Float(hyper.width))
        router = try loader.matrix(name + "router.weight", rows: count, columns: hyper.width)
        prediction = try loader.matrix(name + "predict_coef.weight", rows: count * count, columns: count)
        correction = try loader.matrix(name + "correct_coef.weight", rows: count, columns: count)
        scale = try loader.vector(name + "correct_scale.weight", count: hyper.width)
        streams = hyper.streams
        epsilon = hyper.epsilon
    }

    /// Predicts the streams, and writes the active one's prediction to the hidden state.
    package func predict(_ step: ModelStep, on lane: Lane) {
        route(step.stream(streams.active), step, on: lane)
        lane.multiply(step.modalities, by: prediction, into: step.coefficients, quantized: step.quantized)
        lane.predict(step.streams, by: step.coefficients, count: streams.count, into: step.predictions)
        let width = step.branch.width
        lane.copy(
            step.predictions.columns(from: streams.active * width, width: width), into: step.hidden(on: lane))
    }

    /// Corrects the predictions by the hidden state, and writes the active stream, scaled, to `scaled`.
    package func correct(_ step: ModelStep, scaled: FloatRows, on lane: Lane) {
        let x = step.hidden(on: lane)
        let coefficients = step.coefficients.columns(from: 0, width: streams.count)
        route(x, step, on: lane)
        lane.multiply(step.modalities, by: correction, into: coefficients, quantized: step.quantized)
        lane.correct(step.predictions, to: x, by: coefficients, active: streams.active, into: step.streams)
        lane.multiply(step.stream(streams.active), byColumns: scale, into: scaled)
    }

    /// Computes how much of each stream a row consists of.
    private func route(_ x: FloatRows, _ step: ModelStep, on lane: Lane) {
        let inner = step.inner(on: lane)
        lane.normalize(x, weight: routerNorm, epsilon: epsilon, into: inner)
        lane.multiply(inner, by: router, into: step.modalities, quantized: step.quantized)
        lane.limit(step.modalities, by: 1)
    }
}
