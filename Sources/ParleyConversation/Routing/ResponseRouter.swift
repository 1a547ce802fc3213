// SPDX-License-Identifier: Apache-2.0

import ParleyJSON

/// Sorts a model's raw text into answer, reasoning and function calls.
///
/// A pure state machine that works scalar by scalar, so that the parts, adjacent ones merged, do not depend on how the
/// text was cut. Nothing is lost: what is held back, because it may become a tag, a stop string or a part of a
/// character, comes out at the latest with ``finish(_:)``.
///
/// ```swift
/// var router = ResponseRouter(.init(functionCalls: .hermes))
/// var parts = router.append("<think>Hm.</think>Let me ", tokens: 7)
/// parts += router.append(#"see. <tool_call>{"name": "look"}</tool_call>"#, tokens: 12)
/// parts += router.finish()
/// // .reasoning("Hm."), .text("Let me see. "), .functionCalls([look])
/// ```
///
/// Reasoning is looked for before the answer begins. White space at the start before a tag, and inside and behind tags,
/// belongs to them. A closing tag inside a string of a call's arguments is a part of the string where that makes sense
/// of the call.
public struct ResponseRouter: Sendable {
    private enum Section {
        case text, reasoning
        /// Inside a call, behind its opening tag.
        case call
        /// Inside what is a call if it turns out to be one.
        case bareCall
    }

    /// What becomes of white space.
    private enum Whitespace { case hold, drop, keep }

    private let configuration: Configuration
    private let markers: RouterMarkers
    private var buffer = PartBuffer()
    private var matcher = MarkerMatcher()

    /// Everything that came, and how far it has been sorted. Sorting goes back where a call turns out to be none.
    private var raw: [Unicode.Scalar] = []
    private var cursor = 0

    private var section: Section
    private var whitespace: Whitespace
    /// White space that belongs to a tag if one follows, and to the text otherwise.
    private var heldWhitespace: [Unicode.Scalar] = []
    private var hasText = false
    private var hasReasoning = false
    /// The call, inside one.
    private var call = OpenCall(start: 0, bodyStart: 0)
    private var allowsBareCall: Bool
    /// Whether every closing tag ends its call, also inside a string.
    private var endsCallsAtFirstTag = false
    private var callIDs: CallIDs
    private var isFinished = false

    /// How many tokens of reasoning have come.
    public private(set) var reasoningTokens = 0

    /// Whether a stop string came. What is appended afterwards is ignored; the runner ends with ``FinishReason/stop``.
    public private(set) var hasStopped = false

    /// Creates a router for one reply.
    public init(_ configuration: Configuration = Configuration()) {
        self.configuration = configuration
        markers = RouterMarkers(configuration)
        callIDs = CallIDs(used: configuration.usedCallIDs)
        allowsBareCall = configuration.functionCalls?.parser.allowsBareJSON ?? false
        let startsInside = configuration.startsInsideReasoning && configuration.reasoning != nil
        section = startsInside ? .reasoning : .text
        whitespace = startsInside ? .drop : .hold
    }

    /// Takes the next piece of output.
    ///
    /// - Parameters:
    ///   - text: any number of whole Unicode scalars; may be empty.
    ///   - tokens: how many tokens it came from; they count as reasoning where the piece begins inside it.
    /// - Returns: what is settled by now, in order.
    public mutating func append(_ text: String, tokens: Int = 1) -> [ResponsePart] {
        guard !hasStopped, !isFinished else { return [] }
        if isReasoning { reasoningTokens += tokens }
        raw.append(contentsOf: text.unicodeScalars)
        advance()
        return buffer.take()
    }

    /// Ends the reply and lets out what was held back. Later calls give nothing.
    ///
    /// - Parameter reason: why the output ends. After `stop` a call whose closing tag is missing counts if it is
    ///   complete otherwise; after anything else it was cut, and is rejected.
    /// - Returns: the parts held back.
    public mutating func finish(_ reason: FinishReason = .stop) -> [ResponsePart] {
        guard !hasStopped, !isFinished else { return [] }
        repeat {
            advance()
            closeSection(reason)
        } while cursor < raw.count && !hasStopped
        isFinished = true
        buffer.settle()
        return buffer.take()
    }

    /// Whether the output is inside reasoning now.
    public var isReasoning: Bool { section == .reasoning }

    /// Whether a function call has been opened and not yet closed; constraints on calls start and end with it.
    public var isInsideFunctionCall: Bool { section == .call }

