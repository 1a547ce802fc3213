// SPDX-License-Identifier: Apache-2.0

import CParleyKernels

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

extension Lane {
    /// Chooses the experts of each row by the scores of a router, and sorts the rows by expert.
    ///
    /// The weights of a row's experts add up to `factor`.
    ///
    /// - Parameters:
    ///   - scores: the router's output `[rows, experts]`, shared by the lanes; it becomes probabilities.
    ///   - gating: how scores become probabilities.
    ///   - bias: is added to the probabilities for the choice alone, `[experts]`.
    ///   - factor: multiplies the weights.
    ///   - factors: multiply the weights too, one for each expert, `[experts]`.
    ///   - routes: the result.
    package func route(
        _ scores: FloatRows, by gating: ExpertGating, bias: AlignedBuffer?, factor: Float,
        factors: AlignedBuffer? = nil, into routes: ExpertRoutes
    ) {
        divide(scores.count) { rows in
            for row in rows {
                route(scores.row(row), row, by: gating, bias: bias, factor: factor, factors: factors, into: routes)
            }
        }
        divide(1) { _ in routes.sort() }
    }

    /// Chooses the experts of one row; the scores become probabilities.
    func route(
        _ values: UnsafeMutablePointer<Float>, _ row: Int, by gating: ExpertGating, bias: AlignedBuffer?, factor: Float,
        factors: AlignedBuffer?, into routes: ExpertRoutes
    ) {
        switch gating {
        case .softmax:
            var sum: Float = 0
            kernels.pointee.softmax_parts(nil, 1, values, &sum, routes.experts)
            for expert in 0..<routes.experts { values[expert] /= sum }
        case .sigmoid:
            for expert in 0..<routes.experts { values[expert] = 1 / (1 + exp(-values[expert])) }
        }
        choose(values, bias?.floats, factor, row, routes)
        guard let factors else { return }
        for place in row * routes.used..<(row + 1) * routes.used {
            routes.weights[place] *= factors.floats[Int(routes.choices[place])]
        }
    }

    /// Chooses the likeliest experts of a row, and their weights.
    private func choose(
        _ probabilities: UnsafeMutablePointer<Float>, _ bias: UnsafeMutablePointer<Float>?, _ factor: Float, _ row: Int,
        _ routes: ExpertRoutes
    ) {
        let choices = routes.choices + row * routes.used
        let weights = routes.weights + row * routes.used
        for rank in 0..<routes.used {
            var best = -1
            var highest = -Float.infinity
            for expert in 0..<routes.experts {
                let value = probabilities[expert] + (bias?[expert] ?? 0)
                guard value > highest || best < 0 else { continue }
                if (0..<rank).contains(where: { choices[$0] == expert }) { continue }
                (best, highest) = (expert, value)
            }
            choices[rank] = Int32(best)
            weights[rank] = probabilities[best]
        }
        var sum: Float = 0
        for rank in 0..<routes.used { sum += weights[rank] }
        // The smallest normal number of 16 bits, as a bound for sums that are nearly 0.
        sum = max(sum, 0x1p-14)
        for rank in 0..<routes.used { weights[rank] = weights[rank] / sum * factor }
    }

    /// Copies the rows of `x` to their slots, `[slots, width]`.
    package func gather(_ x: FloatRows, by routes: ExpertRoutes, into y: FloatRows) {
        forEachRow(of: y) { slot in y.row(slot).update(from: x.row(Int(routes.sources[slot])), count: x.width) }
    }

    /// Multiplies each slot of `x` by its expert's part of two matrices.
    ///
    /// - Parameters:
    ///   - x: the input `[slots, columns]`, shared by the lanes.
    ///   - w: the weights of all experts, one after the other; each expert's rows fill whole panels.
    ///   - y: the outputs `[slots, rows of an expert]`, shared by the lanes.
    ///   - routes: the slots of each expert.
    ///   - quantized: memory for ``quantizedRows(slots:experts:)`` rows.
    package func multiply(
        _ x: FloatRows, byExpertsOf w: (PackedMatrix, PackedMatrix), into y: (FloatRows, FloatRows),
        routes: ExpertRoutes, quantized: QuantizedRows
    ) {
        multiply(x, byExpertsOf: w, into: y, count: 2, routes, quantized)
    }

    /// Multiplies each slot of `x` by its expert's part of a matrix.
    package func multiply(
        _ x: FloatRows, byExpertsOf w: PackedMatrix, into y: FloatRows, routes: ExpertRoutes, quantized: QuantizedRows
    ) {
        multiply(x, byExpertsOf: (w, w), into: (y, y), count: 1, routes, quantized)
    }

