// SPDX-License-Identifier: Apache-2.0

#if os(macOS) || os(Linux)
    import ParleyAssistant
    import ParleyHTTP
    import ParleySystem

    extension Account {
        /// The variables that programs which keep passwords need.
        private static let passedOn = [
            "DBUS_SESSION_BUS_ADDRESS", "DISPLAY", "GNUPGHOME", "GPG_TTY", "HOME", "LANG", "LC_ALL", "LC_CTYPE",
            "LOGNAME", "PASSWORD_STORE_DIR", "PATH", "SHELL", "SSH_AUTH_SOCK", "TERM", "TMPDIR", "USER",
            "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR",
        ]

        /// The first line of a program's output.
        static func password(
            of command: [String], account: String, _ environment: ProcessEnvironment, within limit: Duration
        ) async throws -> String {
            var variables: [String: String] = [:]
            for name in passedOn { variables[name] = environment[name] }
            let failure = AssistantError(
                .invalidInput, "The password command of the account \(account) gave no password.")
            guard let program = command.first,
                let child = try? ChildProcess(program, Array(command.dropFirst()), environment: variables)
            else {
                throw AssistantError(.invalidInput, "The password command of the account \(account) cannot be started.")
            }
            child.closeInput()
            let watchdog = Task {
                if (try? await Task.sleep(for: limit)) != nil { await child.end(grace: .zero) }
            }
            defer { watchdog.cancel() }
            do {
                var output: [UInt8] = []
                while output.count < 1 << 16, let piece = try await child.read() { output += piece }
                let exit = try await child.waitForExit()
                guard exit == .status(0), let line = firstLine(output) else { throw failure }
                return line
            } catch {
                await child.end(grace: .zero)
                throw error
            }
        }
    }
#endif