    /// What to put into the output now, because the budget of reasoning is spent; nil where it is not.
    ///
    /// The runner lets the model see this text as if it had written it, appends it here like any other, and goes on.
    public var reasoningClosing: String? {
        guard isReasoning, let budget = configuration.maxReasoningTokens, reasoningTokens >= budget,
            let tags = configuration.reasoning
        else { return nil }
        return tags.forcedClosing
    }

    /// The output so far as it came, tags included, up to a stop string.
    public var rawOutput: String { Self.text(raw[...]) }

    private static func text(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
        var text = ""
        text.unicodeScalars.append(contentsOf: scalars)
        return text
    }

    // MARK: Sorting

    private mutating func advance() {
        while cursor < raw.count, !hasStopped {
            let scalar = raw[cursor]
            cursor += 1
            step(scalar)
        }
    }

    /// Sorts one scalar, which stands before the cursor.
    private mutating func step(_ scalar: Unicode.Scalar) {
        if section == .bareCall {
            if !call.appendBare(scalar) { reviveAsText() }
            return
        }
        // White space behind a tag belongs to it; no marker begins there.
        if section != .call, whitespace == .drop, matcher.held.isEmpty, scalar.properties.isWhitespace { return }
        let table = table
        let step = matcher.accept(scalar, markers: table.scalars)
        let markerLength = step.found.map { table.scalars[$0].count } ?? 0
        guard route(step.released, endingAt: cursor - markerLength - matcher.held.count) else { return }
        if let found = step.found { cross(table.markers[found], length: markerLength) }
    }

    /// Puts scalars that are part of no marker, and stand before a place of the raw output, where they belong.
    ///
    /// - Returns: false where a bare call has begun among them: then sorting goes on behind its brace.
    private mutating func route(_ scalars: [Unicode.Scalar], endingAt end: Int) -> Bool {
        for (index, scalar) in zip((end - scalars.count)..., scalars) {
            if section == .text, beginsBareCall(scalar) {
                openBareCall(at: index)
                return false
            }
            route(scalar)
        }
        return true
    }

    private func beginsBareCall(_ scalar: Unicode.Scalar) -> Bool {
        allowsBareCall && !hasText && whitespace != .keep && scalar == "{"
    }

    private var table: RouterMarkers.Table {
        switch section {
        case .text: hasText ? markers.text : markers.textStart
        case .reasoning: hasReasoning ? markers.reasoning : markers.reasoningStart
        case .call: markers.call
        case .bareCall: markers.none
        }
    }

    private mutating func route(_ scalar: Unicode.Scalar) {
        switch section {
        case .call, .bareCall: call.append(scalar)
        case .text: routeText(scalar)
        case .reasoning: routeReasoning(scalar)
        }
    }

    private mutating func routeText(_ scalar: Unicode.Scalar) {
        if whitespace != .keep, scalar.properties.isWhitespace {
            if whitespace == .hold { heldWhitespace.append(scalar) }
            return
        }
        releaseWhitespace(.text)
        whitespace = .keep
        hasText = true
        buffer.append(scalar, .text)
    }

    private mutating func routeReasoning(_ scalar: Unicode.Scalar) {
        if scalar.properties.isWhitespace {
            if whitespace != .drop { heldWhitespace.append(scalar) }
            return
        }
        releaseWhitespace(.reasoning)
        whitespace = .hold
        hasReasoning = true
        buffer.append(scalar, .reasoning)
    }

    private mutating func releaseWhitespace(_ kind: PartBuffer.Kind) {
        for scalar in heldWhitespace { buffer.append(scalar, kind) }
        heldWhitespace = []
    }

    // MARK: Sections

    /// Goes from one section to the next at a marker, whose scalars stand before the cursor.
    private mutating func cross(_ marker: RouterMarkers.Marker, length: Int) {
        switch marker {
        case .stop:
            releaseWhitespace(.text)
            raw.removeSubrange((cursor - length)...)
            cursor = raw.count
            hasStopped = true
            buffer.settle()
        case .reasoningOpening:
            enter(.reasoning)
        case .reasoningClosing:
            enter(.text)
        case .callOpening:
            enter(.call)
            call = OpenCall(start: cursor - length, bodyStart: cursor)
        case .callClosing:
            closeCall(markerLength: length)
        }
    }

