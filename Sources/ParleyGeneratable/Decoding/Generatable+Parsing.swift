// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyConversation

extension Generatable {
    /// Creates a value from the JSON text of a reply, in which dates have the form of RFC 3339 and data is in base64.
    ///
    /// - Throws: ``ConversationError`` with code `serializationFailed` if the text is not such a value.
    public init(parsing text: String) throws {
        do {
            self = try ModelJSON.decode(Self.self, from: Data(text.utf8))
        } catch {
            throw ConversationError(
                .serializationFailed,
                """
                The reply is no \(Self.self)\(ModelJSON.place(of: error)). Hold the model to \(Self.self).jsonSchema: \
                see GenerationOptions.setResponseFormat(type:).
                """, cause: error)
        }
    }
}
