// SPDX-License-Identifier: Apache-2.0

/// The types whose scales are searched for: Q4_K, Q5_K and Q6_K, to the bit as ggml does it without an importance matrix.
///
/// A block of 256 numbers has one or two halves as scales, and parts of it multiples of them in 6 or 8 bits. For each part
/// several scales are tried, and the one is kept whose weighted squared error is the smallest; the order of the sums is
/// ggml's, since their rounding decides between scales that are almost as good.
enum ScaleSearch {
    /// Writes one block of Q4_K or Q5_K: parts of 32 with a scale and a minimum.
    ///
    /// - Parameters:
    ///   - numbers: 256 numbers.
    ///   - bits: 4 or 5.
    ///   - bytes: receives the block.
    static func ranged(
        _ numbers: UnsafeBufferPointer<Float>, bits: Int, into bytes: UnsafeMutableRawBufferPointer
    ) {
        let most = 1 << bits - 1
        var levels = [Int](repeating: 0, count: 256)
        var (scales, minimums) = ([Float](repeating: 0, count: 8), [Float](repeating: 0, count: 8))
        for part in 0..<8 {
            let range = part * 32..<part * 32 + 32
            let found = rangedPart(
                UnsafeBufferPointer(rebasing: numbers[range]), most: most, first: bits == 4 ? -1 : -0.5,
                steps: bits == 4 ? 20 : 15)
            levels.replaceSubrange(range, with: found.levels)
            (scales[part], minimums[part]) = (found.scale, found.minimum)
        }
        let largestScale = scales.reduce(0) { $1 > $0 ? $1 : $0 }
        let largestMinimum = minimums.reduce(0) { $1 > $0 ? $1 : $0 }
        let (scale, minimum) = (TensorType.half(largestScale / 63), TensorType.half(largestMinimum / 63))
        bytes.storeBytes(of: scale.littleEndian, as: UInt16.self)
        bytes.storeBytes(of: minimum.littleEndian, toByteOffset: 2, as: UInt16.self)
        let inverseScale = largestScale > 0 ? 63 / largestScale : 0
        let inverseMinimum = largestMinimum > 0 ? 63 / largestMinimum : 0
        for index in 4..<16 { bytes[index] = 0 }
        for part in 0..<8 {
            let partScale = min(63, UInt8(truncatingIfNeeded: nearest(inverseScale * scales[part])))
            let partMinimum = min(63, UInt8(truncatingIfNeeded: nearest(inverseMinimum * minimums[part])))
            if part < 4 {
                bytes[4 + part] = partScale
                bytes[8 + part] = partMinimum
            } else {
                bytes[8 + part] = partScale & 15 | (partMinimum & 15) << 4
                bytes[part] |= (partScale >> 4) << 6
                bytes[4 + part] |= (partMinimum >> 4) << 6
            }
            let step = Float(half: scale) * Float(partScale)
            let offset = Float(half: minimum) * Float(partMinimum)
            if step == 0 { continue }
            for index in part * 32..<part * 32 + 32 {
                levels[index] = min(max(nearest((numbers[index] + offset) / step), 0), most)
            }
        }
        pack(levels, bits: bits, into: bytes)
    }

    /// Writes the levels of Q4_K and Q5_K: the fifth bits, then pairs of parts as the halves of bytes.
    private static func pack(_ levels: [Int], bits: Int, into bytes: UnsafeMutableRawBufferPointer) {
        let start = bits == 5 ? 48 : 16
        for index in 16..<start { bytes[index] = 0 }
        for pair in 0..<4 {
            for index in 0..<32 {
                let (low, high) = (levels[pair * 64 + index], levels[pair * 64 + 32 + index])
                bytes[start + pair * 32 + index] = UInt8(low & 15 | (high & 15) << 4)
                if bits == 5 { bytes[16 + index] |= UInt8((low >> 4 | (high >> 4) << 1) << (pair * 2)) }
            }
        }
    }

    /// The scale, the negated minimum and the levels of a part.
    private static func rangedPart(
        _ numbers: UnsafeBufferPointer<Float>, most: Int, first: Float, steps: Int
    ) -> (scale: Float, minimum: Float, levels: [Int]) {
        var squares: Float = 0
        for number in numbers { squares += number * number }
        let mean = (squares / Float(numbers.count)).squareRoot()
        let weights = numbers.map { mean + abs($0) }
        var (low, high) = (numbers[0], numbers[0])
        var sumOfWeights = weights[0]
        var sumOfNumbers = sumOfWeights * numbers[0]
        for index in 1..<numbers.count {
            if numbers[index] < low { low = numbers[index] }
            if numbers[index] > high { high = numbers[index] }
            sumOfWeights += weights[index]
            sumOfNumbers += weights[index] * numbers[index]
        }
        if low > 0 { low = 0 }
        var levels = [Int](repeating: 0, count: numbers.count)
        if high == low { return (0, -low, levels) }
        let range = high - low
        func level(_ index: Int, _ inverse: Float, above low: Float) -> Int {
            min(max(nearest(inverse * (numbers[index] - low)), 0), most)
        }
        func error(_ levels: [Int], _ scale: Float, _ minimum: Float) -> Float {
            var sum: Float = 0
            for index in numbers.indices {
                let difference = scale * Float(levels[index]) + minimum - numbers[index]
                sum += weights[index] * (difference * difference)
            }
            return sum
        }
        let start = low
        let inverse = Float(most) / range
        var scale = 1 / inverse
        for index in numbers.indices { levels[index] = level(index, inverse, above: start) }
        var best = error(levels, scale, low)
        var tried = levels
        for step in 0...steps {
            // After a better scale was found, its minimum is the one that numbers are measured from.
            let inverse = (first + 0.1 * Float(step) + Float(most)) / (high - low)
            var (sum, sumOfSquares, sumOfProducts): (Float, Float, Float) = (0, 0, 0)
            for index in numbers.indices {
                let found = level(index, inverse, above: low)
                tried[index] = found
                let weight = weights[index]
                sum += weight * Float(found)
                sumOfSquares += weight * Float(found) * Float(found)
                sumOfProducts += weight * Float(found) * numbers[index]
            }
            let determinant = sumOfWeights * sumOfSquares - sum * sum
            guard determinant > 0 else { continue }
            var triedScale = (sumOfWeights * sumOfProducts - sumOfNumbers * sum) / determinant
            var triedMinimum = (sumOfSquares * sumOfNumbers - sum * sumOfProducts) / determinant
            if triedMinimum > 0 {
                triedMinimum = 0
                triedScale = sumOfProducts / sumOfSquares
            }
            let triedError = error(tried, triedScale, triedMinimum)
            if triedError < best {
                levels = tried
                (best, scale, low) = (triedError, triedScale, triedMinimum)
            }
        }
        return (scale, -low, levels)
    }

