// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyConversation
import ParleyJSON
import ParleyServer
import ParleySystem

/// How fast models read and write here, for the page, while it is looked at.
@MainActor
final class FigureBoard {
    /// How long lies between two samples.
    static let interval = Duration.seconds(2)
    /// The number of samples that are kept: those of ten minutes.
    static let most = 300

    private let admitted: AdmittedModels
    private let hub: EventHub
    private let clock: any Clock<Duration>
    /// What the benchmark has measured.
    let benchmark: BenchmarkBoard
    private var samples: [JSONValue] = []
    private var last: ServerFigures?
    private var sampling: Task<Void, Never>?
    /// The number of pages that look at the figures.
    private var readers = 0

    init(_ admitted: AdmittedModels, hub: EventHub, clock: any Clock<Duration>) {
        (self.admitted, self.hub, self.clock) = (admitted, hub, clock)
        benchmark = BenchmarkBoard(admitted, hub: hub)
    }

    /// A page looks at the figures, or does so no more.
    func watch(_ isOn: Bool) {
        readers = max(readers + (isOn ? 1 : -1), 0)
        guard readers > 0 else {
            sampling?.cancel()
            sampling = nil
            return
        }
        guard sampling == nil else { return }
        sampling = Task { [weak self, clock] in
            // A page that was closed does not say so: after ten minutes the others ask again.
            for _ in 0..<Self.most {
                guard let self, !Task.isCancelled else { return }
                await sample()
                try? await clock.sleep(for: Self.interval)
            }
            self?.readers = 0
            self?.sampling = nil
        }
    }

    private func sample() async {
        let now = await admitted.figures()
        let seconds = Double(Self.interval.components.seconds)
        func rate(_ value: KeyPath<ServerFigures, Int>) -> JSONValue {
            .number(last.map { Double(max(now[keyPath: value] - $0[keyPath: value], 0)) / seconds } ?? 0)
        }
        let firsts = now.firstTokens - (last?.firstTokens ?? now.firstTokens)
        let waited = now.firstTokenSeconds - (last?.firstTokenSeconds ?? 0)
        samples.append([
            "date": .number(Date().timeIntervalSince1970), "tokens_read_per_second": rate(\.promptTokens),
            "tokens_written_per_second": rate(\.generatedTokens),
            "first_token_seconds": firsts > 0 ? .number(waited / Double(firsts)) : .null,
            "running": .integer(now.running), "waiting": .integer(now.waiting),
        ])
        if samples.count > Self.most { samples.removeFirst() }
        last = now
        hub.publish([PageEvent(type: "metrics", data: ["performance": json])])
    }

    /// The samples so far, and what is in memory.
    var json: JSONValue {
        var memory: [JSONValue] = []
        for (model, figures) in last?.engines ?? [] {
            if let size = model.size {
                memory.append(["name": .string(model.id), "bytes": .integer(Int(clamping: size.bytes))])
            }
            if let bytes = figures.cacheBytes {
                memory.append(["name": .string("\(model.id): conversations"), "bytes": .integer(bytes)])
            }
        }
        if let whole = last?.memory { memory.append(["name": "The whole process", "bytes": .integer(whole)]) }
        let read = last?.promptTokens ?? 0
        let drafted = (last?.engines ?? []).reduce(0) { $0 + ($1.figures.draftedTokens ?? 0) }
        let right = (last?.engines ?? []).reduce(0) { $0 + ($1.figures.acceptedTokens ?? 0) }
        return [
            "samples": .array(samples),
            "cached_share": read > 0 ? .number(Double(last?.cachedTokens ?? 0) / Double(read)) : .null,
            "drafts": ["made": .integer(drafted), "right": .integer(right)], "memory": .array(memory),
            "benchmark": benchmark.json,
        ]
    }
}
