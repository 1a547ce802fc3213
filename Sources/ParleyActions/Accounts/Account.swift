// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import ParleyAssistant
import ParleyHTTP

/// An account on a server of calendars and contacts. It has no password, only where to get it.
package struct Account: Hashable, Sendable, Codable {
    /// The name, by which folders are named too: letters, digits, hyphens.
    package var name: String
    /// The address that discovery begins at.
    package var url: URL
    /// The user; nil for a server that asks for none.
    package var user: String?
    /// A program with its arguments, the first line of whose output is the password.
    package var passwordCommand: [String]?
    /// The variable of the environment that has the password.
    package var passwordEnvironment: String?
    /// The file, readable by the user alone, whose first line is the password.
    package var passwordFile: String?

    private enum CodingKeys: String, CodingKey {
        case name, url, user
        case passwordCommand = "password_command"
        case passwordEnvironment = "password_environment"
        case passwordFile = "password_file"
    }

    /// Creates an account.
    ///
    /// - Throws: ``AssistantError`` with code `invalidInput` for a name or an address that cannot be used.
    package init(name: String, url: URL, user: String?) throws(AssistantError) {
        (self.name, self.url, self.user) = (name, url, user)
        try check()
    }

    /// Reads an account.
    ///
    /// - Throws: `DecodingError`, or ``AssistantError`` with code `invalidInput`.
    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        name = try fields.decode(String.self, forKey: .name)
        url = try fields.decode(URL.self, forKey: .url)
        user = try fields.decodeIfPresent(String.self, forKey: .user)
        passwordCommand = try fields.decodeIfPresent([String].self, forKey: .passwordCommand)
        passwordEnvironment = try fields.decodeIfPresent(String.self, forKey: .passwordEnvironment)
        passwordFile = try fields.decodeIfPresent(String.self, forKey: .passwordFile)
        try check()
    }

    /// The address of something on the account's server.
    func address(of path: DAVPath) -> String { url.origin + path.encodedFolder }

    private func check() throws(AssistantError) {
        // Names become those of folders.
        let isName = name.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
            default: byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
            }
        }
        guard isName, (1...40).contains(name.utf8.count) else {
            throw AssistantError(.invalidInput, "The name of an account has only letters, digits, '-' and '_'.")
        }
        try DAVServer.check(url)
    }
}
