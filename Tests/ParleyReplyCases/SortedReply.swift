// SPDX-License-Identifier: Apache-2.0

package import ParleyConversation
import ParleyDialect
package import ParleyRuntime

/// A random reply made of tags, parts of tags, stop strings, calls and characters with many scalars. Checks the parts
/// that a router makes from it, however it is split.
package struct SortedReply {
    static let pieces = [
        "<think>", "</think>", "<thi", "nk>", "</", "<tool_call>", "</tool_call>", "<tool", "<|tool_call_start|>",
        "<|tool_call_end|>", "<|python_tag|>", "[TOOL_CALLS]", "[ARGS]", "[f(a='x')]", "f(b=1", ")", "f", "{}",
        #"{"name": "f", "arguments": {"#, #""a": "b"}}"#, #"{"name": "g"}"#, #"{"name""#, #"{"city": 3}"#, "\"", "'",
        "\\", "{", "}", "[", "]", ",", " ", "\n", "\r\n", "END", "EN", "D", "word", "é", "e\u{301}", "👩‍👩‍👧", "🇨🇭", "🇨",
        "\u{301}", "\u{200D}", "\u{FE0F}", "क्षि", "\u{0}", "<call>", "</call>",
    ]

    private static let stops = [
        "END", "\n\n", "D<", "wordEND", "{\"city\"", "{{", "{…", "{ ", "\u{301}", "<", "</think", "🇨🇭", "[", "{", "}}",
        " ",
    ]

    private static let formats: [FunctionCallFormat?] = [
        nil, .hermes, .lfmPythonic, .llama3JSON, .mistralJSON, .mistralNamed,
        FunctionCallFormat(BareAndTagged()),
    ]

    private struct BareAndTagged: FunctionCallParser {
        let name = "bare-and-tagged"
        let opening = "<call>"
        let closing: String? = "</call>"
        let allowsBareJSON = true

        func parse(_ text: String) throws(FunctionCallSyntaxError) -> [ParsedFunctionCall] {
            try HermesDialect().parse(text)
        }
    }

    package let output: [Unicode.Scalar]
    package let configuration: ResponseRouter.Configuration
    package let reason: FinishReason

    /// Creates a random reply and a random router configuration.
    package init(_ random: inout SplitMix64) {
        func int(_ range: ClosedRange<Int>, _ random: inout SplitMix64) -> Int { Int.random(in: range, using: &random) }
        var output = ""
        for _ in 0...int(0...11, &random) { output += Self.pieces.randomElement(using: &random) ?? "" }
        if int(0...3, &random) == 0, let last = Self.stops.randomElement(using: &random) { output += last.prefix(1) }
        self.output = Array(output.unicodeScalars)
        var stop: [String] = []
        for _ in 0..<int(0...2, &random) { stop.append(Self.stops.randomElement(using: &random) ?? "") }
        configuration = ResponseRouter.Configuration(
            reasoning: int(0...4, &random) == 0 ? nil : .think, startsInsideReasoning: int(0...3, &random) == 0,
            maxReasoningTokens: int(0...3, &random) == 0 ? int(0...4, &random) : nil,
            functionCalls: Self.formats.randomElement(using: &random) ?? nil,
            functionNames: int(0...1, &random) == 0 ? ["f"] : [], usedCallIDs: [], stop: stop)
        reason = int(0...1, &random) == 0 ? .stop : .length
    }

    /// Checks that no text of the reply is lost or duplicated, and that splitting it does not matter.
    package func check(_ random: inout SplitMix64) throws {
        let whole = try sorted(cutAt: [])
        try checkOrder(whole.pieces, whole.raw)
        let every = try sorted(cutAt: Array(output.indices))
        var cuts: [Int] = []
        for index in output.indices where Bool.random(using: &random) { cuts.append(index) }
        let some = try sorted(cutAt: cuts)
        for other in [every, some] {
            guard Self.same(whole.parts, other.parts), whole.raw == other.raw else {
                throw Failure("\(self): cut, it is sorted into \(other.parts), whole into \(whole.parts)")
            }
        }
    }

    private func sorted(
        cutAt cuts: [Int]
    ) throws -> (pieces: [ResponsePart], parts: [ResponsePart], raw: [Unicode.Scalar]) {
        var router = ResponseRouter(configuration)
        var parts: [ResponsePart] = []
        var start = 0
        for end in cuts + [output.count] {
            parts += router.append(Self.string(output[start..<end]))
            start = end
        }
        parts += router.finish(reason)
        try checkCharacters(parts)
        return (parts, parts.merged, Array(router.rawOutput.unicodeScalars))
    }

    /// Pieces of text end where characters do.
    private func checkCharacters(_ parts: [ResponsePart]) throws {
        for (left, right) in zip(parts, parts.dropFirst()) {
            // Between pieces of reasoning a tag may have stood.
            guard case .text(let first) = left, case .text(let second) = right else { continue }
            guard (first + second).count == first.count + second.count else {
                throw Failure("\(self): a character is torn between \(first.debugDescription) and what follows")
            }
        }
    }

    // MARK: Nothing lost, nothing twice

    /// Checks that the parts, in order, are the raw output without tags and the white space around them.
    private func checkOrder(_ parts: [ResponsePart], _ raw: [Unicode.Scalar]) throws {
        guard output.starts(with: raw) else { throw Failure("\(self): the raw output is \(Self.string(raw[...]))") }
        var places: Set = [0]
        var isInText = false
        for part in parts {
            let isText = if case .text = part { true } else { false }
            if !isText || !isInText { places = afterGaps(places, raw) }
            isInText = isText
            switch part {
            case .text(let text): places = after(Array(text.unicodeScalars), places, raw)
            case .reasoning(let text):
                let scalars = Array(text.unicodeScalars)
                // An empty line separates two reasonings.
                let isSeparated = text.unicodeScalars.starts(with: "\n\n".unicodeScalars)
                let rest = isSeparated ? after(Array(scalars.dropFirst(2)), places, raw) : []
                places = after(scalars, places, raw).union(rest)
            case .rejectedFunctionCall(let rejection):
                places = after(Array(rejection.text.unicodeScalars), places, raw)
            case .functionCalls(let calls): places = places.reduce(into: []) { $0.formUnion(ends(of: calls, $1, raw)) }
            case .audio: places = []
            }
            guard !places.isEmpty else {
                throw Failure("\(self): \(part) does not stand where it should; the parts are \(parts)")
            }
        }
        guard afterGaps(places, raw).contains(raw.count) else {
            throw Failure("\(self): the end is lost; the parts are \(parts)")
        }
    }

    private func after(_ text: [Unicode.Scalar], _ places: Set<Int>, _ raw: [Unicode.Scalar]) -> Set<Int> {
        Set(places.filter { raw[$0...].starts(with: text) }.map { $0 + text.count })
    }

    /// The places that tags of reasoning and white space lead to.
    private func afterGaps(_ places: Set<Int>, _ raw: [Unicode.Scalar]) -> Set<Int> {
        let tags = [configuration.reasoning?.opening, configuration.reasoning?.closing].compactMap { tag in
            tag.map { Array($0.unicodeScalars) }
        }
        var found = places
        var waiting = Array(places)
        while let place = waiting.popLast() {
            var next = after(tags.first ?? [], [place], raw).union(after(tags.last ?? [], [place], raw))
            if place < raw.count, raw[place].properties.isWhitespace { next.insert(place + 1) }
            for place in next where found.insert(place).inserted { waiting.append(place) }
        }
        return found
    }

    /// Where a text ends that begins at a place and says these calls.
    private func ends(of calls: [FunctionCall], _ start: Int, _ raw: [Unicode.Scalar]) -> Set<Int> {
        guard let parser = configuration.functionCalls?.parser else { return [] }
        let opening = Array(parser.opening.unicodeScalars)
        let closing = parser.closing.map { Array($0.unicodeScalars) } ?? []
        var bodies: [Int] = raw[start...].starts(with: opening) ? [start + opening.count] : []
        if parser.allowsBareJSON, start < raw.count, raw[start] == "{" { bodies.append(start) }
        var ends: Set<Int> = []
        for body in bodies {
            for end in body...raw.count {
                let isClosed = !closing.isEmpty && raw[body..<end].suffix(closing.count) == closing[...]
                guard isClosed || end == raw.count else { continue }
                let texts = [raw[body..<end], isClosed ? raw[body..<(end - closing.count)] : []]
                for text in texts {
                    let parsed = try? parser.parse(Self.string(text))
                    if parsed?.map({ [$0.name: $0.arguments] }) == calls.map({ [$0.name: $0.arguments] }) {
                        ends.insert(end)
                    }
                }
            }
        }
        return ends
    }

    private static func string(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
        var text = ""
        text.unicodeScalars.append(contentsOf: scalars)
        return text
    }

    /// Whether parts are the same, scalar by scalar.
    private static func same(_ left: [ResponsePart], _ right: [ResponsePart]) -> Bool {
        func scalars(_ part: ResponsePart) -> [Unicode.Scalar] {
            switch part {
            case .text(let text), .reasoning(let text): Array(text.unicodeScalars)
            default: []
            }
        }
        return left == right && zip(left, right).allSatisfy { scalars($0) == scalars($1) }
    }
}

extension SortedReply: CustomStringConvertible {
    package var description: String {
        """
        \(Self.string(output[...]).debugDescription) (\(configuration.functionCalls?.name ?? "no calls"), stop \
        \(configuration.stop), starts inside reasoning: \(configuration.startsInsideReasoning), \
        reasoning: \(configuration.reasoning != nil), names: \(configuration.functionNames), \(reason))
        """
    }
}
