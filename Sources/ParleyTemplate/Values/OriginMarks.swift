// SPDX-License-Identifier: Apache-2.0

/// The origins of a text's characters, as runs; a text of one origin (the usual case) needs no storage for them.
struct OriginMarks: Sendable {
    private struct Run: Sendable {
        var end: Int
        var origin: TemplateOrigin
    }

    /// The origin of all characters while there are no runs.
    private var uniform: TemplateOrigin
    /// Runs of alternating origin that end at increasing places, the last at the end of the text; or none.
    private var runs: [Run] = []

    init(_ origin: TemplateOrigin) {
        uniform = origin
    }

    /// Input, as soon as any character is: two runs never have the same origin side by side.
    var overall: TemplateOrigin { runs.isEmpty ? uniform : .input }

    func origin(at index: Int) -> TemplateOrigin {
        runs.isEmpty ? uniform : runs[firstRun(endingAfter: index)].origin
    }

    /// Adds the marks of `count` characters behind those of `length` characters.
    mutating func append(_ other: OriginMarks, count: Int, to length: Int) {
        if length == 0 { return self = other }
        if runs.isEmpty {
            if other.runs.isEmpty && other.uniform == uniform { return }
            runs = [Run(end: length, origin: uniform)]
        }
        let added = other.runs.isEmpty ? [Run(end: count, origin: other.uniform)] : other.runs
        for run in added {
            if let last = runs.last, last.origin == run.origin {
                runs[runs.count - 1].end = length + run.end
            } else {
                runs.append(Run(end: length + run.end, origin: run.origin))
            }
        }
    }

    func slice(_ range: Range<Int>) -> OriginMarks {
        guard !runs.isEmpty, !range.isEmpty else { return OriginMarks(runs.isEmpty ? uniform : .template) }
        let first = firstRun(endingAfter: range.lowerBound)
        var part = OriginMarks(runs[first].origin)
        guard runs[first].end < range.upperBound else { return part }
        for run in runs[first...] {
            part.runs.append(Run(end: min(run.end, range.upperBound) - range.lowerBound, origin: run.origin))
            if run.end >= range.upperBound { break }
        }
        return part
    }

    /// The runs of a text of that length.
    func runs(count: Int) -> [(range: Range<Int>, origin: TemplateOrigin)] {
        guard count > 0 else { return [] }
        guard !runs.isEmpty else { return [(0..<count, uniform)] }
        var start = 0
        return runs.map { run in
            defer { start = run.end }
            return (start..<run.end, run.origin)
        }
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
