// SPDX-License-Identifier: Apache-2.0

#if !(os(macOS) || os(Linux))
    import ParleyAssistant
    import ParleyHTTP

    extension Account {
        /// Throws, because this system starts no programs.
        static func password(
            of command: [String], account: String, _ environment: ProcessEnvironment, within limit: Duration
        ) async throws -> String {
            throw AssistantError(.refused, "The account \(account) has a password command, which needs another system.")
        }
    }
#endif
