// SPDX-License-Identifier: Apache-2.0

import Foundation
import OrderedCollections
import ParleyConversation
import ParleyJSON
import ParleyLocal
import ParleyRuntime
import ParleyTestSupport
import ParleyTesting
import ParleyTokenizer
import Testing

@Suite("Adapting histories to the requirements of templates")
struct HistoryDemandsTests {
    /// A template that requires alternating roles, as those of Gemma, Mistral and Llama 2 do.
    private static let alternating = """
        {%- for m in messages %}{% if (m.role == 'user') != (loop.index0 % 2 == 0) %}
        {{- raise_exception('Conversation roles must alternate') }}{% endif %}<{{ m.role }}>{{ m.content }}{% endfor -%}
        """

    private let user = ChatMessage.user("uone")
    private let reply = ChatMessage.assistant("aone")
    private let call = FunctionCall(id: "call00001", name: "get_rain", arguments: ["city": "Bern"])

    private func text(_ template: String?, _ messages: [ChatMessage]) throws -> String {
        let tokenizer = try ScriptedRunners.tokenizer()
        let prompt = try PromptRenderer(template, tokenizer: tokenizer)
            .render(messages, functions: [], options: GenerationOptions())
        return tokenizer.decode(prompt.input.tokens, showsControlTokens: true)
    }

