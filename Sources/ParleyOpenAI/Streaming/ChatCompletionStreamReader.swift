// SPDX-License-Identifier: Apache-2.0

public import ParleyConversation
import ParleyJSON

/// Assembles one reply of a streamed response: text and reasoning as they arrive, calls once they are complete.
///
/// ```swift
/// var reader = ChatCompletionStreamReader()
/// for try await event in events where event.data != ChatCompletionChunk.end {
///     await writer.write(try reader.read(ChatCompletionChunk(reading: event.data.utf8)))
/// }
/// let (parts, outcome) = reader.finish()
/// await writer.write(parts)
/// ```
public struct ChatCompletionStreamReader: Sendable {
    private struct OpenCall {
        var id: String?
        var name = ""
        var arguments = ""
    }

    private let choice: Int
    private let limits: WireLimits
    /// The incomplete calls in their order; servers may send parts of several calls in turn.
    private var calls: [OpenCall] = []
    /// The place in ``calls`` of the last call with an index.
    private var places: [Int: Int] = [:]
    private var usedIDs: Set<String>
    private var finishReason: FinishReason?
    private var stopString: String?
    private var stats: GenerationStats?

    /// Whether the server has said why the reply ended.
    public var hasEnded: Bool { finishReason != nil }

    /// Creates a reader.
    ///
    /// - Parameters:
    ///   - choice: the number of the reply to read, from 0.
    ///   - usedCallIDs: the ids of earlier calls; a call without an id, or with one of these, gets a new id.
    ///   - limits: the limits for what is read.
    public init(choice: Int = 0, usedCallIDs: Set<String> = [], limits: WireLimits = .standard) {
        self.choice = choice
        self.limits = limits
        usedIDs = usedCallIDs
    }

    /// Reads a chunk.
    ///
    /// - Returns: the new text and reasoning of the reply.
    /// - Throws: ``OpenAIError`` if the reply has too many calls or one becomes too long.
    public mutating func read(_ chunk: ChatCompletionChunk) throws(OpenAIError) -> [ResponsePart] {
        if case .known(let usage) = chunk.usage { stats = usage }
        var parts: [ResponsePart] = []
        for delta in chunk.deltas where delta.index == choice {
            if let text = delta.reasoning, !text.isEmpty { parts.append(.reasoning(text)) }
            if let text = delta.content, !text.isEmpty { parts.append(.text(text)) }
            for call in delta.calls { try add(call) }
            finishReason = delta.finishReason ?? finishReason
            stopString = delta.stopString ?? stopString
        }
        return parts
    }

    private mutating func add(_ delta: ChatCompletionChunk.CallDelta) throws(OpenAIError) {
        let place = place(of: delta)
        guard place < limits.calls else {
            throw OpenAIError(.invalidValue, "The reply calls more than \(limits.calls) functions.", type: .server)
        }
        if place == calls.count { calls.append(OpenCall()) }
        places[delta.index] = place
        if let id = delta.id, !id.isEmpty { calls[place].id = id }
        // Some servers repeat the name with every part.
        if let name = delta.name, name != calls[place].name { calls[place].name += name }
        // In place: a copy would take longer with each part.
        calls[place].arguments += delta.arguments
        guard calls[place].arguments.utf8.count <= limits.argumentBytes, calls[place].name.utf8.count <= 1_024 else {
            throw OpenAIError(
                .invalidValue, "A call of the reply has more than \(limits.argumentBytes) bytes.", type: .server)
        }
    }

    /// The place of the call to which a part belongs.
    ///
    /// Some servers send each call whole and without an index, or all with the same one: another id begins another call,
    /// and without ids a name does, if the call before it is complete.
    private func place(of delta: ChatCompletionChunk.CallDelta) -> Int {
        guard let place = places[delta.index] else { return calls.count }
        let open = calls[place]
        if let id = delta.id, !id.isEmpty {
            if let known = open.id { return known == id ? place : calls.count }
            return open.name.isEmpty && open.arguments.isEmpty ? place : calls.count
        }
        guard open.id == nil, delta.name?.isEmpty == false, !open.arguments.isEmpty else { return place }
        // Only what ends as an object does is parsed: each part would cost as much as all before it.
        let end = open.arguments.utf8.last { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
        guard end == UInt8(ascii: "}") else { return place }
        return MessageForm.arguments(open.arguments) == nil ? place : calls.count
    }

    /// Ends the reply; call it when the stream has ended.
    ///
    /// - Returns: the calls, including those that could not be parsed, and why the reply ended. If the server did not
    ///   state a reason, the stream was interrupted, and the reason is `cancelled`.
    public mutating func finish() -> (parts: [ResponsePart], outcome: GenerationOutcome) {
        var parts: [ResponsePart] = []
        for call in calls { parts.append(part(call)) }
        (calls, places) = ([], [:])
        var outcome = GenerationOutcome(finishReason ?? .cancelled, stats: stats)
        outcome.stopString = stopString
        return (parts, outcome)
    }

    private mutating func part(_ call: OpenCall) -> ResponsePart {
        func rejected(_ reason: FunctionCallRejection.Reason, _ message: String) -> ResponsePart {
            .rejectedFunctionCall(.init(text: "\(call.name)(\(call.arguments))", reason: reason, message: message))
        }
        if call.name.isEmpty { return rejected(.missingName, "The call does not say which function.") }
        guard let arguments = MessageForm.arguments(call.arguments) else {
            if finishReason != .functionCall, finishReason != .stop {
                return rejected(.cut, "The reply ended before the call did.")
            }
            return rejected(.invalidArguments, "The arguments are no JSON object.")
        }
        return .functionCalls([FunctionCall(id: freshID(call.id), name: call.name, arguments: arguments)])
    }

    /// Returns the id that the server gave, or a new id if there is none or another call already has it.
    private mutating func freshID(_ given: String?) -> String {
        var number = usedIDs.count
        var id = given ?? "call_\(number)"
        while !usedIDs.insert(id).inserted {
            number += 1
            id = "call_\(number)"
        }
        return id
    }
}
