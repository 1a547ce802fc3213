// SPDX-License-Identifier: Apache-2.0

import ParleyJSON

/// Sorts a model's raw text into answer, reasoning and function calls.
///
/// It is a pure state machine over Unicode scalars. The parts, with adjacent ones merged, do not depend on how the text
/// was split into pieces. Nothing is lost: text that is held back, because it may become a tag, a stop string or a part
/// of a character, is released by ``finish(_:)`` at the latest.
///
/// ```swift
/// var router = ResponseRouter(.init(functionCalls: .hermes))
/// var parts = router.append("<think>Hm.</think>Let me ", tokens: 7)
/// parts += router.append(#"see. <tool_call>{"name": "look"}</tool_call>"#, tokens: 12)
/// parts += router.finish()
/// // .reasoning("Hm."), .text("Let me see. "), .functionCalls([look])
/// ```
///
/// Reasoning is recognised only before the answer begins, or after a hidden tag. White space around tags (before a tag
/// at the start of the reply, inside and after tags) belongs to them. An empty line separates two reasonings, and two
/// texts between which a hidden tag stands. A closing tag inside a string of a call's arguments is treated as part of the
/// string if the call can then be parsed.
public struct ResponseRouter: Sendable {
    private enum Section {
        case text, reasoning
        /// Inside a call, after its opening tag.
        case call
        /// After an opening brace at the start of the reply, as long as it may begin a call.
        case bareCall
    }

    private let configuration: Configuration
    private let markers: RouterMarkers
    /// The names of the available functions.
    private let functions: [[Unicode.Scalar]]
    private var writer: PartWriter
    private var matcher = MarkerMatcher()

    /// The whole output so far; `cursor` is the number of scalars that were sorted. Sorting goes back when what looked
    /// like a call turns out to be text.
    private var raw: [Unicode.Scalar] = []
    private var cursor = 0

    private var section: Section
    /// Whether reasoning has ended, and whether it had spent its budget.
    private var hasReasoned = false
    private var hasSpentBudget = false
    /// Whether the opening tag of the answer was read.
    private var isTaggedAnswer = false
    /// The current call, in the sections `call` and `bareCall`.
    private var call = OpenCall(start: 0, bodyStart: 0)
    private var allowsBareCall: Bool
    /// The offset before which no call begins without its opening tag: what looked like one there is text.
    private var firstMissingOpening = 0
    /// Whether a closing tag ends its call even inside a string.
    private var endsCallsAtFirstTag = false
    private var callIDs: CallIDs
    private var isFinished = false

    /// The number of reasoning tokens so far.
    public private(set) var reasoningTokens = 0

    /// How many bytes of the last piece were white space after a tag, which is in no part, less those that its parts have
    /// in addition: an empty line, and tags that turned out to be text.
    package var droppedBytes: Int { writer.droppedBytes }

    /// Whether something ended in the last piece that looked like text and is in no part: a tag, or a call without its
    /// opening tag.
    package private(set) var hasHiddenTag = false

    /// Whether a stop string was found. Later output is ignored; the runner ends with ``FinishReason/stop``.
    public private(set) var hasStopped = false

    /// The stop string that was found; nil if none was.
    public private(set) var stopString: String?

    /// Creates a router for one reply.
    public init(_ configuration: Configuration = Configuration()) {
        self.configuration = configuration
        markers = RouterMarkers(configuration)
        functions = configuration.functionNames.map { Array($0.unicodeScalars) }
        callIDs = CallIDs(used: configuration.usedCallIDs)
        allowsBareCall = configuration.functionCalls?.parser.allowsBareJSON ?? false
        let startsInside = configuration.startsInsideReasoning && configuration.reasoning != nil
        section = startsInside ? .reasoning : .text
        writer = PartWriter(isAfterTag: startsInside)
    }

    /// Sorts the next piece of output.
    ///
    /// - Parameters:
    ///   - text: any number of whole Unicode scalars; may be empty.
    ///   - tokens: the number of tokens of the piece. They count as reasoning if the piece begins inside reasoning.
    /// - Returns: the parts that are now complete, in order.
    public mutating func append(_ text: String, tokens: Int = 1) -> [ResponsePart] {
        writer.resetDroppedBytes()
        hasHiddenTag = false
        guard !hasStopped, !isFinished else { return [] }
        if isReasoning { reasoningTokens += tokens }
        raw.append(contentsOf: text.unicodeScalars)
        advance()
        return writer.take()
    }

    /// Ends the reply and releases the text that was held back. Later calls return nothing.
    ///
    /// - Parameter reason: why the output ended. After `stop`, a call that only lacks its closing tag is accepted;
    ///   after any other reason it was cut off, and is rejected.
    /// - Returns: the remaining parts.
    public mutating func finish(_ reason: FinishReason = .stop) -> [ResponsePart] {
        guard !hasStopped, !isFinished else { return [] }
        repeat {
            advance()
            closeSection(reason)
        } while cursor < raw.count && !hasStopped
        isFinished = true
        writer.settle()
        return writer.take()
    }

