// SPDX-License-Identifier: Apache-2.0

/// The markers that are recognised in each section of a reply.
struct RouterMarkers: Sendable {
    enum Marker: Equatable {
        case stop, reasoningOpening, reasoningClosing, callOpening, bareCallOpening, callClosing, hidden
        case answerOpening, answerClosing
    }

    /// A place in a reply, by the markers that are recognised there.
    enum Place {
        /// In the answer.
        case text
        /// At the start of the reply and after hidden tags, where reasoning may still begin.
        case textStart
        /// After reasoning, before the answer begins.
        case answerStart
        /// In an answer whose opening tag was read.
        case taggedAnswer
        case reasoning
        /// At the start of reasoning, where a model may repeat the opening tag that its prompt ended with.
        case reasoningStart
        case call
        /// In a reply that may be a call in JSON.
        case bareCall
    }

    /// Markers and, at the same indices, their texts.
    struct Table: Sendable {
        let place: Place
        private(set) var markers: [Marker] = []
        private(set) var texts: [MarkerText] = []

        /// Of entries with the same text the first is used. Empty texts are dropped, because they would match
        /// everywhere.
        init(_ place: Place, _ entries: [(Marker, String?)]) {
            self.place = place
            for case (let marker, let text?) in entries where !text.isEmpty {
                markers.append(marker)
                texts.append(MarkerText(text))
            }
        }
    }

    let text: Table
    let textStart: Table
    let answerStart: Table
    let taggedAnswer: Table
    let reasoning: Table
    let reasoningStart: Table
    let call: Table
    let bareCall = Table(.bareCall, [])
    /// The number of scalars that a call begins with where its opening tag is missing.
    let bareOpeningCount: Int

    init(_ configuration: ResponseRouter.Configuration) {
        let tags = configuration.reasoning
        let parser = configuration.functionCalls?.parser
        let stops: [(Marker, String?)] = configuration.stop.map { (.stop, $0) }
        let calls: [(Marker, String?)] = [(.callOpening, parser?.opening), (.bareCallOpening, parser?.bareOpening)]
        let hidden: [(Marker, String?)] = (tags?.hidden ?? []).map { (.hidden, $0) }
        // In a reply of several messages, a call that lasts to its end is a message: only a header begins it.
        let areMessages = tags.map { !$0.message.isEmpty } ?? false && parser?.closing == nil
        let inText: [(Marker, String?)] = stops + (areMessages ? [] : calls) + hidden
        let atStart: [(Marker, String?)] = stops + calls + hidden + [(.reasoningOpening, tags?.opening)]
        text = Table(.text, inText)
        textStart = Table(.textStart, atStart)
        answerStart = Table(.answerStart, atStart + [(.answerOpening, tags?.answerOpening)])
        taggedAnswer = Table(.taggedAnswer, inText + [(.answerClosing, tags?.answerClosing)])
        reasoning = Table(.reasoning, [(.reasoningClosing, tags?.closing)])
        reasoningStart = Table(
            .reasoningStart, [(.reasoningClosing, tags?.closing), (.reasoningOpening, tags?.opening)])
        call = Table(.call, [(.callClosing, parser?.closing)])
        bareOpeningCount = parser?.bareOpening.unicodeScalars.count ?? 0
    }
}
