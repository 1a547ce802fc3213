// SPDX-License-Identifier: Apache-2.0

import CParleyKernels
import Foundation
import ParleyRuntime
import ParleyTensor
import Testing

@Suite("Experts")
struct ExpertTests {
    private static let (rows, used, experts, width, expertWidth) = (9, 3, 7, 64, 96)

    /// Scores of a router and rows, and what the experts make of them.
    private struct Layer {
        let pool: WorkerPool
        let isLong: Bool
        let scores: AlignedBuffer
        let input: AlignedBuffer
        let routeMemory: AlignedBuffer
        var routes: ExpertRoutes {
            ExpertRoutes(pointer: routeMemory.floats, rows: rows, used: used, experts: experts)
        }

        init(lanes: Int, isLong: Bool) throws {
            var random = SplitMix64(seed: 5)
            pool = WorkerPool(lanes: lanes)
            self.isLong = isLong
            func buffer(_ count: Int) throws -> AlignedBuffer {
                let buffer = try AlignedBuffer(byteCount: count * 4)
                for index in 0..<count { buffer.floats[index] = Float.random(in: -2...2, using: &random) }
                return buffer
            }
            scores = try buffer(rows * experts)
            input = try buffer(rows * width)
            routeMemory = try AlignedBuffer(
                byteCount: 4 * ExpertRoutes.floatCount(rows: rows, used: used, experts: experts))
        }

        func route(_ gating: ExpertGating = .softmax, bias: AlignedBuffer? = nil, factor: Float = 1) -> [Float] {
            let scores = FloatRows(pointer: scores.floats, count: rows, width: experts)
            pool.run(isLong: isLong) { lane in
                lane.route(scores, by: gating, bias: bias, factor: factor, into: routes)
            }
            return Array(UnsafeBufferPointer(start: scores.pointer, count: rows * experts))
        }

        /// What the experts of all rows make of them together; with `adding`, added to 0.5.
        func feedForward(
            _ gate: PackedMatrix, _ up: PackedMatrix, _ down: PackedMatrix, adding: Bool
        ) throws -> [Float] {
            let slots = rows * used
            let inner = try AlignedBuffer(zeroedFloats: slots * width)
            let hidden = try AlignedBuffer(zeroedFloats: 2 * slots * expertWidth)
            let output = try AlignedBuffer(zeroedFloats: rows * width)
            output.floats.update(repeating: 0.5, count: rows * width)
            let quantized = try QuantizedRows(
                count: Lane.quantizedRows(slots: slots, experts: experts), columns: max(width, expertWidth))
            _ = route()
            pool.run(isLong: isLong) { lane in
                let x = FloatRows(pointer: input.floats, count: rows, width: width)
                let y = FloatRows(pointer: output.floats, count: rows, width: width)
                let gathered = FloatRows(pointer: inner.floats, count: slots, width: width)
                let gated = FloatRows(pointer: hidden.floats, count: slots, width: expertWidth)
                let linear = FloatRows(
                    pointer: hidden.floats + slots * expertWidth, count: slots, width: expertWidth)
                lane.gather(x, by: routes, into: gathered)
                lane.multiply(
                    gathered, byExpertsOf: (gate, up), into: (gated, linear), routes: routes, quantized: quantized)
                lane.activate(gated, up: linear, with: .silu, into: gated)
                lane.multiply(gated, byExpertsOf: down, into: gathered, routes: routes, quantized: quantized)
                if adding {
                    lane.combine(gathered, by: routes, addingTo: y)
                } else {
                    lane.combine(gathered, by: routes, into: y)
                }
            }
            return withExtendedLifetime((inner, hidden)) {
                Array(UnsafeBufferPointer(start: output.floats, count: rows * width))
            }
        }

