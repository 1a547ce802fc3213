// SPDX-License-Identifier: Apache-2.0

/// The origins of a text's bytes, stored as runs. A text with one origin, the usual case, needs no storage.
struct OriginMarks: Sendable {
    private struct Run: Sendable {
        var end: UInt32
        var origin: TemplateOrigin
    }

    /// The origin of all bytes while there are no runs.
    private var uniform: TemplateOrigin
    /// Runs of alternating origin, by their end offsets, the last at the end of the text; empty for a single origin.
    private var runs: [Run] = []

    init(_ origin: TemplateOrigin) {
        uniform = origin
    }

    /// The maximum memory for another run, including the copy made when the array grows.
    static let bytesOfRun = 3 * MemoryLayout<Run>.stride

    /// The number of runs that bytes of an origin would add: none, one, or two for the first change of origin.
    func added(by origin: TemplateOrigin, at length: Int) -> Int {
        guard let last = runs.last else { return length == 0 || origin == uniform ? 0 : 2 }
        return last.origin == origin ? 0 : 1
    }

    /// Adds the origin of `count` bytes after the first `length` bytes.
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

    /// The origin of a range: input, if any byte is input. Adjacent runs never have the same origin.
    func origin(of range: Range<Int>) -> TemplateOrigin {
        guard !runs.isEmpty else { return uniform }
        guard !range.isEmpty else { return .template }
        let first = runs[firstRun(endingAfter: range.lowerBound)]
        return first.end >= range.upperBound ? first.origin : .input
    }

    /// The end and origin of the run that contains a byte.
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
