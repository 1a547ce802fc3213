// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyConversation
import ParleyJSON
import ParleyModels
import ParleyServer
import ParleySystem
import ParleyTesting

/// What the scripted models reply, from a file that a test writes:
///
///     {"replies": {"Hello": "Hi!",
///                  "Slow": {"text": "One ⏸a⏸ two", "pause": 5, "prompt": "b", "fail": "No power."}},
///      "otherwise": "…", "empty": false, "engines": ["one", "two"]}
///
/// A text between two `⏸` is the name of a gate: the reply waits there until `HOME/gates/NAME` exists. `prompt` is a gate
/// while the prompt is read, `pause` the milliseconds between two words. The reply is chosen by the last message of the
/// user; `otherwise` is for all others. `engines` are those that can be chosen, of which the first one runs the models.
struct PageScript: Sendable {
    let home: URL

    private var script: JSONValue {
        guard let data = try? Data(contentsOf: home.appending(path: "script.json")) else { return [:] }
        return (try? JSONValue(parsing: data)) ?? [:]
    }

    /// Whether no model is here at the beginning.
    var startsEmpty: Bool { script["empty"]?.bool == true }

    /// The names of the engines.
    var engines: [String] { script["engines"]?.array?.compactMap(\.string) ?? [] }

    /// The models: `scripted`, which writes blocks, and `scripted-tools`, which calls functions and sees images.
    func models() -> ModelPool {
        let plain = model("scripted", [.chat, .reasoning], context: 4_096, bytes: 90_000_000)
        let able = model(
            "scripted-tools", [.chat, .functions, .reasoning, .vision], context: 8_192, bytes: 700_000_000)
        let models = startsEmpty ? [] : [plain, able]
        let load: @Sendable (String, String?) -> LoadedRunner = { id, engine in
            var configuration = ScriptedRunner.Configuration()
            configuration.modelID = id
            var known = id == able.id ? able : plain
            known.engine = engine
            return LoadedRunner(known, runner: ScriptedRunner(configuration) { request, _ in reply(to: request) })
        }
        return ModelPool(
            models, pinned: startsEmpty ? [] : ["scripted"], library: ScriptedLibrary(home: home, model: plain),
            engineLoader: { id, engine in load(id, engine) },
            loader: { id, progress in
                for part in 1...4 { progress(Double(part) / 4) }
                return load(id, engines.first)
            })
    }

    private func model(_ id: String, _ able: ModelCapabilities, context: Int, bytes: UInt64) -> ServedModel {
        var model = ServedModel(id: id, created: 1)
        (model.capabilities, model.contextSize, model.size) = (able, context, ByteSize(exactly: bytes))
        (model.quantization, model.engines) = ("Q4_1", engines)
        model.memory = ByteSize(exactly: bytes + UInt64(context) * 30_000)
        return model
    }

    private func reply(to request: GenerationRequest) -> ScriptedReply {
        let asked = request.messages.last { $0.role == .user }?.text ?? ""
        let script = script
        // Messages are wrapped by the prompt at times, so the longest text of the script that they contain counts.
        let known = script["replies"]?.object?.filter { asked.contains($0.key) }.max { $0.key.count < $1.key.count }
        let value = known?.value ?? script["otherwise"] ?? .string("You wrote: \(asked)")
        let text = value.string ?? value["text"]?.string ?? ""
        let pause = value["pause"]?.integer ?? 0
        var reply = ScriptedReply(steps: [])
        if let gate = value["prompt"]?.string { reply.prompt = [.wait(self.gate(gate))] }
        for (index, piece) in text.components(separatedBy: "⏸").enumerated() {
            if index.isMultiple(of: 2) {
                for token in TokenCuts.words.tokens(of: piece) {
                    if pause > 0 { reply.steps.append(.sleep(.milliseconds(pause))) }
                    reply.steps.append(.token(token))
                }
            } else {
                reply.steps.append(.wait(gate(piece)))
            }
        }
        if let failure = value["fail"]?.string {
            reply.steps.append(.fail(ConversationError(.generationFailed, failure)))
        }
        return reply
    }

    /// A gate that opens when its file is there.
    private func gate(_ name: String) -> Gate {
        let gate = Gate()
        let file = home.appending(path: "gates").appending(path: name)
        Task {
            while !FileManager.default.fileExists(atPath: file.path) { try await Task.sleep(for: .milliseconds(5)) }
            gate.open()
        }
        return gate
    }
}

/// A library of one model, whose bytes come as fast as a gate lets them: each file `gates/fetch-N` lets a tenth pass.
private struct ScriptedLibrary: ModelLibrary {
    let home: URL
    let model: ServedModel

    func catalog() async -> [FetchableModel] {
        [
            FetchableModel(
                name: "scripted", title: "Scripted, the default", size: ByteSize(exactly: 90_000_000),
                memory: ByteSize(clamping: 150_000_000),
                capabilities: [.chat], isInstalled: false)
        ]
    }

    func fetch(
        _ reference: String, report: @escaping @Sendable (InstallEvent) -> Void
    ) async throws -> ServedModel {
        for part in 1...10 {
            let file = home.appending(path: "gates/fetch-\(part)")
            while !FileManager.default.fileExists(atPath: file.path) { try await Task.sleep(for: .milliseconds(5)) }
            report(.received(bytes: Int64(part) * 9_000_000, of: 90_000_000))
        }
        return model
    }

    func remove(_ id: String) async throws {}
}
