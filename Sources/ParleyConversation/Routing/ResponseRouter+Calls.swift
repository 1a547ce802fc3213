// SPDX-License-Identifier: Apache-2.0

extension ResponseRouter {
    /// A call whose end has not come yet.
    struct OpenCall: Sendable {
        /// Where its opening tag, and where the text behind it begins in the raw output.
        var start = 0
        var bodyStart = 0
        /// What stands behind the opening tag so far.
        var body: [Unicode.Scalar] = []
        /// Where in the raw output the first closing tag inside a string ends, and what is wrong with the call if it
        /// ends there.
        var firstTag: (end: Int, error: FunctionCallSyntaxError)?
        var tagsInStrings = 0
        var firstKey = FirstKey.awaited
    }

    /// How far the first key of a bare call has come, which says whether it is one.
    enum FirstKey: Sendable {
        case awaited
        /// Its opening quote has come, and then this.
        case begun([Unicode.Scalar])
        /// It is one of a call's.
        case known
    }

    /// How many closing tags inside the strings of one call are believed: each costs reading the call again.
    private static var mostTagsInStrings: Int { 16 }

    /// A closing tag has come: it ends the call, unless the call makes no sense yet and may be inside a string.
    mutating func closeCall(markerLength: Int) {
        switch parsed(call.body) {
        case .success(let calls):
            emit(calls)
        case .failure(let error):
            let mayBeInString =
                error.endsInsideString && !endsCallsAtFirstTag && call.tagsInStrings < Self.mostTagsInStrings
            guard mayBeInString else {
                if !endCallAtFirstTag() { reject(error, until: cursor) }
                return
            }
            if call.firstTag == nil { call.firstTag = (cursor, error) }
            call.tagsInStrings += 1
            call.body += raw[(cursor - markerLength)..<cursor]
        }
    }

    /// The output has ended inside a call.
    mutating func finishCall(_ reason: FinishReason) {
        // From here on each tag ends its call, or else sorting anew could go over the rest again and again.
        endsCallsAtFirstTag = true
        if endCallAtFirstTag() { return }
        let isCut = reason != .stop && reason != .functionCall && configuration.functionCalls?.closing != nil
        switch parsed(call.body) {
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

    func parsed(_ body: [Unicode.Scalar]) -> Result<[ParsedFunctionCall], FunctionCallSyntaxError> {
        var text = ""
        text.unicodeScalars.append(contentsOf: body)
        guard let parser = configuration.functionCalls?.parser else { return .success([]) }
        do throws(FunctionCallSyntaxError) {
            return .success(try parser.parse(text))
        } catch {
            return .failure(error)
        }
    }

    mutating func emit(_ calls: [ParsedFunctionCall]) {
        let calls = calls.map { FunctionCall(id: callIDs.next($0.id), name: $0.name, arguments: $0.arguments) }
        buffer.append(.functionCalls(calls))
        enter(.text)
    }

    mutating func reject(_ error: FunctionCallSyntaxError, until end: Int) {
        var text = ""
        text.unicodeScalars.append(contentsOf: raw[call.start..<end])
        buffer.append(
            .rejectedFunctionCall(
                FunctionCallRejection(text: text, reason: error.reason, message: error.message)))
        enter(.text)
    }
}
