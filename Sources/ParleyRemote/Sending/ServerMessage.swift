// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyJSON
import ParleyOpenAI

/// What a server says about a failure, as far as it may be shown.
struct ServerMessage: Sendable, Hashable {
    /// The message in one line; nil if there is none that may be shown.
    var text: String?
    /// The server's code for the failure, or its type.
    var code: String?
    /// Whether it is about the model that was asked for; several servers have no code for a missing one.
    var isAboutModel = false
    /// Whether the failure is that the prompt does not fit, with its length and that of the context if they are stated.
    var isContextExceeded = false
    var promptTokens: Int?
    var contextTokens: Int?

    /// The maximum number of characters shown.
    private static let longest = 300
    /// A message that has this many characters in a row in common with a text of the request is never shown.
    private static let longestInCommon = 24

    /// Reads the body of a refusal.
    ///
    /// - Parameters:
    ///   - body: the body, in one of the forms that servers use, or of any other kind.
    ///   - secrets: what must not be shown: the key, and the texts of the messages.
    init(_ body: some Sequence<UInt8>, hiding secrets: Secrets) {
        let json = try? JSONValue(parsing: body, limits: JSONLimits(depth: 64, bytes: 1 << 20))
        // Google's servers put the object into a list.
        self.init(json?[0] ?? json ?? .null, hiding: secrets)
    }

    /// Reads a refusal in JSON.
    init(_ json: JSONValue, hiding secrets: Secrets) {
        let error = json["error"]
        // FastAPI's form has `detail`, which is a text or a list of what is wrong.
        let detail = json["detail"]?.string ?? json["detail"]?[0]?["msg"]?.string
        let said = error?["message"]?.string ?? error?.string ?? json["message"]?.string ?? detail
        let code = error?["code"]?.string ?? error?["type"]?.string ?? json["code"]?.string
        self.code = code.map { String($0.unicodeScalars.filter { $0.isASCII && $0.value > 0x20 }.map(Character.init)) }
            .map { String($0.prefix(64)) }
        promptTokens = error?["n_prompt_tokens"]?.integer
        // Some tell the context, and some what is left of it beside the reply.
        contextTokens = error?["n_fit"]?.integer ?? error?["n_ctx"]?.integer
        let types = [error?["code"]?.string, error?["type"]?.string]
        isContextExceeded =
            types.contains("context_length_exceeded") || types.contains("exceed_context_size_error")
            || said.map(Self.tellsOfContext) ?? false
        isAboutModel = code == "model_not_found" || said?.prefix(200).lowercased().contains("model") ?? false
        text = said.flatMap { secrets.clean($0) }
    }

    /// Whether a message is about the size of the context; several servers have no code for it.
    private static func tellsOfContext(_ text: String) -> Bool {
        let text = text.prefix(2_000).lowercased()
        return ["maximum context length", "context length exceeded", "exceeds the available context size"].contains {
            text.contains($0)
        }
    }

    /// What must not be shown of what a server says.
    struct Secrets: Sendable {
        /// The key; nil for none.
        var key: RemoteKey?
        /// The texts of the messages.
        var texts: [String] = []

        /// A message in one line of bounded length; nil if it repeats what must not be shown.
        func clean(_ message: String) -> String? {
            let scalars = message.unicodeScalars.prefix(4_096).map { scalar -> Unicode.Scalar in
                let isText = !CharacterSet.controlCharacters.contains(scalar) && !CharacterSet.newlines.contains(scalar)
                return isText ? scalar : " "
            }
            let line = String(String.UnicodeScalarView(scalars))
            // Services mask the middle of a wrong key and show its ends.
            if let secret = key?.secret, secret.count >= 8 {
                guard !line.contains(secret.prefix(6)), !line.contains(secret.suffix(6)) else { return nil }
            }
            let shown = line.split(separator: " ").joined(separator: " ").prefix(ServerMessage.longest)
            guard !texts.contains(where: { Self.share(String(shown), $0) }) else { return nil }
            return shown.isEmpty ? nil : String(shown)
        }

        /// Whether two texts have a run in common, or one is a part of the other.
        private static func share(_ message: String, _ text: String) -> Bool {
            let needle = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            guard needle.count >= 4 else { return false }
            if needle.count <= ServerMessage.longestInCommon { return message.contains(needle) }
            let characters = Array(message)
            guard characters.count >= ServerMessage.longestInCommon else { return false }
            let step = ServerMessage.longestInCommon / 2
            // Any run of 24 characters contains a piece of 12 that begins at a multiple of 12.
            return stride(from: 0, through: characters.count - step, by: step).contains { start in
                needle.contains(String(characters[start..<start + step]))
            }
        }
    }
}
