// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyAssistant
package import ParleyHTTP
import ParleyFiles

extension Account {
    /// The password, from the place that the account names.
    ///
    /// - Parameters:
    ///   - environment: the variables of the environment.
    ///   - limit: how long a command may take; somebody may have to unlock a key.
    /// - Returns: the password; empty for an account without a user.
    /// - Throws: ``AssistantError`` with code `invalidInput` or `refused`, without anything of what was read;
    ///   `CancellationError`.
    package func password(
        environment: ProcessEnvironment, within limit: Duration = .seconds(60)
    ) async throws -> String {
        guard user != nil else { return "" }
        if let command = passwordCommand {
            return try await Self.password(of: command, account: name, environment, within: limit)
        }
        if let path = passwordFile { return try Self.password(inFile: path, account: name, environment) }
        let variable = passwordEnvironment ?? Self.usualVariable(name)
        guard let value = environment[variable] else {
            throw AssistantError(
                .invalidInput,
                "The account \(name) has no password: set \(variable), or add it with --password-command.")
        }
        return value
    }

    /// The variable that is looked at where the account names no place.
    package static func usualVariable(_ name: String) -> String {
        "PARLEY_PASSWORD_" + name.uppercased().replacing("-", with: "_")
    }

    /// The first line of some output; nil if it is empty or too long.
    static func firstLine(_ bytes: some Collection<UInt8>) -> String? {
        let line = bytes.prefix { $0 != 0x0A && $0 != 0x0D }
        guard (1...4_096).contains(line.count) else { return nil }
        return String(validating: line, as: UTF8.self)
    }

    private static func password(
        inFile path: String, account: String, _ environment: ProcessEnvironment
    ) throws -> String {
        let home = environment["HOME"]
        let full: String =
            if let home, path.hasPrefix("~/") { home + path.dropFirst() } else {
                NSString(string: path).expandingTildeInPath
            }
        let data: Data
        do {
            data = try WholeFile.secret(in: URL(filePath: full), limit: 1 << 16)
        } catch {
            switch error.code {
            case .exposed:
                throw AssistantError(
                    .refused, "Others may read the password file of the account \(account); 'chmod 600' it.")
            case .tooLarge: throw noPassword(in: account)
            default:
                throw AssistantError(.invalidInput, "The password file of the account \(account) cannot be read.")
            }
        }
        guard let line = firstLine(data) else { throw noPassword(in: account) }
        return line
    }

    private static func noPassword(in account: String) -> AssistantError {
        AssistantError(.invalidInput, "The password file of the account \(account) has no password.")
    }
}
