// SPDX-License-Identifier: Apache-2.0

/// The origins of a text's bytes, as runs; a text of one origin (the usual case) needs no storage for them.
struct OriginMarks: Sendable {
    private struct Run: Sendable {
        var end: UInt32
        var origin: TemplateOrigin
    }

    /// The origin of all bytes while there are no runs.
    private var uniform: TemplateOrigin
    /// Runs of alternating origin by the places where they end, the last at the end of the text; or none.
    private var runs: [Run] = []

    init(_ origin: TemplateOrigin) {
        uniform = origin
    }

    /// The memory that another run may take, the copy of an array that grows included.
    static let bytesOfRun = 3 * MemoryLayout<Run>.stride

    /// How many runs would be added with bytes of an origin: none, one, or two for the first change of origin.
    func added(by origin: TemplateOrigin, at length: Int) -> Int {
        guard let last = runs.last else { return length == 0 || origin == uniform ? 0 : 2 }
        return last.origin == origin ? 0 : 1
    }

    /// Adds the mark of `count` bytes after those of `length` bytes.
    mutating func append(_ origin: TemplateOrigin, count: Int, at length: Int) {
        guard count > 0 else { return }
        guard let last = runs.last else {
            if length == 0 { uniform = origin }
            guard origin != uniform else { return }
            runs = [
                Run(end: UInt32(length), origin: uniform), Run(end: UInt32(length + count), origin: origin),
            ]
            return
        }
        if last.origin == origin {
            runs[runs.count - 1].end = UInt32(length + count)
        } else {
            runs.append(Run(end: UInt32(length + count), origin: origin))
        }
    }

    func origin(at index: Int) -> TemplateOrigin {
        runs.isEmpty ? uniform : runs[firstRun(endingAfter: index)].origin
    }

    /// Input, if any byte is: adjacent runs never have the same origin.
    func origin(of range: Range<Int>) -> TemplateOrigin {
        guard !runs.isEmpty else { return uniform }
        guard !range.isEmpty else { return .template }
        let first = runs[firstRun(endingAfter: range.lowerBound)]
        return first.end >= range.upperBound ? first.origin : .input
    }

    /// The run in which a byte lies: where it ends, and its origin.
    func run(at index: Int, before end: Int) -> (end: Int, origin: TemplateOrigin) {
        guard !runs.isEmpty else { return (end, uniform) }
        let run = runs[firstRun(endingAfter: index)]
        return (min(Int(run.end), end), run.origin)
    }

    private func firstRun(endingAfter index: Int) -> Int {
        var low = 0
        var high = runs.count - 1
        while low < high {
            let middle = (low + high) / 2
            if runs[middle].end > index { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
