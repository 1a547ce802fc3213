// SPDX-License-Identifier: Apache-2.0

/// A loaded model, or a server with one, that answers conversations: the seam for whatever generates whole messages.
///
/// Apps get a runner from the library that loads models, make a ``Conversation`` with it and keep the runner as long
/// as they generate. Who brings a new kind of model implements ``generate(_:to:)``, ``promptTokenCount(messages:functions:options:)``
/// and ``unload()``; history, busy rule, order of events and cancelling are the conversation's work.
///
/// ```swift
/// struct Echo: ModelRunner {
///     let modelID = "echo"
///
///     func generate(_ request: GenerationRequest, to writer: ResponseWriter) async throws -> GenerationOutcome {
///         writer.acceptPrompt()
///         for word in (request.messages.last?.text ?? "").split(separator: " ") {
///             if Task.isCancelled { return GenerationOutcome(.cancelled) }
///             await writer.write(.text("\(word) "))
///         }
///         return GenerationOutcome(.stop)
///     }
///
///     func promptTokenCount(
///         messages: [ChatMessage], functions: [Function], options: GenerationOptions?
///     ) async throws -> Int {
///         messages.reduce(0) { $0 + $1.text.split(separator: " ").count }
///     }
///
///     func unload() async {}
/// }
/// ```
public protocol ModelRunner: Sendable {
    /// The model's name, for labels and logs.
    var modelID: String { get }

    /// Generates one reply.
    ///
    /// A runner first makes the prompt and sees whether it fits: where not, it throws and has written nothing. Then it
    /// calls ``ResponseWriter/acceptPrompt(_:)``, at which the user's message enters the history; then it writes the
    /// reply in pieces; then it returns why it ended.
    ///
    /// Cancelling the task asks it to end within one token while it decodes and one chunk while it reads the prompt: it
    /// flushes what it holds back and returns ``FinishReason/cancelled``. Throwing `CancellationError` means the same,
    /// also while the prompt is made; the user's message enters the history all the same. A runner is not told whether
    /// somebody stopped it or the time is up: the conversation knows.
    /// Generations of different conversations may run at the same time; of one conversation never two, except that
    /// requests built by hand may say otherwise.
    ///
    /// - Throws: ``ConversationError``; anything else reaches the caller as the cause of a `generationFailed`.
    func generate(_ request: GenerationRequest, to writer: ResponseWriter) async throws -> GenerationOutcome

    /// The size of the very prompt that would be sent, functions and schema included.
    ///
    /// - Throws: ``ConversationError``.
    func promptTokenCount(
        messages: [ChatMessage], functions: [Function], options: GenerationOptions?
    ) async throws -> Int

    /// Frees the model. What is being generated ends as cancelled first, though its callbacks may not have returned;
    /// what is asked for later throws ``ConversationError`` with code `modelNotLoaded`. Unloading twice does nothing.
    /// See ``RunnerGate``.
    func unload() async

    /// A conversation of this runner is gone: what is kept for it can be freed. Does nothing by default.
    func conversationEnded(_ id: ConversationID)
}