    /// The rows for which quantised slots need memory: those of each expert begin at a multiple of 64 bytes.
    package static func quantizedRows(slots: Int, experts: Int) -> Int { slots + 2 * (experts + 1) }

    private func multiply(
        _ x: FloatRows, byExpertsOf w: (PackedMatrix, PackedMatrix), into y: (FloatRows, FloatRows), count: Int,
        _ routes: ExpertRoutes, _ quantized: QuantizedRows
    ) {
        let memory = quantized.buffer.pointer
        let rowBytes = QuantizedRows.byteCount(count: 1, columns: x.width)
        func activations(_ expert: Int) -> UnsafeMutableRawPointer {
            memory + (routes.range(of: expert).lowerBound * rowBytes + 64 * expert + 63) / 64 * 64
        }
        let experts = routes.experts
        if w.0.takesBlocks || w.1.takesBlocks {
            divide(parts: experts, total: { routes.count(of: $0) }) { expert, rows in
                let slots = routes.range(of: expert)
                kernels.pointee.quantize(
                    x.row(slots.lowerBound), x.stride, x.width, activations(expert), slots.count, rows.lowerBound,
                    rows.upperBound)
            }
        }
        let (first, second) = (w.0.kernelMatrix, w.1.kernelMatrix)
        let quantizes = (w.0.takesBlocks, w.1.takesBlocks)
        let rows = first.rows / experts
        let panels = rows / Int(PARLEY_PANEL_ROWS)
        divide(
            parts: count * experts, total: { routes.count(of: $0 % experts) == 0 ? 0 : panels }, chunksPerLane: 8
        ) { part, range in
            let expert = part % experts
            let slots = routes.range(of: expert)
            let isFirst = part < experts
            let whole = isFirst ? first : second
            let target = isFirst ? y.0 : y.1
            let skipped = expert * panels * parley_panel_bytes(whole.type, whole.columns)
            var matrix = parley_matrix(
                panels: whole.panels + skipped, type: whole.type, rows: rows, columns: whole.columns)
            if isFirst ? quantizes.0 : quantizes.1 {
                kernels.pointee.matmul(
                    &matrix, activations(expert), slots.count, target.row(slots.lowerBound), target.stride,
                    range.lowerBound, range.upperBound, work)
            } else {
                kernels.pointee.matmul_float(
                    &matrix, x.row(slots.lowerBound), x.stride, slots.count, target.row(slots.lowerBound),
                    target.stride, range.lowerBound, range.upperBound, work)
            }
        }
    }

    /// Adds to each slot of `y` its expert's part of a vector, `[experts, y.width]`.
    package func add(_ bias: AlignedBuffer, byExpertsOf routes: ExpertRoutes, to y: FloatRows) {
        divide(parts: routes.experts, total: { routes.count(of: $0) }) { expert, rows in
            let first = routes.range(of: expert).lowerBound
            for row in rows { kernels.pointee.add(bias.floats + expert * y.width, y.row(first + row), y.width) }
        }
    }

    /// Adds up the slots of each row, `[slots, width]`, by their weights; the likeliest expert's comes first. The slots
    /// are scaled in place.
    package func combine(_ slots: FloatRows, by routes: ExpertRoutes, into y: FloatRows) {
        divide(y.count) { rows in
            for row in rows { y.row(row).update(from: sum(slots, ofRow: row, routes), count: y.width) }
        }
    }

    /// Adds the sum of each row's slots to `y`; see ``combine(_:by:into:)``.
    package func combine(_ slots: FloatRows, by routes: ExpertRoutes, addingTo y: FloatRows) {
        divide(y.count) { rows in
            for row in rows { kernels.pointee.add(sum(slots, ofRow: row, routes), y.row(row), y.width) }
        }
    }

    /// Adds up a row's slots, in the memory of the first of them.
    private func sum(_ slots: FloatRows, ofRow row: Int, _ routes: ExpertRoutes) -> UnsafeMutablePointer<Float> {
        let choices = row * routes.used..<(row + 1) * routes.used
        let total = slots.row(Int(routes.slots[choices.lowerBound]))
        for choice in choices {
            let part = slots.row(Int(routes.slots[choice]))
            kernels.pointee.scale(routes.weights[choice], part, slots.width)
            if part != total { kernels.pointee.add(part, total, slots.width) }
        }
        return total
    }
}
