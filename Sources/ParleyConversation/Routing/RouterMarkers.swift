// SPDX-License-Identifier: Apache-2.0

/// The markers that are recognised in each section of a reply.
struct RouterMarkers: Sendable {
    enum Marker: Equatable {
        case stop, reasoningOpening, reasoningClosing, callOpening, callClosing, hidden
    }

    /// Markers and, at the same indices, their scalars.
    struct Table: Sendable {
        var markers: [Marker] = []
        var scalars: [[Unicode.Scalar]] = []

        /// Of entries with the same text the first is used. Empty texts are dropped, because they would match
        /// everywhere.
        init(_ entries: [(Marker, String?)]) {
            for case (let marker, let text?) in entries where !text.isEmpty {
                markers.append(marker)
                scalars.append(Array(text.unicodeScalars))
            }
        }
    }

    /// In the answer.
    let text: Table
    /// At the start of the reply and after hidden tags, where reasoning may still begin.
    let textStart: Table
    let reasoning: Table
    /// At the start of reasoning, where a model may repeat the opening tag that its prompt ended with.
    let reasoningStart: Table
    let call: Table
    let none = Table([])

    init(_ configuration: ResponseRouter.Configuration) {
        let tags = configuration.reasoning
        let parser = configuration.functionCalls?.parser
        let inText: [(Marker, String?)] =
            configuration.stop.map { (.stop, $0) } + [(.callOpening, parser?.opening)]
            + (tags?.hidden ?? []).map { (.hidden, $0) }
        text = Table(inText)
        textStart = Table(inText + [(.reasoningOpening, tags?.opening)])
        reasoning = Table([(.reasoningClosing, tags?.closing)])
        reasoningStart = Table([(.reasoningClosing, tags?.closing), (.reasoningOpening, tags?.opening)])
        call = Table([(.callClosing, parser?.closing)])
    }
}
