// SPDX-License-Identifier: Apache-2.0

/// Searching in time linear in both texts, because templates and inputs are untrusted. Positions are byte offsets; in
/// UTF-8 a character is never found inside another.
extension MarkedText {
    /// Visits the non-overlapping occurrences of a text from the left, until the body returns false. An empty text
    /// occurs before every character and at the end.
    func forEachPlace(
        of needle: MarkedText, in range: Range<Int>, _ meter: Meter,
        _ body: (Int) throws(TemplateError) -> Bool
    ) throws(TemplateError) {
        guard !needle.isEmpty else { return try forEachCharacter(in: range, meter, body) }
        guard needle.size <= range.count else { return }
        let table = try needle.fallbacks(meter)
        try withBytes { (bytes) throws(TemplateError) in
            try needle.withBytes { (needle) throws(TemplateError) in
                var matched = 0
                var index = range.lowerBound
                while index < range.upperBound {
                    // Several bytes are charged at a time, which may be more than are read.
                    let end = min(index + 64, range.upperBound)
                    try meter.work(end - index)
                    while index < end {
                        let byte = bytes[index]
                        while matched > 0, byte != needle[matched] { matched = table[matched - 1] }
                        if byte == needle[matched] { matched += 1 }
                        index += 1
                        guard matched == needle.count else { continue }
                        try meter.work(8)
                        guard try body(index - matched) else { return }
                        matched = 0
                    }
                }
            }
        }
    }

    private func forEachCharacter(
        in range: Range<Int>, _ meter: Meter, _ body: (Int) throws(TemplateError) -> Bool
    ) throws(TemplateError) {
        var index = range.lowerBound
        while try body(index), index < range.upperBound {
            try meter.work(2)
            index = end(after: index)
        }
    }

    /// The first occurrence of a text.
    func firstPlace(of needle: MarkedText, in range: Range<Int>, _ meter: Meter) throws(TemplateError) -> Int? {
        var place: Int?
        try forEachPlace(of: needle, in: range, meter) { (found) throws(TemplateError) in
            place = found
            return false
        }
        return place
    }

    /// The last occurrence of a text, searched from the end.
    func lastPlace(of needle: MarkedText, in range: Range<Int>, _ meter: Meter) throws(TemplateError) -> Int? {
        guard !needle.isEmpty else { return range.upperBound }
        guard needle.size <= range.count else { return nil }
        let table = try needle.reversedFallbacks(meter)
        return try withBytes { (bytes) throws(TemplateError) in
            try needle.withBytes { (needle) throws(TemplateError) in
                var matched = 0
                let last = needle.count - 1
                for index in range.reversed() {
                    try meter.work(1)
                    while matched > 0, bytes[index] != needle[last - matched] { matched = table[matched - 1] }
                    if bytes[index] == needle[last - matched] { matched += 1 }
                    if matched == needle.count { return index }
                }
                return nil
            }
        }
    }

    func contains(_ needle: MarkedText, _ meter: Meter) throws(TemplateError) -> Bool {
        try firstPlace(of: needle, in: 0..<size, meter) != nil
    }

    func starts(with prefix: MarkedText, _ meter: Meter) throws(TemplateError) -> Bool {
        guard size >= prefix.size else { return false }
        try meter.work(prefix.size)
        return self[0..<prefix.size].hasSameBytes(as: prefix)
    }

    func ends(with suffix: MarkedText, _ meter: Meter) throws(TemplateError) -> Bool {
        guard size >= suffix.size else { return false }
        try meter.work(suffix.size)
        return self[(size - suffix.size)..<size].hasSameBytes(as: suffix)
    }

    /// Whether this text comes before another in the order of code points, which is that of UTF-8.
    func precedes(_ other: MarkedText, _ meter: Meter) throws(TemplateError) -> Bool {
        try meter.work(min(size, other.size))
        return bytes.lexicographicallyPrecedes(other.bytes)
    }

    /// For each prefix of this text, the length of the longest shorter prefix that is also its suffix (Knuth, Morris
    /// and Pratt).
    private func fallbacks(_ meter: Meter) throws(TemplateError) -> [Int] {
        try table(meter) { $0 }
    }

    /// The same for the text read from its end.
    private func reversedFallbacks(_ meter: Meter) throws(TemplateError) -> [Int] {
        let last = size - 1
        return try table(meter) { last - $0 }
    }

    /// Makes a table for one search; its memory is checked against the limit first.
    private func table(_ meter: Meter, _ place: (Int) -> Int) throws(TemplateError) -> [Int] {
        try meter.reserve(MemoryLayout<Int>.stride * size)
        meter.release(MemoryLayout<Int>.stride * size)
        try meter.work(2 * size)
        return try withBytes { bytes in
            var table = [Int](repeating: 0, count: bytes.count)
            var matched = 0
            for index in bytes.indices.dropFirst() {
                while matched > 0, bytes[place(index)] != bytes[place(matched)] { matched = table[matched - 1] }
                if bytes[place(index)] == bytes[place(matched)] { matched += 1 }
                table[index] = matched
            }
            return table
        }
    }
}
