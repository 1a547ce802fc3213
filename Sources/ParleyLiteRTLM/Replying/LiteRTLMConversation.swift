// SPDX-License-Identifier: Apache-2.0

#if LiteRTLM
    import ParleyConversation
    import ParleyJSON
    import ParleySystem
    import Synchronization

    /// A conversation of the library, for one reply.
    ///
    /// `@unchecked Sendable`: one thread uses it, but for ``cancel()``.
    final class LiteRTLMConversation: @unchecked Sendable {
        private let pointer: OpaquePointer
        private let engine: LiteRTLMEngine
        private var library: LiteRTLMLibrary { engine.library }

        /// Creates a conversation with the history of a prompt.
        ///
        /// - Throws: ``ConversationError`` with code `generationFailed` and the library's message.
        init(_ prompt: LiteRTLMPrompt, _ engine: LiteRTLMEngine) throws(ConversationError) {
            self.engine = engine
            let library = engine.library
            guard let sampler = library.createSampler(Self.topP) else { throw library.failure(.generationFailed) }
            defer { library.deleteSampler(sampler) }
            guard let session = library.createSession() else { throw library.failure(.generationFailed) }
            defer { library.deleteSession(session) }
            guard let config = library.createConfig() else { throw library.failure(.generationFailed) }
            defer { library.deleteConfig(config) }
            let sampling = prompt.sampling.filled(from: .usual)
            // Its sampler for the most probable token alone is declared and not there.
            let isGreedy = sampling.temperature == 0 || sampling.topP == 0
            library.setTopK(sampler, isGreedy ? 1 : CInt(clamping: sampling.topK ?? 0))
            library.setTopP(sampler, isGreedy ? 1 : sampling.topP ?? 1)
            library.setTemperature(sampler, isGreedy ? 1 : sampling.temperature ?? 1)
            library.setSeed(sampler, CInt(truncatingIfNeeded: sampling.seed ?? .random(in: 0...UInt64(Int32.max))))
            library.setSampler(session, sampler)
            library.setSession(config, session)
            library.setMessages(config, prompt.history.text())
            if prompt.schema != nil {
                library.setConstrained(config, true)
                withUnsafePointer(to: Self.guidance) { library.setProvider(config, $0) }
            }
            guard let pointer = library.createConversation(engine.pointer, config) else {
                throw library.failure(.generationFailed)
            }
            self.pointer = pointer
        }

        deinit {
            library.deleteConversation(pointer)
        }

        /// The kinds of samplers and of what holds replies to schemas, as the library numbers them.
        private static let (topP, guidance, jsonSchema): (CInt, CInt, CInt) = (2, 1, 2)

        /// The number of tokens of the whole prompt.
        func promptTokens(_ prompt: LiteRTLMPrompt) throws(ConversationError) -> Int {
            // With all messages before it.
            guard let message = library.renderMessage(pointer, prompt.message.text()) else {
                throw library.failure(.generationFailed)
            }
            return try engine.tokenCount(of: String(cString: message))
        }

        /// Ends the reply; may be called on any thread.
        func cancel() { library.cancel(pointer) }

        /// Generates the reply, and returns when it has ended.
        ///
        /// - Parameters:
        ///   - prompt: the prompt that the conversation was created with.
        ///   - begun: called when the reply can be ended with ``cancel()``.
        ///   - receive: gets the pieces, on a thread of the library.
        /// - Throws: ``ConversationError`` with code `generationFailed`.
        func reply(
            to prompt: LiteRTLMPrompt, begun: () -> Void, _ receive: @escaping @Sendable (String) -> Void
        ) throws(ConversationError) {
            guard let arguments = library.createArguments() else { throw library.failure(.generationFailed) }
            defer { library.deleteArguments(arguments) }
            if let most = prompt.maxTokens { library.setMaxOutput(arguments, CInt(clamping: most)) }
            if let schema = prompt.schema { library.setConstraint(arguments, Self.jsonSchema, schema.text()) }
            let pieces = ReceivedPieces(library, receive)
            let isStarted = library.send(
                pointer, prompt.message.text(), "{}", arguments,
                { pieces, chunk in
                    guard let pieces, let chunk else { return }
                    Unmanaged<ReceivedPieces>.fromOpaque(pieces).takeUnretainedValue().take(chunk)
                }, Unmanaged.passUnretained(pieces).toOpaque())
            guard isStarted == 0 else { throw library.failure(.generationFailed) }
            begun()
            if let message = pieces.waitForEnd() {
                // A file may have been made for fewer tokens than were asked for, and does not tell how many.
                let isTooLong = message.contains("token ids are too long")
                throw ConversationError(
                    isTooLong ? .promptExceedsContext : .generationFailed, "LiteRT-LM: \(message.prefix(2_000))")
            }
        }
    }

    /// Takes the pieces of a reply on the library's thread, until the last one.
    private final class ReceivedPieces: Sendable {
        private let library: LiteRTLMLibrary
        private let receive: @Sendable (String) -> Void
        private let sleeper = Sleeper()
        /// Set with the last piece; the message is that of an error.
        private let end = Mutex<(isReached: Bool, message: String?)>((false, nil))

        init(_ library: LiteRTLMLibrary, _ receive: @escaping @Sendable (String) -> Void) {
            (self.library, self.receive) = (library, receive)
        }

        func take(_ chunk: OpaquePointer) {
            let error = library.chunkError(chunk).map { String(cString: $0) } ?? ""
            if error.isEmpty, let text = library.chunkText(chunk).map({ Self.text(in: String(cString: $0)) }),
                !text.isEmpty
            {
                receive(text)
            }
            guard !error.isEmpty || library.isFinal(chunk) else { return }
            // These are ends that were asked for.
            let isEnd = ["CANCELLED", "Max number of tokens reached"].contains(where: error.contains)
            end.withLock { $0 = (true, isEnd || error.isEmpty ? nil : error) }
            sleeper.wake()
        }

        func waitForEnd() -> String? {
            sleeper.wait { end.withLock { $0.isReached } }
            return end.withLock { $0.message }
        }

        /// The text of a message, which the library writes as JSON.
        private static func text(in json: String) -> String {
            guard let message = try? JSONValue(parsing: json) else { return json }
            let content = message["content"]
            return content?.string ?? (content?.array ?? []).compactMap { $0["text"]?.string }.joined()
        }
    }
#endif