    /// Writes one block of Q6_K: parts of 16 with a scale, around zero.
    ///
    /// - Parameters:
    ///   - numbers: 256 numbers.
    ///   - bytes: receives the block.
    static func symmetric(_ numbers: UnsafeBufferPointer<Float>, into bytes: UnsafeMutableRawBufferPointer) {
        var levels = [Int](repeating: 0, count: 256)
        var scales = [Float](repeating: 0, count: 16)
        var largest: Float = 0
        for part in 0..<16 {
            let range = part * 16..<part * 16 + 16
            let found = symmetricPart(UnsafeBufferPointer(rebasing: numbers[range]))
            levels.replaceSubrange(range, with: found.levels)
            scales[part] = found.scale
            if abs(found.scale) > abs(largest) { largest = found.scale }
        }
        guard abs(largest) >= smallest else {
            for index in 0..<TensorType.q6_K.blockBytes { bytes[index] = 0 }
            return
        }
        let inverse = -128 / largest
        let scale = TensorType.half(1 / inverse)
        bytes.storeBytes(of: scale.littleEndian, toByteOffset: 208, as: UInt16.self)
        for part in 0..<16 {
            let partScale = Int8(truncatingIfNeeded: min(127, nearest(inverse * scales[part])))
            bytes[192 + part] = UInt8(bitPattern: partScale)
            let step = Float(half: scale) * Float(partScale)
            if step == 0 { continue }
            for index in part * 16..<part * 16 + 16 {
                levels[index] = min(max(nearest(numbers[index] / step), -32), 31) + 32
            }
        }
        for half in 0..<2 {
            for index in 0..<32 {
                let quarters = (0..<4).map { levels[half * 128 + $0 * 32 + index] }
                bytes[half * 64 + index] = UInt8(quarters[0] & 15 | (quarters[2] & 15) << 4)
                bytes[half * 64 + 32 + index] = UInt8(quarters[1] & 15 | (quarters[3] & 15) << 4)
                bytes[128 + half * 32 + index] = UInt8(
                    quarters[0] >> 4 | (quarters[1] >> 4) << 2 | (quarters[2] >> 4) << 4 | (quarters[3] >> 4) << 6)
            }
        }
    }

    /// What is too small to have a scale.
    private static let smallest: Float = 1e-15

    private static func symmetricPart(_ numbers: UnsafeBufferPointer<Float>) -> (scale: Float, levels: [Int]) {
        var (largest, extreme): (Float, Float) = (0, 0)
        for number in numbers where abs(number) > largest { (largest, extreme) = (abs(number), number) }
        guard largest >= smallest else { return (0, Array(repeating: 0, count: numbers.count)) }
        func level(_ index: Int, _ inverse: Float) -> Int { min(max(nearest(inverse * numbers[index]), -32), 31) }
        func sums(_ inverse: Float) -> (products: Float, squares: Float) {
            var (products, squares): (Float, Float) = (0, 0)
            for index in numbers.indices {
                let weight = numbers[index] * numbers[index]
                let found = Float(level(index, inverse))
                products += weight * numbers[index] * found
                squares += weight * found * found
            }
            return (products, squares)
        }
        func levels(_ inverse: Float) -> [Int] { numbers.indices.map { level($0, inverse) + 32 } }
        let start = -32 / extreme
        var result = levels(start)
        let first = sums(start)
        var scale = first.squares != 0 ? first.products / first.squares : 0
        var best = scale * first.products
        for step in -9...9 where step != 0 {
            let inverse = -(32 + 0.1 * Float(step)) / extreme
            let found = sums(inverse)
            if found.squares > 0, found.products * found.products > best * found.squares {
                result = levels(inverse)
                scale = found.products / found.squares
                best = scale * found.products
            }
        }
        return (scale, result)
    }

    /// The nearest whole number, of two the even one; what is out of range, or no number, becomes some number.
    private static func nearest(_ number: Float) -> Int {
        let whole = number.rounded(.toNearestOrEven)
        return abs(whole) < 4_194_304 ? Int(whole) : 0
    }
}
