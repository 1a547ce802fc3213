// SPDX-License-Identifier: Apache-2.0

import OrderedCollections
public import ParleyConversation
import ParleyJSON

/// Sample conversations for previews and tests of views.
///
/// ```swift
/// let conversation = PreviewConversations.runner().createConversationFromHistory(PreviewConversations.functionCall)
/// ```
public enum PreviewConversations {
    /// A question and its answer.
    public static let greeting: [ChatMessage] = [
        .system("You are a helpful assistant."),
        .user("Hello! What can you do?"),
        .assistant("I answer questions, explain things and help with writing. What is on your mind?"),
    ]

    /// An answer with reasoning.
    public static let reasoning: [ChatMessage] = [
        .user("Is 91 a prime number?"),
        ChatMessage(
            role: .assistant, content: [.text("No: 91 is 7 × 13.")],
            reasoningContent: "It is odd, and its digits do not add up to a multiple of 3. 7 × 13 is 91.",
            rawOutput: """
                <think>It is odd, and its digits do not add up to a multiple of 3. 7 × 13 is 91.</think>
                No: 91 is 7 × 13.
                """),
    ]

    /// A function call, its result, and the answer that uses it.
    public static let functionCall: [ChatMessage] = {
        let call = FunctionCall(id: "call00001", name: "get_weather", arguments: ["city": "Zürich", "days": 1])
        return [
            .user("Do I need an umbrella in Zürich today?"),
            ChatMessage(role: .assistant, content: [], functionCalls: [call]),
            .functionResult(#"{"sky": "rain", "temperature": 11.5}"#, for: call),
            .assistant("Yes, it is raining at 11.5 °C. ☔️"),
        ]
    }()

    /// A conversation of many turns, in several scripts.
    public static let long: [ChatMessage] =
        [.system("You are a helpful assistant.")]
        + (1...20).flatMap { number -> [ChatMessage] in
            [
                .user("Question \(number): how is \"welcome\" said in another language?"),
                .assistant(
                    """
                    Here are some ways to say it:
                    - German: Willkommen
                    - Greek: Καλώς ορίσατε
                    - Japanese: ようこそ
                    - Arabic: أهلاً وسهلاً
                    - Hindi: स्वागत है
                    """),
            ]
        }

    /// Creates a runner that gives the same answer, word by word, to every message.
    public static func runner() -> ScriptedRunner {
        ScriptedRunner(replies: [
            """
            <think>What would help here?</think>That is a good question. Here is a *short* answer, with a list:
            1. one
            2. two
            3. three 👩‍🚀
            """
        ])
    }
}
