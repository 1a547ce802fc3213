// SPDX-License-Identifier: Apache-2.0

/// The markers that matter in each section of a reply.
struct RouterMarkers: Sendable {
    enum Marker: Equatable {
        case stop, reasoningOpening, reasoningClosing, callOpening, callClosing
    }

    /// Markers and, at the same indices, their scalars.
    struct Table: Sendable {
        var markers: [Marker] = []
        var scalars: [[Unicode.Scalar]] = []

        /// Of equal texts the first counts; empty ones would match everywhere.
        init(_ entries: [(Marker, String?)]) {
            for case (let marker, let text?) in entries where !text.isEmpty {
                markers.append(marker)
                scalars.append(Array(text.unicodeScalars))
            }
        }
    }

    /// In the answer.
    let text: Table
    /// In the answer before it has begun, where reasoning may still come.
    let textStart: Table
    let reasoning: Table
    /// In reasoning before it has begun, where a model may repeat the tag that its prompt ends with.
    let reasoningStart: Table
    let call: Table
    let none = Table([])

    init(_ configuration: ResponseRouter.Configuration) {
        let tags = configuration.reasoning
        let parser = configuration.functionCalls?.parser
        let inText: [(Marker, String?)] = configuration.stop.map { (.stop, $0) } + [(.callOpening, parser?.opening)]
        text = Table(inText)
        textStart = Table(inText + [(.reasoningOpening, tags?.opening)])
        reasoning = Table([(.reasoningClosing, tags?.closing)])
        reasoningStart = Table([(.reasoningClosing, tags?.closing), (.reasoningOpening, tags?.opening)])
        call = Table([(.callClosing, parser?.closing)])
    }
}
