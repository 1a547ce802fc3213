// SPDX-License-Identifier: Apache-2.0

import ParleyConversation
import ParleyDialect
import ParleyReplyCases
import ParleyRuntime
import ParleyTesting
import Synchronization
import Testing

@Suite("Response router: cuts")
struct ResponseRouterPropertyTests {
    /// Pieces from which random outputs are made: tags, halves of tags, values, text, white space and characters of
    /// many scalars.
    static let pieces = [
        "<think>", "</think>", "<thi", "nk>", "</", "<tool_call>", "</tool_call>", "<tool", "<|tool_call_start|>",
        "<|tool_call_end|>", "<|python_tag|>", "[f(a='x')]", "f(b=1", ")", #"{"name": "f", "arguments": {"#,
        #""a": "b"}}"#, #"{"name": "g"}"#, #"{"city": 3}"#, "\"", "'", "\\", "{", "}", "[", "]", ",", " ", "\n", "\r\n",
        "END", "EN", "D", "word", "é", "e\u{301}", "👩‍👩‍👧", "🇨🇭", "\u{301}", "\u{200D}", "क्षि",
        "<function=f>", "</function>", "<function=", "<|channel|>analysis<|message|>", "<|channel|>final<|message|>",
        "<|end|>", "<|start|>assistant", "to=functions.f<|message|>{}", "<response>", "</response>", "</resp",
    ]

    static let configurations: [ResponseRouter.Configuration] = [
        .init(functionCalls: .hermes, stop: ["END", "\n\n", "D<"]),
        .init(startsInsideReasoning: true, functionCalls: .lfmPythonic, stop: ["wordEND"]),
        .init(functionCalls: .llama3JSON, functionNames: ["f"], stop: ["END"]),
        .init(reasoning: nil, functionCalls: .llama3JSON, stop: ["{\"city\"", "{{"]),
        .init(functionCalls: .qwenCoder, functionNames: ["f"], stop: ["END", "f>word", "<function=f>D"]),
        .init(reasoning: .harmony, functionCalls: .harmony, stop: ["END"]),
        .init(
            reasoning: ReasoningTags(
                opening: "<think>", closing: "</think>", answerOpening: "<response>", answerClosing: "</response>"),
            functionCalls: .hermes, stop: ["END", "e>END"]),
    ]

    @Test("Random outputs give the same parts however they are split into pieces", arguments: 0..<7)
    func cuts(configuration: Int) {
        var numbers = SplitMix64(seed: 17 + UInt64(configuration))
        let configuration = Self.configurations[configuration]
        for round in 0..<600 {
            let count = Int(numbers.next() % 14) + 1
            let output = (0..<count).map { _ in Self.pieces[Int(numbers.next() % UInt64(Self.pieces.count))] }.joined()
            let reason: FinishReason = round % 2 == 0 ? .stop : .length
            let whole = route([output], configuration, reason)
            for cuts in [TokenCuts.every(1), .every(2), .every(7), .random(seed: numbers.next())] {
                let cut = route(cuts.tokens(of: output), configuration, reason)
                #expect(cut == whole, "\(output.debugDescription) by \(cuts)")
            }
        }
    }

    @Test("Every split of an output into two pieces gives the same parts")
    func everyCut() {
        let output = """
             <think>\nSo 🇨🇭…</think>\n\nI will e\u{301} look.<tool_call>{"name": "f", "arguments": {"a": \
            "</tool_call>"}}</tool_call>\n<tool_call>{broken</tool_call> 👩‍👩‍👧 bye <tool_ca
            """
        let scalars = Array(output.unicodeScalars)
        let configuration = ResponseRouter.Configuration(functionCalls: .hermes, stop: ["bye bye"])
        let whole = route([output], configuration)
        #expect(whole.count == 5)
        for cut in 0...scalars.count {
            var head = ""
            var tail = ""
            head.unicodeScalars.append(contentsOf: scalars[..<cut])
            tail.unicodeScalars.append(contentsOf: scalars[cut...])
            #expect(route([head, tail], configuration) == whole, "cut at \(cut)")
        }
    }

