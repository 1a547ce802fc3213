// SPDX-License-Identifier: Apache-2.0

import Foundation
import Parley
import ParleyGeneratable
import ParleyTesting
import Testing

@Suite("A typed reply", .timeLimit(.minutes(15)))
struct ConversationGeneratingTests {
    private static let reply = #"{"name": "root", "children": [{"name": "a"}, {"name": "b", "children": []}]}"#
    private static let value = Tree(name: "root", children: [Tree(name: "a"), Tree(name: "b")])

    private func runner(_ reply: ScriptedReply) -> ScriptedRunner { ScriptedRunner(replies: [reply]) }

    @Test(
        "Partial values are delivered, then the whole value",
        arguments: [.whole, .words, .every(1), .random(seed: 3)] as [TokenCuts])
    func stream(cuts: TokenCuts) async throws {
        let conversation = runner(ScriptedReply(Self.reply, cuts: cuts)).createConversation()
        var seen: [String] = []
        var value: Tree?
        for try await response in conversation.streamResponse(to: "A tree.", generating: Tree.self) {
            #expect(value == nil)
            switch response {
            case .partial(let tree): seen.append(Self.describe(tree))
            case .complete(let tree, let completion):
                value = tree
                #expect(completion.message == conversation.history.last)
            case .functionCall: Issue.record("no function was called")
            }
        }
        #expect(value == Self.value)
        // A name, then each child's name, its list where it has one, its end, and the end of the list.
        #expect(seen == ["root", "root(a)", "root(a)", "root(a,b)", "root(a,b())", "root(a,b())", "root(a,b())"])
    }

    private static func describe(_ tree: Tree.Partial) -> String {
        (tree.name ?? "-") + (tree.children.map { "(\($0.map(describe).joined(separator: ",")))" } ?? "")
    }

    @Test("The request carries the schema")
    func schema() async throws {
        let runner = runner(ScriptedReply(Self.reply))
        let conversation = runner.createConversation()
        let options = GenerationOptions(temperature: 0.5)
        let value = try await conversation.reply(to: "A tree.", generating: Tree.self, generationOptions: options)
        #expect(value == Self.value)
        #expect(runner.requests.first?.options.jsonSchemaConstraint == Tree.jsonSchema)
        #expect(runner.requests.first?.options.temperature == 0.5)
    }