        /// The rows of the slots multiplied by their experts' weights, put together by row.
        func combined(_ matrix: PackedMatrix) throws -> [Float] {
            let slots = rows * used
            let gathered = try AlignedBuffer(byteCount: slots * width * 4)
            let products = try AlignedBuffer(byteCount: slots * expertWidth * 4)
            let output = try AlignedBuffer(byteCount: rows * expertWidth * 4)
            let quantized = try QuantizedRows(
                count: Lane.quantizedRows(slots: slots, experts: experts), columns: width)
            let x = FloatRows(pointer: input.floats, count: rows, width: width)
            let y = FloatRows(pointer: products.floats, count: slots, width: expertWidth)
            let result = FloatRows(pointer: output.floats, count: rows, width: expertWidth)
            pool.run(isLong: isLong) { lane in
                let rows = FloatRows(pointer: gathered.floats, count: slots, width: width)
                lane.gather(x, by: routes, into: rows)
                lane.multiply(rows, byExpertsOf: matrix, into: y, routes: routes, quantized: quantized)
                lane.combine(y, by: routes, into: result)
            }
            return withExtendedLifetime((gathered, products, output)) {
                Array(UnsafeBufferPointer(start: output.floats, count: rows * expertWidth))
            }
        }
    }

    private static func weights(
        _ type: parley_type, expert: Int? = nil, rows expertRows: Int = expertWidth, columns: Int = width,
        seed: UInt64 = 6
    ) throws -> PackedMatrix {
        var random = SplitMix64(seed: seed)
        let count = experts * expertRows * columns
        var bytes: [UInt8] = []
        if type == PARLEY_F32 {
            bytes = (0..<count).flatMap { _ in
                withUnsafeBytes(of: Float.random(in: -1...1, using: &random)) { Array($0) }
            }
        } else {
            for _ in 0..<count / 32 {
                bytes += [0, 0x20] + (0..<32).map { _ in UInt8.random(in: 0...255, using: &random) }
            }
        }
        let part = bytes.count / experts
        if let expert { bytes = Array(bytes[expert * part..<(expert + 1) * part]) }
        let rows = expert == nil ? experts * expertRows : expertRows
        return try bytes.withUnsafeBytes {
            try #require(
                try PackedMatrix(
                    type: type.matrixType, rows: rows, columns: columns, source: $0, pool: WorkerPool(lanes: 1)))
        }
    }

    @Test("each row goes to its likeliest experts, whose weights add up to the factor", arguments: [1, 3])
    func routes(lanes: Int) throws {
        let layer = try Layer(lanes: lanes, isLong: lanes > 1)
        let probabilities = layer.route(factor: 2.5)
        for row in 0..<Self.rows {
            let own = probabilities[row * Self.experts..<(row + 1) * Self.experts]
            #expect(abs(own.reduce(0, +) - 1) < 1e-5)
            let likeliest = own.indices.sorted { own[$0] > own[$1] }.prefix(Self.used).map { $0 - own.startIndex }
            #expect(layer.routes.choices(of: row) == likeliest)
            #expect(abs(layer.routes.weights(of: row).reduce(0, +) - 2.5) < 1e-5)
        }
        withExtendedLifetime(layer) {}
    }

    @Test("a bias changes which experts are chosen, not how much they count")
    func biasesChoice() throws {
        let layer = try Layer(lanes: 1, isLong: false)
        let bias = try AlignedBuffer(zeroedFloats: Self.experts)
        bias.floats[4] = 10
        let probabilities = layer.route(.sigmoid, bias: bias)
        for row in 0..<Self.rows {
            let choices = layer.routes.choices(of: row)
            #expect(choices.first == 4)
            let own = choices.map { probabilities[row * Self.experts + $0] }
            let sum = own.reduce(0, +)
            for (weight, probability) in zip(layer.routes.weights(of: row), own) {
                #expect(abs(weight - probability / sum) < 1e-6)
            }
        }
        withExtendedLifetime(layer) {}
    }

    @Test(
        "experts give the bits of their own products, however the work is divided",
        arguments: [PARLEY_F32.rawValue, PARLEY_Q8_0.rawValue], [(1, false), (3, false), (3, true)])
    func multiplies(type: UInt32, division: (lanes: Int, isLong: Bool)) throws {
        let type = parley_type(rawValue: type)
        let layer = try Layer(lanes: division.lanes, isLong: division.isLong)
        _ = layer.route()
        let found = try layer.combined(Self.weights(type))
        let quantized = try QuantizedRows(count: 1, columns: Self.width)
        let product = try AlignedBuffer(zeroedFloats: Self.expertWidth)
        let single = WorkerPool(lanes: 1)
        for row in 0..<Self.rows {
            var expected: [Float] = []
            for (choice, weight) in zip(layer.routes.choices(of: row), layer.routes.weights(of: row)) {
                let matrix = try Self.weights(type, expert: choice)
                let x = FloatRows(pointer: layer.input.floats + row * Self.width, count: 1, width: Self.width)
                let y = FloatRows(pointer: product.floats, count: 1, width: Self.expertWidth)
                try single.reserve(positions: 1, columns: Self.width)
                single.run { $0.multiply(x, by: matrix, into: y, quantized: quantized) }
                let scaled = (0..<Self.expertWidth).map { product.floats[$0] * weight }
                expected = expected.isEmpty ? scaled : zip(expected, scaled).map { $0 + $1 }
            }
            #expect(Array(found[row * Self.expertWidth..<(row + 1) * Self.expertWidth]) == expected)
        }
        withExtendedLifetime((layer, product)) {}
    }

    @Test(
        "a row alone has the bits that it has among others",
        arguments: [PARLEY_F32.rawValue, PARLEY_Q8_0.rawValue], [(1, false), (1, true), (3, false), (3, true)])
    func computesRowAlone(type: UInt32, way: (lanes: Int, adds: Bool)) throws {
        let (lanes, adds) = way
        let type = parley_type(rawValue: type)
        let layer = try Layer(lanes: 1, isLong: false)
        let (gate, up) = (try Self.weights(type), try Self.weights(type, seed: 7))
        let down = try Self.weights(type, rows: Self.width, columns: Self.expertWidth)
        // The scores are changed by routing.
        let scores = (0..<Self.rows * Self.experts).map { layer.scores.floats[$0] }
        let expected = try layer.feedForward(gate, up, down, adding: adds)
        let pool = WorkerPool(lanes: lanes)
        try pool.reserve(positions: 1, columns: Self.width)
        let (used, experts) = (Self.used, Self.experts)
        let routeBytes = 4 * ExpertRoutes.floatCount(rows: 1, used: used, experts: experts)
        let routeMemory = try (0..<lanes).map { _ in try AlignedBuffer(byteCount: routeBytes) }
        let own = try (0..<lanes).map { _ in try AlignedBuffer(zeroedFloats: experts + Self.expertWidth) }
        let row = try AlignedBuffer(zeroedFloats: experts)
        let hidden = try AlignedBuffer(zeroedFloats: 2 * used * Self.expertWidth)
        let parts = try AlignedBuffer(zeroedFloats: used * Self.width)
        let output = try AlignedBuffer(zeroedFloats: Self.width)
        for number in 0..<Self.rows {
            for expert in 0..<experts { row.floats[expert] = scores[number * experts + expert] }
            output.floats.update(repeating: adds ? 0.5 : .nan, count: Self.width)
            let scores = FloatRows(pointer: row.floats, count: 1, width: experts)
            let x = FloatRows(pointer: layer.input.floats + number * Self.width, count: 1, width: Self.width)
            let gated = FloatRows(pointer: hidden.floats, count: used, width: Self.expertWidth)
            let linear = FloatRows(
                pointer: hidden.floats + used * Self.expertWidth, count: used, width: Self.expertWidth)
            let sums = FloatRows(pointer: parts.floats, count: used, width: Self.width)
            let y = FloatRows(pointer: output.floats, count: 1, width: Self.width)
            pool.run { lane in
                let routes = ExpertRoutes(
                    pointer: routeMemory[lane.index].floats, rows: 1, used: used, experts: experts)
                let memory = own[lane.index].floats
                lane.routeAlone(scores, by: .softmax, bias: nil, factor: 1, probabilities: memory, into: routes)
                lane.multiply(x, byChosenOf: (gate, up), into: (gated, linear), routes: routes)
                lane.combine(
                    gated, up: linear, byChosenOf: down, gated: memory + experts, parts: sums, into: y, adds: adds,
                    routes: routes)
            }
            let found = Array(UnsafeBufferPointer(start: output.floats, count: Self.width))
            #expect(found == Array(expected[number * Self.width..<(number + 1) * Self.width]), "row \(number)")
        }
        withExtendedLifetime((layer, routeMemory, own, row, hidden, parts, output)) {}
    }
}
