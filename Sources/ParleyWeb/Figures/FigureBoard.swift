// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyConversation
import ParleyJSON
import ParleyServer
import ParleySystem

/// How fast models read and write here, for the page.
///
/// It measures from the beginning on, so that who looks sees what was; the page is told while it says that it looks.
@MainActor
final class FigureBoard {
    /// How long lies between two samples.
    static let interval = Duration.seconds(2)
    /// The number of samples that are told to a page that looks; it says so again before they end.
    static let told = 30

    private let hub: EventHub
    /// What the benchmark has measured.
    let benchmark: BenchmarkBoard
    private var log = FigureLog()
    private var sampling: Task<Void, Never>?
    private var stillTold = 0

    init(_ admitted: AdmittedModels, hub: EventHub, engines: [String], clock: any Clock<Duration>) {
        self.hub = hub
        benchmark = BenchmarkBoard(admitted, hub: hub, engines: engines)
        let began = Date().timeIntervalSince1970
        let stopwatch = clock.stopwatch()
        sampling = Task { [weak self] in
            while !Task.isCancelled {
                let now = await admitted.figures()
                guard self?.take(now, at: began + stopwatch() / .seconds(1)) != nil else { return }
                try? await clock.sleep(for: Self.interval)
            }
        }
    }

    deinit { sampling?.cancel() }

    /// A page looks at the figures.
    func watch() { stillTold = Self.told }

    private func take(_ now: ServerFigures, at date: Double) {
        log.take(now, at: date)
        guard stillTold > 0 else { return }
        stillTold -= 1
        hub.publish([PageEvent(type: "metrics", data: ["performance": json])])
    }

    /// The samples so far, and what is in memory.
    var json: JSONValue {
        let last = log.last
        var memory: [JSONValue] = []
        func add(_ kind: String, of model: ServedModel? = nil, _ bytes: Int) {
            let title: JSONValue = model.map { .string($0.title ?? $0.id) } ?? .null
            memory.append(["model": title, "kind": .string(kind), "bytes": .integer(bytes)])
        }
        for (model, figures) in last?.engines ?? [] {
            // The same figure as among the models.
            if let needed = model.memory { add("needed", of: model, Int(clamping: needed.bytes)) }
            if let bytes = figures.cacheBytes { add("chats", of: model, bytes) }
        }
        if let whole = last?.memory { add("whole", whole) }
        let read = last?.promptTokens ?? 0
        let drafted = (last?.engines ?? []).reduce(0) { $0 + ($1.figures.draftedTokens ?? 0) }
        let right = (last?.engines ?? []).reduce(0) { $0 + ($1.figures.acceptedTokens ?? 0) }
        return [
            "samples": .array(log.samples.map(\.json)),
            "cached_share": read > 0 ? .number(Double(last?.cachedTokens ?? 0) / Double(read)) : .null,
            "drafts": ["made": .integer(drafted), "right": .integer(right)], "memory": .array(memory),
            "benchmark": benchmark.json,
        ]
    }
}
