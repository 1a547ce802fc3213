// SPDX-License-Identifier: Apache-2.0

import ParleyModelFile
import ParleyRuntime

/// Almost valid headers of safetensors files. The tensors of a file that opens fill it without gap and overlap.
struct SafetensorsFuzz: FuzzSubject {
    static let name = "safetensors"

    private static let types = ["F32", "BF16", "F16", "U8", "I64", "F8_E4M3", "BOOL", "F4", "f32", ""]
    private static let pieces = [
        "{", "}", "[", "]", ",", ":", "\"", "0", "-1", "1e3", "18446744073709551615", "\\u0061",
    ]

    init() throws {}

    func run(_ random: inout SplitMix64) throws {
        var members: [String] = []
        var offset = 0
        for number in 0..<random.int(0...4) {
            let shape = (0..<random.int(0...4)).map { _ in random.int(0...4) }
            let type = random.oneIn(6) ? random.pick(Self.types) : "F32"
            let count = random.oneIn(8) ? random.int(0...64) : shape.reduce(4, *)
            let start = random.oneIn(12) ? Int(truncatingIfNeeded: random.hostileInteger()) : offset
            let sizes = shape.map { random.oneIn(16) ? "\(random.hostileInteger())" : "\($0)" }.joined(separator: ",")
            members.append(
                "\"t\(random.oneIn(12) ? 0 : number)\":{\"dtype\":\"\(type)\",\"shape\":[\(sizes)],"
                    + "\"data_offsets\":[\(start),\(start &+ count)]}")
            offset += count
        }
        if random.oneIn(3) { members.insert("\"__metadata__\":{\"format\":\"pt\"}", at: 0) }
        var header = Array("{\(members.joined(separator: ","))}".utf8)
        if random.oneIn(3) { header = random.mutated(header, with: Self.pieces.map { Array($0.utf8) }) }
        let length = random.oneIn(12) ? random.hostileInteger() : UInt64(header.count)
        var bytes = withUnsafeBytes(of: length.littleEndian) { Array($0) } + header
        bytes += [UInt8](repeating: 0, count: random.oneIn(8) ? random.int(0...64) : offset)
        do {
            let file = try SafetensorsFile(bytes: bytes[...], name: "fuzz")
            var filled = 8 + Int(length)
            for tensor in file.tensors {
                guard tensor.byteRange.lowerBound == filled, tensor.byteRange.upperBound <= bytes.count else {
                    throw FuzzFailure("The tensor \(tensor.name) lies at \(tensor.byteRange) of \(bytes.count) bytes.")
                }
                filled = tensor.byteRange.upperBound
                _ = try file.withBytes(of: tensor) { ($0.first, $0.last) }
            }
            guard filled == bytes.count else { throw FuzzFailure("\(bytes.count - filled) bytes are no tensor's.") }
        } catch is ModelFileError {
            return
        }
    }
}