    @Test("A list or a single value may be the whole reply")
    func otherRoots() async throws {
        let runner = ScriptedRunner(replies: [#"[{"name": "a"}, {"name": "b"}]"#, #" "SAD" "#, "12"])
        let conversation = runner.createConversation()
        var parts: [[String?]] = []
        var whole: [Tree]?
        for try await response in conversation.streamResponse(to: "Trees.", generating: [Tree].self) {
            if case .partial(let trees) = response { parts.append(trees.map(\.name)) }
            if case .complete(let trees, _) = response { whole = trees }
        }
        #expect(whole == [Tree(name: "a"), Tree(name: "b")])
        #expect(parts == [["a"], ["a"], ["a", "b"], ["a", "b"]])
        #expect(try await conversation.reply(to: "How?", generating: Everything.Mood.self) == .sad)
        #expect(try await conversation.reply(to: "How many?", generating: Int.self) == 12)
    }

    @Test("A busy conversation is an error, both for streamed and awaited values")
    func busy() async throws {
        let gate = Gate()
        let conversation = runner(ScriptedReply(steps: [.wait(gate), .token(Self.reply)])).createConversation()
        let first = conversation.streamResponse(to: "A tree.", generating: Tree.self)
        let refused = conversation.streamResponse(to: "Another.", generating: Tree.self)
        await #expect(throws: ConversationError.self) { for try await _ in refused {} }
        let error = await #expect(throws: ConversationError.self) {
            try await conversation.reply(to: "Another.", generating: Tree.self)
        }
        #expect(error?.code == .busy)
        gate.open()
        var value: Tree?
        for try await response in first { if case .complete(let tree, _) = response { value = tree } }
        #expect(value == Self.value)
    }

    @Test("Releasing the stream stops the model")
    func stopping() async throws {
        let never = Gate()
        let steps = [#"{"name": "root""#, ","].map(ScriptedReply.Step.token)
        let conversation = runner(ScriptedReply(steps: steps + [.wait(never)])).createConversation()
        for try await response in conversation.streamResponse(to: "A tree.", generating: Tree.self) {
            guard case .partial(let tree) = response else { continue }
            #expect(tree.name == "root")
            break
        }
        await conversation.waitUntilIdle()
        #expect(conversation.history.last?.text.hasPrefix(#"{"name": "root""#) == true)
    }

    @Test("A stream that was stopped throws that its value is incomplete")
    func stopped() async throws {
        let never = Gate()
        let steps = [#"{"name": "root""#, ","].map(ScriptedReply.Step.token)
        let conversation = runner(ScriptedReply(steps: steps + [.wait(never)])).createConversation()
        let responses = conversation.streamResponse(to: "A tree.", generating: Tree.self)
        let error = await #expect(throws: ConversationError.self) {
            for try await _ in responses { responses.stop() }
        }
        #expect(error?.message.contains("it was cancelled") == true)
        #expect(conversation.history.last?.text.hasPrefix(#"{"name": "root""#) == true)
    }

    @Test("Reasoning before the value is not part of it")
    func reasoning() async throws {
        let conversation = runner(ScriptedReply("<think>{\"name\": 1}</think>\(Self.reply)")).createConversation()
        #expect(try await conversation.reply(to: "A tree.", generating: Tree.self) == Self.value)
    }

    @Test("A reply that was cut off is an error that says so")
    func cutOff() async throws {
        let conversation = runner(ScriptedReply(Self.reply)).createConversation()
        var parts = 0
        let error = await #expect(throws: ConversationError.self) {
            let options = GenerationOptions(maxTokens: 4)
            for try await response in conversation.streamResponse(
                to: "A tree.", generating: Tree.self, generationOptions: options)
            {
                if case .partial = response { parts += 1 }
            }
        }
        #expect(parts > 0)
        #expect(error?.code == .generationFailed)
        #expect(error?.message.contains("Raise maxTokens") == true)
        #expect(conversation.history.count == 2)
    }

    @Test("A number that was cut off is an error: its beginning is a number too", arguments: ["12345", "1.25"])
    func cutOffNumber(reply: String) async throws {
        let options = GenerationOptions(maxTokens: 3)
        let conversation = runner(ScriptedReply(reply, cuts: .every(1))).createConversation()
        let error = await #expect(throws: ConversationError.self) {
            try await conversation.reply(to: "How many?", generating: Double.self, generationOptions: options)
        }
        #expect(error?.code == .generationFailed)
        #expect(error?.message.contains("Raise maxTokens") == true)
        // A list is complete with its bracket, however the reply ended.
        let list = runner(ScriptedReply("[1]", cuts: .every(1))).createConversation()
        #expect(try await list.reply(to: "Which?", generating: [Int].self, generationOptions: options) == [1])
    }

    @Test("A reply that is not a value of the type is an error")
    func otherValue() async throws {
        let conversation = runner(#"{"name": 1}"#).createConversation()
        let error = await #expect(throws: ConversationError.self) {
            try await conversation.reply(to: "A tree.", generating: Tree.self)
        }
        #expect(error?.code == .serializationFailed)
    }

    @Test("A failure of the runner is thrown")
    func failure() async throws {
        let broken = ScriptedReply(steps: [.token("{"), .fail(ConversationError(.modelNotLoaded, "Gone."))])
        let conversation = runner(broken).createConversation()
        let error = await #expect(throws: ConversationError.self) {
            for try await _ in conversation.streamResponse(to: "A tree.", generating: Tree.self) {}
        }
        #expect(error?.code == .modelNotLoaded)
    }

    @Test("A function call ends the stream, and the value follows its result")
    func functionCall() async throws {
        let runner = ScriptedRunner(replies: [
            #"<tool_call>{"name": "look", "arguments": {}}</tool_call>"#, ScriptedReply(Self.reply),
        ])
        let conversation = runner.createConversation()
        conversation.registerFunction(Function(name: "look", description: "Looks", parameters: []))
        var calls: [FunctionCall] = []
        for try await response in conversation.streamResponse(to: "A tree.", generating: Tree.self) {
            if case .functionCall(let called) = response { calls = called }
        }
        let call = try #require(calls.first)
        conversation.appendToHistory(.functionResult("{}", for: call))
        var value: Tree?
        for try await response in conversation.streamResponse(generating: Tree.self) {
            if case .complete(let tree, _) = response { value = tree }
        }
        #expect(value == Self.value)
    }

    @Test("A partial value has an enum once it is complete, and a list as it grows")
    func partialShapes() {
        var prefix = JSONPrefix()
        let pieces = [#"{"shape": {"circle": {"radius": 1"#, "}", "}", #", "list": [[1], [2,"#, #"3]"#]
        let parts = pieces.flatMap { prefix.append($0) }.compactMap(Everything.partial)
        // The radius, the circle's values, the circle; then 1, [1], 2, 3, [2, 3].
        #expect(parts.map { $0.shape == nil } == [true, true, false, false, false, false, false, false])
        #expect(parts.last?.list == [[1], [2, 3]])
    }
}
