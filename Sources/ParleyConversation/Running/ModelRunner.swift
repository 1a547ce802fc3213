// SPDX-License-Identifier: Apache-2.0

/// A loaded model, or a server with one, that answers conversations: the protocol of all that generates whole messages.
///
/// Apps get a runner from the library that loads models, make a ``Conversation`` with it and keep the runner as long as
/// they generate. A new kind of model implements ``generate(_:to:)``,
/// ``promptTokenCount(messages:functions:options:)`` and ``unload()``; history, busy policy, order of events and
/// cancelling are the conversation's work.
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
    /// A runner first makes the prompt and checks whether it fits: if not, it throws and has written nothing. Then it
    /// calls ``ResponseWriter/acceptPrompt(_:)``, with which the user's message enters the history; then it writes the
    /// reply in pieces; then it returns why it ended.
    ///
    /// Cancelling the task asks it to end within one token while it decodes and one chunk while it reads the prompt: it
    /// writes what it has held back and returns ``FinishReason/cancelled``. Throwing `CancellationError` means the
    /// same, also while the prompt is made; the user's message enters the history in either case. A runner is not told
    /// whether it was stopped or the time is up: the conversation knows.
    /// Generations of different conversations may run at the same time; two of one conversation only with requests made
    /// by hand.
    ///
    /// - Throws: ``ConversationError``; anything else reaches the caller as the cause of a `generationFailed`.
    func generate(_ request: GenerationRequest, to writer: ResponseWriter) async throws -> GenerationOutcome

    /// The size in tokens of the exact prompt that would be sent, functions and schema included.
    ///
    /// - Throws: ``ConversationError``.
    func promptTokenCount(
        messages: [ChatMessage], functions: [Function], options: GenerationOptions?
    ) async throws -> Int

    /// Frees the model. Running generations end as cancelled first, though their callbacks may not have returned; later
    /// requests throw ``ConversationError`` with code `modelNotLoaded`. Unloading twice does nothing. See
    /// ``RunnerGate``.
    func unload() async

    /// Called when a conversation of this runner is gone, whose cache can be freed. Does nothing by default.
    func conversationEnded(_ id: ConversationID)
}