    @Test("No text is lost or duplicated, whatever is recognised and however the output is split")
    func order() throws {
        for seed in 0..<3_000 {
            var numbers = SplitMix64(seed: UInt64(seed) &* 0x9E37_79B9)
            try SortedReply(&numbers).check(&numbers)
        }
    }

    @Test("Nothing but tags and the white space around them is lost")
    func nothingIsLost() {
        var numbers = SplitMix64(seed: 5)
        for _ in 0..<500 {
            let output = (0..<10).map { _ in Self.pieces[Int(numbers.next() % UInt64(Self.pieces.count))] }.joined()
            let parts = route([output], .init(reasoning: nil, functionCalls: .hermes))
            guard !parts.contains(where: { if case .functionCalls = $0 { true } else { false } }) else { continue }
            let kept = parts.reduce(into: "") { kept, part in
                switch part {
                case .text(let text), .reasoning(let text): kept += text
                case .rejectedFunctionCall(let rejection): kept += rejection.text
                case .functionCalls, .audio: break
                }
            }
            #expect(solid(kept) == solid(output))
        }
    }

    /// Parses as another parser does, and counts the bytes that it is given.
    private final class CountingParser: FunctionCallParser {
        let name = "counted"
        let opening = "<tool_call>"
        let closing: String? = "</tool_call>"
        let bareOpening: String
        private let parser: any FunctionCallParser
        private let count = Mutex((texts: 0, bytes: 0))

        init(_ parser: any FunctionCallParser) {
            self.parser = parser
            bareOpening = parser.bareOpening
        }

        var texts: Int { count.withLock { $0.texts } }
        var bytes: Int { count.withLock { $0.bytes } }

        func parse(_ text: String) throws(FunctionCallSyntaxError) -> [ParsedFunctionCall] {
            count.withLock { $0 = ($0.texts + 1, $0.bytes + text.utf8.count) }
            return try parser.parse(text)
        }
    }

    /// Runs an output through a router, scalar by scalar, and returns the parser with its counts.
    private func parsed(_ output: String, by parser: any FunctionCallParser = HermesDialect()) -> CountingParser {
        let parser = CountingParser(parser)
        let configuration = ResponseRouter.Configuration(functionCalls: FunctionCallFormat(parser))
        _ = route(output.unicodeScalars.map { String($0) }, configuration, .length)
        return parser
    }

    @Test("A call is parsed only where it may end, not after every piece")
    func readOnce() {
        let parser = parsed(#"<tool_call>{"name": "f", "arguments": {"a": ""# + String(repeating: "x", count: 20_000))
        #expect(parser.texts == 1)
    }

    @Test("The cost of unterminated strings grows linearly with the output")
    func openStrings() {
        let costs = [64, 128, 256].map { count in
            parsed(String(repeating: #"<tool_call>{"a": "x</tool_call>"#, count: count)).bytes
        }
        #expect(costs[1] < costs[0] * 5 / 2)
        #expect(costs[2] < costs[1] * 5 / 2)
    }

    @Test("The cost of text that looks like calls without their opening tag grows linearly with the output")
    func openFunctions() {
        let costs = [64, 128, 256].map { count in
            let calls = String(repeating: "<function=f>\n<parameter=a>\n", count: count)
            let end = "</parameter>\n</function>\n" + String(repeating: "word ", count: 8 * count)
            return parsed(calls + end, by: QwenCoderDialect()).bytes
        }
        #expect(costs[1] < costs[0] * 5 / 2)
        #expect(costs[2] < costs[1] * 5 / 2)
    }

    private func solid(_ text: String) -> [Unicode.Scalar] {
        text.unicodeScalars.filter { !$0.properties.isWhitespace }
    }
}
