// SPDX-License-Identifier: Apache-2.0

import ParleyRuntime

/// Random pieces of which cases are made.
extension SplitMix64 {
    /// Returns true with a probability of 1 / count.
    mutating func oneIn(_ count: Int) -> Bool {
        Int.random(in: 0..<count, using: &self) == 0
    }

    mutating func int(_ range: ClosedRange<Int>) -> Int {
        Int.random(in: range, using: &self)
    }

    /// One of several values; there must be at least one.
    mutating func pick<Values: RandomAccessCollection>(_ values: Values) -> Values.Element {
        values[values.index(values.startIndex, offsetBy: Int.random(in: 0..<values.count, using: &self))]
    }

    /// A number that is likely to break arithmetic: small, around a power of two, or any.
    mutating func hostileInteger() -> UInt64 {
        switch int(0...3) {
        case 0: return UInt64(int(0...16))
        case 1, 2:
            let power = UInt64(1) << UInt64(int(0...63))
            return power &+ UInt64(bitPattern: Int64(int(-2...2)))
        default: return next()
        }
    }

    /// The bytes with a few of them changed, cut out, repeated or put in.
    mutating func mutated(_ bytes: [UInt8], changes: Int = 4, with pieces: [[UInt8]] = []) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<int(1...changes) {
            let place = bytes.isEmpty ? 0 : int(0...bytes.count - 1)
            let length = min(int(1...8), bytes.count - place)
            switch int(0...5) {
            case 0 where !bytes.isEmpty: bytes[place] = UInt8(truncatingIfNeeded: next())
            case 1 where !bytes.isEmpty: bytes[place] ^= 1 << UInt8(int(0...7))
            case 2: bytes.removeSubrange(place..<place + length)
            case 3: bytes.insert(contentsOf: bytes[place..<place + length], at: place)
            case 4 where !pieces.isEmpty: bytes.insert(contentsOf: pick(pieces), at: place)
            case 5 where oneIn(4): bytes.removeSubrange(place...)
            default: bytes.insert(UInt8(truncatingIfNeeded: next()), at: place)
            }
        }
        return bytes
    }
}