    /// White space that was held before the tag is the tag's, and so is what follows.
    private mutating func enter(_ next: Section) {
        heldWhitespace = []
        whitespace = .drop
        section = next
        buffer.settle()
    }

    /// Lets out what the section holds back when the output ends.
    private mutating func closeSection(_ reason: FinishReason) {
        // Where a bare call begins, what comes behind it is sorted anew, and may be held back again.
        while !matcher.held.isEmpty, !route(matcher.finish(), endingAt: cursor) { advance() }
        switch section {
        case .text: releaseWhitespace(.text)
        case .reasoning: releaseWhitespace(.reasoning)
        case .call: finishCall(reason)
        case .bareCall: finishBareCall()
        }
    }

    // MARK: Calls

    /// A closing tag has come: it ends the call, unless the call makes no sense yet and may be inside a string.
    private mutating func closeCall(markerLength: Int) {
        switch parsed {
        case .success(let calls):
            emit(calls)
        case .failure(let error):
            if error.endsInsideString, !endsCallsAtFirstTag, call.mayHoldTag {
                call.append(tag: raw[(cursor - markerLength)..<cursor], endingAt: cursor, error)
            } else if !endCallAtFirstTag() {
                reject(error, until: cursor)
            }
        }
    }

    /// The output has ended inside a call.
    private mutating func finishCall(_ reason: FinishReason) {
        // From here on each tag ends its call, or else sorting anew could go over the rest again and again.
        endsCallsAtFirstTag = true
        if endCallAtFirstTag() { return }
        let isCut = reason != .stop && reason != .functionCall && configuration.functionCalls?.parser.closing != nil
        switch parsed {
        case .success(let calls) where !isCut:
            emit(calls)
        case .success:
            reject(FunctionCallSyntaxError(.cut, "The reply ended before the call's closing tag."), until: raw.count)
        case .failure(let error):
            reject(error, until: raw.count)
        }
    }

    /// A tag was taken for a part of a string, and that did not help: so it was a tag after all. The call before it is
    /// rejected, and what follows it is sorted anew.
    ///
    /// - Returns: whether there was such a tag.
    private mutating func endCallAtFirstTag() -> Bool {
        guard let firstTag = call.firstTag else { return false }
        cursor = firstTag.end
        reject(firstTag.error, until: firstTag.end)
        return true
    }

    /// What the parser makes of the call so far.
    private var parsed: Result<[ParsedFunctionCall], FunctionCallSyntaxError> {
        guard let parser = configuration.functionCalls?.parser else { return .success([]) }
        do throws(FunctionCallSyntaxError) {
            return .success(try parser.parse(Self.text(call.body[...])))
        } catch {
            return .failure(error)
        }
    }

    private mutating func emit(_ calls: [ParsedFunctionCall]) {
        let calls = calls.map { FunctionCall(id: callIDs.next($0.id), name: $0.name, arguments: $0.arguments) }
        buffer.append(.functionCalls(calls))
        enter(.text)
    }

    private mutating func reject(_ error: FunctionCallSyntaxError, until end: Int) {
        let text = Self.text(raw[call.start..<end])
        buffer.append(
            .rejectedFunctionCall(FunctionCallRejection(text: text, reason: error.reason, message: error.message)))
        enter(.text)
    }

    // MARK: Calls without an opening tag

    /// A brace begins the reply: a call, or an answer in JSON. What has been read behind it is read again.
    private mutating func openBareCall(at start: Int) {
        _ = matcher.finish()
        section = .bareCall
        cursor = start + 1
        call = OpenCall(start: start, bodyStart: start)
        call.append("{")
    }

    private mutating func finishBareCall() {
        // An answer in JSON that was cut, for all that is known.
        guard call.isSurelyCall else { return reviveAsText() }
        switch parsed {
        case .success(let calls):
            let names = configuration.functionNames
            let isKnown = calls.allSatisfy { call in names.contains { $0.isExactly(call.name) } }
            if names.isEmpty || isKnown { emit(calls) } else { reviveAsText() }
        case .failure(let error) where error.reason == .malformed || error.reason == .cut || error.reason == .tooDeep:
            reject(error, until: raw.count)
        case .failure:
            // It can be read, and is no call.
            reviveAsText()
        }
    }

    /// It is no call after all: what came is sorted again, now as text.
    private mutating func reviveAsText() {
        allowsBareCall = false
        section = .text
        cursor = call.bodyStart
    }
}
