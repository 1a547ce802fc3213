// SPDX-License-Identifier: Apache-2.0

import ParleyEngine
import ParleyModelFile
import ParleyRuntime
import ParleySystem
import ParleyTesting
import ParleyTokenizer

/// Almost valid headers of model files. A file that opens is read in full, and no offset in it leads outside of the
/// file.
struct HeaderFuzz: FuzzSubject {
    static let name = "headers"

    private struct Seed: Sendable {
        var header: [UInt8]
        var fields: [Range<Int>]
        var size: Int
    }

    private let seeds: [Seed]

    init() throws {
        var seeds: [Seed] = []
        for architecture in TinyArchitecture.all {
            var model = TinyModel(architecture)
            model.width = 32
            model.feedForward = 32
            model.headDim = 8
            for part in [model.writer()] + model.writer().split(tensorsPerPart: 12).prefix(1) {
                let (bytes, fields) = part.encodedWithFields()
                let length = try GGUFFile.headerLength(
                    in: bytes[...], of: ByteSize(clamping: bytes.count), name: "seed")
                guard let length else { throw FuzzFailure("The seed \(architecture.name) has no header.") }
                // Only a few of the many lengths and scores of tokens are changed.
                let early = fields.filter { $0.upperBound <= length }
                let sparse = early.enumerated().filter { index, _ in
                    early.count < 400 || index < 60 || index > early.count - 150 || index.isMultiple(of: 20)
                }
                seeds.append(Seed(header: Array(bytes[..<length]), fields: sparse.map(\.element), size: bytes.count))
            }
        }
        self.seeds = seeds
    }

    func run(_ random: inout SplitMix64) throws {
        let seed = random.pick(seeds)
        var bytes = seed.header
        for _ in 0..<random.int(1...4) {
            let field = random.pick(seed.fields)
            let number =
                switch random.int(0...5) {
                case 0, 1: UInt64(random.int(0...40))
                case 2: Self.size(nearTheEndOf: bytes.count - field.upperBound, &random)
                default: random.hostileInteger()
                }
            let stored = withUnsafeBytes(of: number.littleEndian) { Array($0.prefix(field.count)) }
            bytes.replaceSubrange(field, with: stored)
        }
        if random.oneIn(4) { bytes = random.mutated(bytes) }
        if random.oneIn(16) { bytes.removeSubrange(random.int(0...bytes.count - 1)...) }
        let size =
            switch random.int(0...5) {
            case 0: ByteSize(clamping: random.hostileInteger())
            case 1: ByteSize.limit
            default: ByteSize(clamping: seed.size)
            }
        do {
            if let length = try GGUFFile.headerLength(in: bytes[...], of: size, name: "fuzz"), length > bytes.count {
                throw FuzzFailure("The header ends at \(length) of \(bytes.count) bytes.")
            }
            let file = try GGUFFile(beginnings: [(bytes[...], size)], name: "fuzz")
            try check(file, size: max(size.count, bytes.count), &random)
        } catch is ModelFileError {
            return
        }
    }

    /// A count, length or offset that just reaches the end or just does not, or whose product with the size of an element
    /// is beyond all numbers.
    private static func size(nearTheEndOf rest: Int, _ random: inout SplitMix64) -> UInt64 {
        let element = UInt64(random.pick([1, 2, 4, 8, 12, 18, 25, 32, 34, 256]))
        let whole = random.pick([UInt64(max(rest, 0)), 1 << 50, 1 << 62, 1 << 63, .max])
        return whole / element &+ UInt64(bitPattern: Int64(random.int(-2...2)))
    }

    private func check(_ file: GGUFFile, size: Int, _ random: inout SplitMix64) throws {
        for tensor in file.tensors {
            guard tensor.byteRange.lowerBound >= 0, tensor.byteRange.upperBound <= size, tensor.elementCount > 0 else {
                throw FuzzFailure("The tensor \(tensor.name) lies at \(tensor.byteRange) of \(size) bytes.")
            }
            _ = try? tensor.type
            _ = tensor.typeName
            _ = try? file.withBytes(of: tensor) { ($0.first, $0.last) }
        }
        for key in file.metadata.keys {
            guard let value = file.metadata[key] else { throw FuzzFailure("The key \(key) has no value.") }
            _ = (value.label, value.integer, value.unsigned, value.float, value.bool, value.string, value.bools)
            if value.count < 64 { _ = (value.integers, value.floats, value.strings, value.description) }
            _ = try? file.metadata.integers(key, count: random.int(0...8))
            _ = try? file.metadata.string(key)
        }
        guard (0...ByteSize.limit.count).contains(file.parameterCount) else {
            throw FuzzFailure("All tensors have \(file.parameterCount) elements.")
        }
        _ = (file.modelName, file.license)
        _ = (file.chatTemplate, file.chatTemplateNames, file.samplingDefaults, file.quantization, file.byteCount)
        if let description = try? file.tokenizerDescription() {
            let ids = [description.beginningOfText, description.endOfText, description.endOfTurn, description.unknown]
            for id in ids.compactMap(\.self) where id < 0 || id >= description.tokens.count {
                throw FuzzFailure("The token \(id) is none of \(description.tokens.count).")
            }
        }
        guard let plan = try? MemoryPlan(file, threads: random.int(1...64)) else { return }
        let context = Int(truncatingIfNeeded: random.hostileInteger())
        let total = plan.total(context: context)
        guard plan.weights >= 0, plan.scratch(context: context) >= 0, plan.program > 0, total >= plan.weights else {
            throw FuzzFailure("The plan \(plan) takes \(total) bytes for \(context) tokens.")
        }
        let budget = Int(truncatingIfNeeded: random.hostileInteger())
        if let fitting = plan.largestContext(within: budget, limit: context),
            !plan.total(context: fitting).fits(into: budget)
        {
            throw FuzzFailure("A context of \(fitting) does not fit into \(budget) bytes.")
        }
    }
}