    /// Whether the output is inside reasoning now.
    public var isReasoning: Bool { section == .reasoning }

    /// Whether a function call has been opened with its tag and not yet closed.
    public var isInsideFunctionCall: Bool { section == .call && !call.lacksOpening }

    /// The text to insert into the output now, because the token budget of reasoning is spent; nil while it is not.
    ///
    /// The runner adds this text to the model's context as if the model had written it, appends it here like any other
    /// piece, and continues.
    public var reasoningClosing: String? {
        guard isReasoning, isBudgetSpent, let tags = configuration.reasoning else { return nil }
        // A model that goes on reasoning instead of calling a function must answer.
        return tags.forcedClosing(mayCall: configuration.functionCalls != nil && !hasSpentBudget)
    }

    private var isBudgetSpent: Bool { configuration.maxReasoningTokens.map { reasoningTokens >= $0 } ?? false }

    /// The raw output so far, including tags, up to a stop string.
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

    /// Sorts one scalar, the one before the cursor.
    private mutating func step(_ scalar: Unicode.Scalar) {
        if section == .bareCall {
            if !call.appendBare(scalar, calling: functions) { reviveAsText() }
            return
        }
        if section == .call, call.awaitsName {
            guard call.appendName(scalar, of: functions) else { return leaveAsText() }
            if call.awaitsName { return }
        }
        // White space after a tag belongs to the tag; no marker begins with white space.
        if section != .call, writer.dropsWhitespace, matcher.held.isEmpty, scalar.properties.isWhitespace {
            return writer.drop(scalar)
        }
        let table = table
        let step = matcher.accept(scalar, markers: table, except: mayLackOpening ? nil : .bareCallOpening)
        let markerLength = step.found.map { table.texts[$0].count } ?? 0
        guard route(step.released, endingAt: cursor - markerLength - matcher.held.count) else { return }
        if let found = step.found {
            cross(table.markers[found], length: markerLength)
        } else if section == .call, call.isDue(), !mayBecomeCall {
            leaveAsText()
        }
    }

