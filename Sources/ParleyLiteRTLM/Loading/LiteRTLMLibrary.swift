// SPDX-License-Identifier: Apache-2.0

#if LiteRTLM
    import ParleyConversation
    package import ParleyRuntime

    /// The functions of LiteRT-LM that are used, looked up at run time, so that nothing needs it to build.
    ///
    /// The types are those of its C interface (`c/engine.h` and `c/conversation.h` in
    /// [its repository](https://github.com/google-ai-edge/LiteRT-LM)) in version 0.18, compared with what its package for
    /// Python declares. The library does not tell its version; the functions of a stream's chunks, which replies are read
    /// with, tell older ones apart.
    package struct LiteRTLMLibrary: EngineLibrary {
        typealias Object = OpaquePointer
        typealias Text = UnsafePointer<CChar>
        typealias Create = @convention(c) () -> Object?
        typealias Destroy = @convention(c) (Object) -> Void
        typealias SetNumber = @convention(c) (Object, CInt) -> Void
        typealias SetFloat = @convention(c) (Object, Float) -> Void
        typealias SetFlag = @convention(c) (Object, Bool) -> Void
        typealias SetText = @convention(c) (Object, Text) -> Void
        typealias SetObject = @convention(c) (Object, Object) -> Void
        typealias GetText = @convention(c) (Object) -> Text?
        /// Receives the pointer that was passed with it, and a chunk that is valid during the call.
        typealias Receive = @convention(c) (UnsafeMutableRawPointer?, Object?) -> Void

        let setLogLevel: @convention(c) (CInt) -> Void
        let lastError: @convention(c) () -> Text?

        let createSettings: @convention(c) (Text, Text, Text?, Text?) -> Object?
        let setMaxTokens: SetNumber
        let setThreads: SetNumber
        let setCacheDirectory: SetText
        let deleteSettings: Destroy
        let createEngine: @convention(c) (Object) -> Object?
        let deleteEngine: Destroy
        let tokenize: @convention(c) (Object, Text) -> Object?
        let tokenCount: @convention(c) (Object) -> Int
        let deleteTokens: Destroy

        let createSampler: @convention(c) (CInt) -> Object?
        let setTopK: SetNumber
        let setTopP: SetFloat
        let setTemperature: SetFloat
        let setSeed: SetNumber
        let deleteSampler: Destroy
        let createSession: Create
        let setSampler: SetObject
        let deleteSession: Destroy

        let createConfig: Create
        let setSession: SetObject
        let setMessages: SetText
        let setConstrained: SetFlag
        let setProvider: @convention(c) (Object, UnsafePointer<CInt>) -> Void
        let deleteConfig: Destroy
        let createConversation: @convention(c) (Object, Object) -> Object?
        let renderMessage: @convention(c) (Object, Text) -> Text?
        let cancel: Destroy
        let deleteConversation: Destroy

        let createArguments: Create
        let setMaxOutput: SetNumber
        let setConstraint: @convention(c) (Object, CInt, Text) -> Void
        let deleteArguments: Destroy
        let send: @convention(c) (Object, Text, Text, Object, Receive, UnsafeMutableRawPointer?) -> CInt
        let chunkText: GetText
        let chunkError: GetText
        let isFinal: @convention(c) (Object) -> Bool

        /// The library does not tell it.
        package var version: String? { nil }

        package static let found: Result<LiteRTLMLibrary, RuntimeError> = Result { () throws(RuntimeError) in
            try .init()
        }

        private static let product = DynamicLibrary.Product(
            name: "LiteRT-LM", script: "scripts/install-litert-lm", oldest: LibraryVersion(0, 18))

        private init() throws(RuntimeError) {
            let library = try DynamicLibrary(DynamicLibrary.fileName("litert-lm"), of: Self.product)
            func function<Function>(_ name: String) throws(RuntimeError) -> Function {
                try library.function("litert_lm_" + name)
            }
            setLogLevel = try function("set_min_log_level")
            lastError = try function("get_last_error_message")
            createSettings = try function("engine_settings_create")
            setMaxTokens = try function("engine_settings_set_max_num_tokens")
            setThreads = try function("engine_settings_set_num_threads")
            setCacheDirectory = try function("engine_settings_set_cache_dir")
            deleteSettings = try function("engine_settings_delete")
            createEngine = try function("engine_create")
            deleteEngine = try function("engine_delete")
            tokenize = try function("engine_tokenize")
            tokenCount = try function("tokenize_result_get_num_tokens")
            deleteTokens = try function("tokenize_result_delete")
            createSampler = try function("sampler_params_create")
            setTopK = try function("sampler_params_set_top_k")
            setTopP = try function("sampler_params_set_top_p")
            setTemperature = try function("sampler_params_set_temperature")
            setSeed = try function("sampler_params_set_seed")
            deleteSampler = try function("sampler_params_delete")
            createSession = try function("session_config_create")
            setSampler = try function("session_config_set_sampler_params")
            deleteSession = try function("session_config_delete")
            createConfig = try function("conversation_config_create")
            setSession = try function("conversation_config_set_session_config")
            setMessages = try function("conversation_config_set_messages")
            setConstrained = try function("conversation_config_set_enable_constrained_decoding")
            setProvider = try function("conversation_config_set_constraint_provider")
            deleteConfig = try function("conversation_config_delete")
            createConversation = try function("conversation_create")
            renderMessage = try function("conversation_render_message_to_string")
            cancel = try function("conversation_cancel_process")
            deleteConversation = try function("conversation_delete")
            createArguments = try function("conversation_optional_args_create")
            setMaxOutput = try function("conversation_optional_args_set_max_output_tokens")
            setConstraint = try function("conversation_optional_args_set_constraint")
            deleteArguments = try function("conversation_optional_args_delete")
            send = try function("conversation_send_message_stream")
            chunkText = try function("stream_chunk_get_text")
            chunkError = try function("stream_chunk_get_error")
            isFinal = try function("stream_chunk_is_final")
            // Errors are thrown, not printed: nothing is logged (1000).
            setLogLevel(1_000)
        }

        /// The error with which the last call on this thread failed.
        func failure(_ code: ConversationError.Code) -> ConversationError {
            let failure = Self.product.failure(lastError())
            return ConversationError(code, failure.message, cause: failure)
        }
    }
#endif
