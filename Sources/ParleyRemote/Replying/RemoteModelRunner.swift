// SPDX-License-Identifier: Apache-2.0

import Foundation
public import ParleyConversation
public import ParleyHTTP
import ParleyJSON
import ParleyOpenAI
import ParleySystem

/// A model of an OpenAI-compatible server, such as `parley serve`, llama.cpp's, vLLM or a service on the internet.
///
/// A request is sent a second time only if the server has not begun with it: if there was no connection, or if it said
/// so (429 and 503). What the server does not answer well is an error, never another request. Stopping a reply closes
/// its connection at once, by which servers notice that nobody wants it any more.
///
/// The server does what it can of the options: ``GenerationOptions/maxReasoningTokens``,
/// ``GenerationOptions/heldBlocks`` and ``GenerationOptions/functionCallParser`` have no effect, and whether a schema is
/// shown to the model besides being enforced is the server's choice. Where its context is full, turns are left out as the
/// policy says, and the request is sent again without them; there are no summaries. A call of a function that has no
/// result in the history is sent with an error in its place, because servers refuse it otherwise.
public final class RemoteModelRunner: ModelRunner {
    /// The server.
    public let endpoint: RemoteEndpoint
    /// The name of the model on the server.
    public let modelID: String
    /// What the server can do beyond replying: what OpenAI's API has, whether or not this server has it.
    public let abilities: RunnerAbilities

    private let client: RemoteClient
    private let gate = RunnerGate()

    /// Creates a runner; nothing is sent before the first reply.
    ///
    /// - Parameters:
    ///   - model: the name of the model on the server.
    ///   - endpoint: the server.
    ///   - abilities: what the server can do beyond replying.
    ///   - client: sends the requests; the standard one gives each a connection of its own, because the system may send a
    ///     request again by itself on one that was used before.
    ///   - clock: measures the time of a reply, and what is waited before a request is sent again.
    public init(
        model: String, at endpoint: RemoteEndpoint,
        abilities: RunnerAbilities = [.probabilities, .penalties, .logitBias],
        client: any HTTPClient = URLSessionClient(reusesConnections: false),
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.endpoint = endpoint
        self.abilities = abilities
        modelID = model
        self.client = RemoteClient(endpoint: endpoint, http: client, clock: clock)
    }

    // MARK: - Replies

    /// Generates one reply on the server.
    ///
    /// - Throws: `ConversationError`, whose cause is a ``RemoteError``; `CancellationError`.
    public func generate(_ request: GenerationRequest, to writer: ResponseWriter) async throws -> GenerationOutcome {
        try await gate.run(writer) {
            try request.options.validate()
            return try await reply(request, to: writer)
        }
    }

    /// Sends the messages that fit, which only the server knows.
    private func reply(_ request: GenerationRequest, to writer: ResponseWriter) async throws -> GenerationOutcome {
        let (started, passed) = (ContinuousClock.now, client.policy.clock.stopwatch())
        var request = request
        request.messages = request.messages.withAnsweredCalls
        let (head, turns) = ContextPolicy.split(request.messages)
        var dropped = 0
        while true {
            do {
                return try await send(request, dropped: dropped, started: started, passed: passed(), to: writer)
            } catch let error as RemoteError where error.code == .contextExceeded {
                guard request.contextPolicy != .error, dropped < turns.count - 1 else { throw Self.error(error) }
                dropped = Self.turnsToDrop(turns, after: dropped, error)
                request.messages = head + turns.dropFirst(dropped).joined()
            } catch let error as RemoteError {
                let budget = request.options.timeout
                if error.code == .timedOut, let budget, passed() >= budget {
                    return GenerationOutcome(.timeout)
                }
                throw Self.error(error)
            }
        }
    }

    /// How many turns to leave out after the server has refused: as many as the excess is of the text, at least one more.
    static func turnsToDrop(_ turns: [[ChatMessage]], after dropped: Int, _ error: RemoteError) -> Int {
        guard let prompt = error.promptTokens, let context = error.contextTokens, prompt > context, context > 0 else {
            return dropped + 1
        }
        let sizes = turns.map { $0.reduce(0) { $0 + $1.text.utf8.count + ($1.reasoningContent?.utf8.count ?? 0) + 8 } }
        let excess = Double(sizes[dropped...].reduce(0, +)) * (Double(prompt - context) / Double(prompt))
        var (count, left) = (dropped, 0.0)
        repeat {
            left += Double(sizes[count])
            count += 1
        } while left < excess && count < turns.count - 1
        return count
    }