    @Test("If roles have to alternate, adjacent messages of one role are merged")
    func mergesNeighbours() throws {
        let messages: [ChatMessage] = [user, .user("utwo"), reply, .assistant("atwo"), .user("uthree")]
        #expect(
            try text(Self.alternating, messages) == "<user>uone\n\nutwo<assistant>aone\n\natwo<user>uthree")
    }

    @Test("A template that allows adjacent messages of one role gets them unchanged")
    func keepsNeighbours() throws {
        let template = "{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}"
        #expect(try text(template, [user, .user("utwo"), .user("")]) == "<user>uone<user>utwo<user>")
        #expect(try text(template, [reply, .system("s"), user]) == "<assistant>aone<system>s<user>uone")
    }

    @Test("For a template without a system role, the system text is moved to the first user message")
    func foldsSystem() throws {
        let template = """
            {%- if messages[0].role == 'system' %}{{ raise_exception('System role not supported') }}{% endif -%}
            """ + Self.alternating
        #expect(
            try text(template, [.system("rule"), user, reply, .system("new"), .user("utwo")])
                == "<user>rule\n\nuone<assistant>aone<user>new\n\nutwo")
    }

    @Test("A system message that a template would silently drop is moved to the user message")
    func laterSystem() throws {
        let template = """
            {%- for m in messages %}{% if m.role != 'system' or loop.first %}<{{ m.role }}>{{ m.content }}{% endif %}
            {%- endfor -%}
            """
        #expect(
            try text(template, [.system("one"), .system("two"), user, reply, .system("three")])
                == "<system>one\n\ntwo<user>uone<assistant>aone<user>three")
    }

    @Test("A developer's message that a template would silently drop is kept like one of the system")
    func laterDeveloper() throws {
        let template = """
            {%- for m in messages %}{% if (m.role != 'system' and m.role != 'developer') or loop.first %}
            {{- '<' + m.role + '>' + m.content }}{% endif %}{% endfor -%}
            """
        func developer(_ text: String) -> ChatMessage { ChatMessage(role: .developer, content: [.text(text)]) }
        #expect(
            try text(template, [.system("one"), developer("two"), user, reply, developer("three")])
                == "<system>one\n\ntwo<user>uone<assistant>aone<user>three")
        #expect(try text(template, [developer("one"), user]) == "<developer>one<user>uone")
    }

    @Test(
        "A history that begins with a reply, or has no user message, gets an empty one where the template requires it")
    func userFirst() throws {
        #expect(try text(Self.alternating, [reply, user]) == "<user><assistant>aone<user>uone")
        #expect(try text(Self.alternating, [reply]) == "<user><assistant>aone")
    }

    @Test("Unanswered calls are written as text if the template refuses them")
    func unansweredCalls() throws {
        let template = "{% if tools %}{% endif %}" + Self.alternating
        let calling = ChatMessage(role: .assistant, content: [], functionCalls: [call])
        let rendered = try text(template, [user, calling, .functionResult("rain", for: call), .user("utwo")])
        #expect(rendered.contains("get_rain") && rendered.contains("rain\n</tool_response>\n\nutwo"))
    }

    @Test("Merged messages keep all their parts in order, images too")
    func mergedImages() throws {
        let image = SeeingModel.image()
        let model = SeeingModel(base: try ScriptedRunners.model(saying: ""))
        let renderer = try PromptRenderer(Self.alternating, tokenizer: model.tokenizer, images: model)
        let messages = [
            ChatMessage(role: .user, content: [.text("one "), .image(image)]),
            ChatMessage(role: .user, content: [.image(image), .text(" two")]),
        ]
        let texts = try renderer.render(messages, functions: [], options: GenerationOptions()).input.parts.map { part in
            if case .tokens(let tokens) = part { model.tokenizer.decode(tokens) } else { "(image)" }
        }
        #expect(texts == ["<user>one ", "(image)", "\n\n", "(image)", " two"])
    }

    @Test("What no template can render is an error that says what to do")
    func refusal() throws {
        let error = #expect(throws: ConversationError.self) {
            try text("{{ raise_exception('never') }}", [user])
        }
        #expect(error?.code == .invalidInput)
        #expect(error?.message.contains("never") == true && error?.message.contains("begin a new conversation") == true)
    }

    /// All orders of roles that the history of an app may have.
    private var histories: [String: [ChatMessage]] {
        let calling = ChatMessage(role: .assistant, content: [], functionCalls: [call])
        let second = FunctionCall(id: "call00002", name: "get_wind", arguments: [:])
        let twice = ChatMessage(role: .assistant, content: [], functionCalls: [call, second])
        let result = ChatMessage.functionResult("resultone", for: call)
        let system = ChatMessage.system("sone")
        return [
            "stopped": [user, .user("utwo")], "stopped twice": [system, user, .user("utwo"), .user("uthree")],
            "stopped later": [user, reply, .user("utwo"), .user("uthree")],
            "two replies": [user, reply, .assistant("atwo"), .user("utwo")],
            "reply first": [reply, user], "rule, reply first": [system, reply, user],
            "rules": [system, .system("stwo"), user],
            "late rule": [user, reply, .system("stwo"), .user("utwo")], "rule last": [user, .system("stwo")],
            "rule alone": [system], "reply alone": [reply], "reply last": [user, reply],
            "empty reply": [user, .assistant(""), .user("utwo")],
            "empty user": [.user("")], "call": [user, calling, result],
            "call, answered": [user, calling, result, reply, .user("utwo")],
            "call, stopped": [user, calling, result, .user("utwo")],
            "call without result": [user, calling, .user("utwo")],
            "result without call": [user, result, .user("utwo")],
            "result first": [result, user],
            "two calls": [user, twice, result, .functionResult("resulttwo", for: second), .user("utwo")],
            "thought only": [user, ChatMessage(role: .assistant, content: [], reasoningContent: "hm"), .user("utwo")],
        ]
    }

    @Test(
        "Every history renders with every template of the collection, and no text is lost",
        .enabled(if: !TemplateCorpus.names.isEmpty, References.hint), arguments: TemplateCorpus.names)
    func corpus(name: String) throws {
        // Needs a variable of its own before it renders anything.
        if name.hasPrefix("fireworks-ai-llama-3-firefunction") { return }
        let source = try TemplateCorpus.source(name)
        for (history, messages) in histories {
            let rendered: String
            do {
                rendered = try text(source, messages)
            } catch {
                Issue.record("\(name), \(history): \(error)")
                continue
            }
            for message in messages where !message.text.isEmpty {
                // A result without its call is no message that a template has to know.
                if message.role == .tool, history.hasPrefix("result") { continue }
                #expect(rendered.contains(message.text), "\(name), \(history): \(message.text)")
            }
        }
    }
}

/// A model in which each image takes ten positions.
struct SeeingModel: ImageTokenModel {
    var base: TemplatedModel
    /// What its timelines are made of those of the base.
    var timelines: @Sendable (any TokenTimeline) -> any TokenTimeline = { $0 }
    var seesImages: Bool { true }
    var info: ModelDescription { base.info }
    var tokenizer: Tokenizer { base.tokenizer }

    func makeTimeline(capacity: Int) throws -> any TokenTimeline {
        timelines(try base.makeTimeline(capacity: capacity))
    }

    func input(ofImage bytes: Data) throws -> ModelInput {
        var input = ModelInput()
        input.append(.embedding(Self.embedding(of: bytes)))
        return input
    }

    /// The header of a PNG file of one pixel, or of 2^27 in a column; bytes behind it tell it from others.
    static func image(_ end: String = "", isHuge: Bool = false) -> Data {
        var bytes: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13]
        bytes += Array("IHDR".utf8)
        bytes += [0, 0, 0, 1, isHuge ? 8 : 0, 0, 0, 1]
        bytes += Array(end.utf8)
        return Data(bytes)
    }

    static func embedding(of image: Data) -> InputEmbedding {
        InputEmbedding(identity: Array(image), count: 10, payload: image)
    }
}
