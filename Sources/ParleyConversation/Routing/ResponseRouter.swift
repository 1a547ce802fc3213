// SPDX-License-Identifier: Apache-2.0

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
    enum Section {
        case text, reasoning
        /// Inside a call, behind its opening tag.
        case call
        /// Inside what is a call if it turns out to be one.
        case bareCall
    }

    /// What becomes of white space.
    enum Whitespace { case hold, drop, keep }

    let configuration: Configuration
    let markers: RouterMarkers
    var buffer = PartBuffer()
    var matcher = MarkerMatcher()

    /// Everything that came, and how far it has been sorted. Sorting goes back where a call turns out to be none.
    var raw: [Unicode.Scalar] = []
    var cursor = 0

    var section: Section
    var whitespace: Whitespace
    /// White space that belongs to a tag if one follows, and to the text otherwise.
    var heldWhitespace: [Unicode.Scalar] = []
    var hasText = false
    var hasReasoning = false
    var call = OpenCall()
    var allowsBareCall: Bool
    /// Whether every closing tag ends its call, also inside a string.
    var endsCallsAtFirstTag = false
    var callIDs: CallIDs
    var isFinished = false

    /// How many tokens of reasoning have come.
    public private(set) var reasoningTokens = 0

    /// Whether a stop string came. What is appended afterwards is ignored; the runner ends with ``FinishReason/stop``.
    public internal(set) var hasStopped = false

    /// Creates a router for one reply.
    public init(_ configuration: Configuration = Configuration()) {
        self.configuration = configuration
        markers = RouterMarkers(configuration)
        callIDs = CallIDs(used: configuration.usedCallIDs)
        allowsBareCall = configuration.functionCalls?.allowsBareJSON ?? false
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
        return "\n\(tags.closing)\n\n"
    }

    /// The output so far as it came, tags included, up to a stop string.
    public var rawOutput: String {
        var text = ""
        text.unicodeScalars.append(contentsOf: raw)
        return text
    }

    mutating func advance() {
        while cursor < raw.count, !hasStopped {
            let scalar = raw[cursor]
            cursor += 1
            step(scalar)
        }
    }
}
