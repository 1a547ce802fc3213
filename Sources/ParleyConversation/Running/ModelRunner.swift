// SPDX-License-Identifier: Apache-2.0

/// A loaded model, or a server with one, that generates the replies of conversations.
///
/// Apps get a runner from the library that loads models, create a ``Conversation`` with it and keep the runner for as
/// long as they generate. A new kind of model implements ``generate(_:to:)``,
/// ``promptTokenCount(messages:functions:options:)`` and ``unload()``. The conversation handles the history, the busy
/// policy, the order of events and cancellation.
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
    /// The name of the model, for labels and logs.
    var modelID: String { get }

    /// Generates one reply.
    ///
    /// A runner first builds the prompt and checks whether it fits. If it does not, the runner throws without having
    /// written anything. Otherwise it calls ``ResponseWriter/acceptPrompt(_:)``, which adds the user's message to the
    /// history, then writes the reply in pieces, and finally returns why the reply ended.
    ///
    /// Cancelling the task asks the runner to end within one token while it decodes, or within one chunk while it
    /// processes the prompt. The runner then writes any text it has held back and returns ``FinishReason/cancelled``.
    /// Throwing `CancellationError` means the same, even while the prompt is being built; in both cases the user's
    /// message enters the history. A runner need not know whether the generation was stopped or timed out; the
    /// conversation records the reason. Generations of different conversations may run at the same time. Two
    /// generations of the same conversation run at the same time only if the caller creates the requests itself.
    ///
    /// - Throws: ``ConversationError``; any other error reaches the caller as the cause of a `generationFailed`.
    func generate(_ request: GenerationRequest, to writer: ResponseWriter) async throws -> GenerationOutcome

    /// The number of tokens in the prompt that would be sent, including functions and the answer's schema.
    ///
    /// - Throws: ``ConversationError``.
    func promptTokenCount(
        messages: [ChatMessage], functions: [Function], options: GenerationOptions?
    ) async throws -> Int

    /// What it can do beyond replying; nothing by default.
    var abilities: RunnerAbilities { get }

    /// The functions that cannot be offered to the model, such as those with a schema that cannot be enforced; none by
    /// default. A reply for which one of them is offered fails, so an app that did not write its functions itself
    /// leaves these out.
    func refusals(of functions: [Function]) -> [FunctionRefusal]

    /// Frees the model.
    ///
    /// Running generations are first ended as cancelled, although their callbacks may return later. Later requests
    /// throw ``ConversationError`` with code `modelNotLoaded`. Unloading twice does nothing. See ``RunnerGate``.
    func unload() async

    /// Called when a conversation has been created with this runner, or is about to receive its first reply from it; does
    /// nothing by default.
    ///
    /// Several conversations may have the same id, for example when one is resumed while an earlier one still exists.
    func conversationBegan(_ id: ConversationID)

    /// Called once for each call of ``conversationBegan(_:)``, when the conversation has been released, so that its cache
    /// can be freed; does nothing by default.
    func conversationEnded(_ id: ConversationID)
}
