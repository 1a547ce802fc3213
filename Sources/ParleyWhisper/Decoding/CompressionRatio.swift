// SPDX-License-Identifier: Apache-2.0

import Foundation

/// How many times smaller a text becomes when it is compressed; texts that repeat themselves become much smaller.
///
/// The size is that of zlib's method (RFC 1951) with the better of fixed and of fitting codes, estimated by the entropy of
/// its symbols and not written: only whether the ratio is above a threshold of about 2.4 matters.
package enum CompressionRatio {
    /// The ratio of a text; 1 for an empty one.
    package static func of(_ text: String) -> Double {
        let bytes = Array(text.utf8)
        guard !bytes.isEmpty else { return 1 }
        var literals: [Int: Int] = [256: 1]
        var distances: [Int: Int] = [:]
        var (extra, fixed) = (0, 7)
        var places: [Int: [Int]] = [:]
        var index = 0
        func key(_ at: Int) -> Int { Int(bytes[at]) << 16 | Int(bytes[at + 1]) << 8 | Int(bytes[at + 2]) }
        while index < bytes.count {
            var (length, distance) = (0, 0)
            if index + 3 <= bytes.count {
                for place in (places[key(index)] ?? []).suffix(128).reversed() {
                    var count = 3
                    while count < 258, index + count < bytes.count, bytes[place + count] == bytes[index + count] {
                        count += 1
                    }
                    if count > length { (length, distance) = (count, index - place) }
                }
            }
            let step = max(length, 1)
            if length == 0 {
                literals[Int(bytes[index]), default: 0] += 1
                fixed += bytes[index] < 144 ? 8 : 9
            } else {
                let (lengthCode, lengthBits) = code(length - 3, direct: 8, perBit: 4)
                let (distanceCode, distanceBits) = code(distance - 1, direct: 4, perBit: 2)
                literals[257 + lengthCode, default: 0] += 1
                distances[distanceCode, default: 0] += 1
                extra += lengthBits + distanceBits
                fixed += (lengthCode < 23 ? 7 : 8) + 5 + lengthBits + distanceBits
            }
            for place in index..<index + step where place + 3 <= bytes.count {
                places[key(place), default: []].append(place)
            }
            index += step
        }
        // A table of fitting codes takes a few bits for each symbol that occurs, and some for those that do not.
        let table = 4 * (literals.count + distances.count) + 160
        let fitting = entropy(literals) + entropy(distances) + Double(extra + table)
        return Double(bytes.count) / (6 + (min(Double(fixed), fitting) + 3) / 8)
    }

    /// The symbol of a length or distance, and the bits that follow it.
    private static func code(_ value: Int, direct: Int, perBit: Int) -> (code: Int, bits: Int) {
        guard value >= direct else { return (value, 0) }
        let bits = Int.bitWidth - value.leadingZeroBitCount - (perBit == 4 ? 3 : 2)
        return (bits * perBit + value >> bits, bits)
    }

    private static func entropy(_ counts: [Int: Int]) -> Double {
        let total = Double(counts.values.reduce(0, +))
        return counts.values.reduce(0) { $0 + Double($1) * max(1, log2(total / Double($1))) }
    }
}
