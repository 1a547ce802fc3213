// SPDX-License-Identifier: Apache-2.0

#if LiteRTLM
    import ParleyConversation

    /// A model in memory.
    ///
    /// `@unchecked Sendable`: ``Turns`` has one thread at a time use it.
    final class LiteRTLMEngine: @unchecked Sendable {
        let pointer: OpaquePointer
        let library: LiteRTLMLibrary
        /// The longest conversation in tokens.
        let context: Int

        /// Loads a file.
        ///
        /// - Throws: ``ConversationError`` with code `modelLoadingFailed` and the library's message.
        init(path: String, context: Int, threads: Int, library: LiteRTLMLibrary) throws(ConversationError) {
            (self.library, self.context) = (library, context)
            guard let settings = library.createSettings(path, "cpu", nil, nil) else {
                throw library.failure(.modelLoadingFailed)
            }
            defer { library.deleteSettings(settings) }
            library.setMaxTokens(settings, CInt(clamping: context))
            library.setThreads(settings, CInt(clamping: threads))
            // Otherwise it writes what it has prepared beside the model.
            library.setCacheDirectory(settings, ":nocache")
            guard let engine = library.createEngine(settings) else { throw library.failure(.modelLoadingFailed) }
            pointer = engine
        }

        deinit {
            library.deleteEngine(pointer)
        }

        /// The number of tokens of a text in which control tokens count.
        func tokenCount(of text: String) throws(ConversationError) -> Int {
            guard let tokens = library.tokenize(pointer, text) else { throw library.failure(.generationFailed) }
            defer { library.deleteTokens(tokens) }
            return library.tokenCount(tokens)
        }
    }
#endif