    private func send(
        _ request: GenerationRequest, dropped: Int, started: ContinuousClock.Instant, passed: Duration,
        to writer: ResponseWriter
    ) async throws -> GenerationOutcome {
        var http = endpoint.request("chat/completions", body: try body(request, stream: true))
        http.headers["Accept"] = "text/event-stream"
        // Servers and proxies may keep a conversation where its prompt is cached.
        http.headers["X-Conversation-Id"] = request.conversationID.description
        http.limits.whole = request.options.timeout.map { max($0 - passed, .zero) }
        let secrets = secrets(of: request)
        let usedCallIDs = request.usedCallIDs
        let limit = endpoint.limits.answerBytes
        return try await client.withAnswer(to: http, hiding: secrets) { response in
            var reply = RemoteReply(
                mediaType: response.headers.mediaType, usedCallIDs: usedCallIDs, start: started)
            var hasBegun = false
            func deliver(_ news: RemoteReply.News) async {
                if news.hasBegun { writer.acceptPrompt(PromptReport(droppedTurns: dropped)) }
                hasBegun = hasBegun || news.hasBegun
                if !news.probabilities.isEmpty { writer.report(news.probabilities) }
                await writer.write(news.parts)
            }
            do {
                do {
                    for try await piece in response.body.limited(to: limit) {
                        let news = try reply.read(piece, at: .now)
                        await deliver(news)
                        if news.isOver { break }
                    }
                } catch is HTTPError where reply.hasEnded {
                    // Servers and proxies break off, or fall silent, also after the last word of a reply.
                }
                try Task.checkCancellation()
                let (news, outcome) = try reply.finish(at: .now)
                await deliver(news)
                guard let outcome else {
                    throw !hasBegun && response.headers.mediaType == "text/html" ? page : interrupted(nil)
                }
                return outcome
            } catch let error as HTTPError where error.code == .unreachable {
                throw interrupted(error)
            } catch let error as OpenAIError {
                throw failure(error, hasBegun: hasBegun, hiding: secrets)
            }
        }
    }

    /// The error for one that the server has sent in the place of a reply, or for an answer that is none.
    private func failure(_ error: OpenAIError, hasBegun: Bool, hiding secrets: ServerMessage.Secrets) -> RemoteError {
        if error.code == .invalidJSON || error.code == .invalidType || error.code == .missingParameter {
            return RemoteError(
                .invalidAnswer, "\(endpoint.host) sent what is no reply of OpenAI's API.", cause: error)
        }
        var result = client.error(status: nil, ServerMessage(error.json, hiding: secrets))
        // What has begun is not sent again without its oldest turns.
        if hasBegun, result.code == .contextExceeded { result.code = .serverFailed }
        return result
    }

    private func interrupted(_ cause: (any Error)?) -> RemoteError {
        RemoteError(
            .interrupted,
            "The connection to \(endpoint.host) ended within the reply; ask again if it is to be repeated.",
            cause: cause)
    }

    /// The error for a page in the place of a reply, as other servers send it, and networks that ask for a sign-in.
    private var page: RemoteError {
        RemoteError(
            .invalidAnswer,
            "\(endpoint.host) answers with a web page. Check that this is its address for programs, and whether the "
                + "network asks you to sign in.", status: 200)
    }

    private func body(_ request: GenerationRequest, stream: Bool) throws -> Data {
        var chat = ChatCompletionRequest(request, model: modelID, stream: stream)
        // Most servers know the older name, and OpenAI's newer models only the newer one.
        chat.usesOlderTokenLimit = !RemoteKey.isOpenAI(endpoint.url)
        do {
            return Data(try chat.json().text().utf8)
        } catch {
            throw ConversationError(.invalidInput, error.message, cause: error)
        }
    }

    private func secrets(of request: GenerationRequest) -> ServerMessage.Secrets {
        .init(
            key: endpoint.key, texts: request.messages.flatMap { [$0.text] + [$0.reasoningContent].compactMap(\.self) })
    }

    /// The error of a conversation for that of a server.
    private static func error(_ error: RemoteError) -> ConversationError {
        if error.code == .contextExceeded, let prompt = error.promptTokens, let context = error.contextTokens {
            var result = ConversationError.promptExceedsContext(promptTokens: prompt, contextTokens: context)
            result.cause = error
            return result
        }
        let code: ConversationError.Code =
            switch error.code {
            case .contextExceeded: .promptExceedsContext
            case .refused, .invalidAddress: .invalidInput
            case _ where error.serverCode == "insufficient_memory": .insufficientMemory
            default: .generationFailed
            }
        return ConversationError(code, error.message, cause: error)
    }

    // MARK: - Counting and ending

    /// The number of tokens in the prompt that would be sent, as the server counts them.
    ///
    /// - Throws: `ConversationError`, also where the server does not count tokens, as most services do not.
    public func promptTokenCount(
        messages: [ChatMessage], functions: [Function], options: GenerationOptions?
    ) async throws -> Int {
        try gate.requireOpen()
        let request = GenerationRequest(
            messages: messages.withAnsweredCalls, functions: functions, options: options ?? GenerationOptions())
        let http = endpoint.request("chat/completions/input_tokens", body: try body(request, stream: false))
        do {
            let answer = try await client.json(http, hiding: secrets(of: request))
            guard let count = answer["input_tokens"]?.integer, count >= 0 else {
                throw RemoteError(.invalidAnswer, "\(endpoint.host) does not answer with a number of tokens.")
            }
            return count
        } catch let error as RemoteError {
            if error.code == .wrongPath {
                throw ConversationError(
                    .generationFailed, "\(endpoint.host) does not count the tokens of prompts.", cause: error)
            }
            throw Self.error(error)
        }
    }

    /// Ends the replies that are being generated, and refuses all later requests; the server keeps its model.
    public func unload() async {
        await gate.close()
    }
}