    /// Adds scalars that are not part of a marker to the current section. They end at offset `end` of the raw output.
    ///
    /// - Returns: false if one of them began a call without opening tag; sorting then continues after its brace.
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
        allowsBareCall && !writer.hasText && writer.isAtStart && scalar == "{"
    }

    private var table: RouterMarkers.Table {
        switch section {
        case .text where isTaggedAnswer: markers.taggedAnswer
        case .text where writer.hasText: markers.text
        case .text: hasReasoned ? markers.answerStart : markers.textStart
        case .reasoning: writer.hasReasoning ? markers.reasoning : markers.reasoningStart
        case .call: markers.call
        case .bareCall: markers.bareCall
        }
    }

    private mutating func route(_ scalar: Unicode.Scalar) {
        switch section {
        case .call, .bareCall: call.append(scalar)
        case .text: writer.writeText(scalar)
        case .reasoning: writer.writeReasoning(scalar)
        }
    }

    // MARK: Sections

    /// Changes the section at a marker, which ends at the cursor.
    private mutating func cross(_ marker: RouterMarkers.Marker, length: Int) {
        switch marker {
        case .stop:
            writer.releaseWhitespace(.text)
            stopString = Self.text(raw[(cursor - length)..<cursor])
            raw.removeSubrange((cursor - length)...)
            cursor = raw.count
            hasStopped = true
            writer.settle()
        case .reasoningOpening:
            writer.passReasoningOpening()
            section = .reasoning
        case .reasoningClosing:
            hasReasoned = true
            hasSpentBudget = isBudgetSpent
            enter(.text)
        case .answerOpening:
            isTaggedAnswer = true
            hasHiddenTag = true
            enter(.text)
        case .answerClosing:
            writer.endAnswer(raw[(cursor - length)..<cursor])
            hasHiddenTag = true
        case .hidden:
            writer.passHiddenTag()
            section = .text
            hasHiddenTag = true
        case .callOpening:
            enter(.call)
            call = OpenCall(start: cursor - length, bodyStart: cursor)
        case .bareCallOpening:
            openCallWithoutTag(length: length)
        case .callClosing:
            closeCall(markerLength: length)
        }
    }

    /// Enters a section after a tag.
    private mutating func enter(_ next: Section) {
        writer.passTag()
        section = next
    }

    /// Releases what the section holds back, at the end of the output.
    private mutating func closeSection(_ reason: FinishReason) {
        // If a call without opening tag begins in the held text, the text after it is sorted again and may be held back
        // again.
        while !matcher.held.isEmpty, !route(matcher.finish(), endingAt: cursor) { advance() }
        switch section {
        case .text: writer.releaseWhitespace(.text)
        case .reasoning: writer.releaseWhitespace(.reasoning)
        case .call: finishCall(reason)
        case .bareCall: finishBareCall()
        }
    }

    // MARK: Calls

    /// Handles a closing tag: it ends the call, unless the call cannot be parsed yet and the tag may be inside a
    /// string.
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

    /// Handles the end of the output inside a call.
    private mutating func finishCall(_ reason: FinishReason) {
        // From here on every closing tag ends its call. Otherwise the rest could be sorted again and again.
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

    /// Handles a call that could not be parsed although a closing tag was taken for a part of a string: that tag ends
    /// the call after all. The call is rejected, and the text after the tag is sorted again.
    ///
    /// - Returns: whether there was such a tag.
    private mutating func endCallAtFirstTag() -> Bool {
        guard let firstTag = call.firstTag else { return false }
        cursor = firstTag.end
        reject(firstTag.error, until: firstTag.end)
        return true
    }

    /// The result of parsing the call so far.
    private var parsed: Result<[ParsedFunctionCall], FunctionCallSyntaxError> {
        guard let parser = configuration.functionCalls?.parser else { return .success([]) }
        do throws(FunctionCallSyntaxError) {
            return .success(try parser.parse(Self.text(call.body[...])))
        } catch {
            return .failure(error)
        }
    }

    private mutating func emit(_ calls: [ParsedFunctionCall]) {
        guard !call.lacksOpening || areKnown(calls) else { return reviveAsText() }
        hasHiddenTag = true
        let calls = calls.map { FunctionCall(id: callIDs.next($0.id), name: $0.name, arguments: $0.arguments) }
        writer.write(.functionCalls(calls))
        enter(.text)
    }

    private mutating func reject(_ error: FunctionCallSyntaxError, until end: Int) {
        if section == .call, call.lacksOpening { return reviveAsText() }
        let text = Self.text(raw[call.start..<end])
        writer.write(
            .rejectedFunctionCall(FunctionCallRejection(text: text, reason: error.reason, message: error.message)))
        enter(.text)
    }

    // MARK: Calls without an opening tag

    /// Whether what a call begins with where its opening tag is missing is that, if it ends at the cursor: it has to stand
    /// at the beginning of a line. Elsewhere it is text, in which a stop string may begin.
    private var mayLackOpening: Bool {
        let start = cursor - markers.bareOpeningCount
        guard start >= firstMissingOpening else { return false }
        if start > 0, raw[start - 1] == "\n" { return true }
        // More than what such a call begins with is held back where text stands before it.
        return writer.isAtStart && matcher.held.count < markers.bareOpeningCount
    }

    /// Handles what a call begins with where its opening tag is missing.
    private mutating func openCallWithoutTag(length: Int) {
        let start = cursor - length
        section = .call
        call = OpenCall(start: start, bodyStart: start)
        for scalar in raw[start..<cursor] { call.append(scalar) }
    }

    /// Whether a call without its opening tag can still be one, whatever follows what was read of it.
    private var mayBecomeCall: Bool {
        if case .failure(let error) = parsed { error.reason == .cut } else { true }
    }

    /// Handles what looked like a call without its opening tag and is text: sorts it again. The next one begins in its last
    /// line at the earliest, so that no text is sorted again and again.
    private mutating func leaveAsText() {
        let lastLine = raw[..<cursor].lastIndex(of: "\n").map { $0 + 1 } ?? 0
        firstMissingOpening = max(call.start + 1, lastLine)
        _ = matcher.finish()
        section = .text
        cursor = call.start
    }

    private func areKnown(_ calls: [ParsedFunctionCall]) -> Bool {
        let names = configuration.functionNames
        return names.isEmpty || calls.allSatisfy { call in names.contains { $0.isExactly(call.name) } }
    }

    /// Handles a brace at the start of the reply, which begins a call or an answer in JSON. The text after it is sorted
    /// again.
    private mutating func openBareCall(at start: Int) {
        _ = matcher.finish()
        section = .bareCall
        cursor = start + 1
        call = OpenCall(start: start, bodyStart: start)
        call.append("{")
    }

    private mutating func finishBareCall() {
        // It may just as well be a truncated answer in JSON.
        guard call.isSurelyCall else { return reviveAsText() }
        switch parsed {
        case .success(let calls): emit(calls)
        case .failure(let error) where error.reason == .malformed || error.reason == .cut || error.reason == .tooDeep:
            reject(error, until: raw.count)
        case .failure:
            // It is valid JSON, but not a call.
            reviveAsText()
        }
    }

    /// Handles text that turned out not to be a call: sorts it again, as text.
    private mutating func reviveAsText() {
        allowsBareCall = false
        firstMissingOpening = .max
        section = .text
        cursor = call.bodyStart
    }
}
