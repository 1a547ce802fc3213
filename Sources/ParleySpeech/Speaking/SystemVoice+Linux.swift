// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
    import ParleySystem

    /// The voice of a program of this machine: `espeak-ng`, or `spd-say` of Speech Dispatcher.
    ///
    /// Texts go to the program's standard input, so that other users of the machine do not see them.
    public struct SystemVoice: SpeechVoice {
        /// A program with the arguments before and after a language.
        package struct Program: Sendable {
            package var name: String
            package var arguments: [String]
            package var languageOption: String
            /// What makes a service fall silent for which the program only asks; nil where the program itself speaks.
            package var silencing: [String]?

            /// Creates a description.
            package init(name: String, arguments: [String], languageOption: String, silencing: [String]? = nil) {
                (self.name, self.arguments, self.languageOption) = (name, arguments, languageOption)
                self.silencing = silencing
            }
        }

        private let programs: [Program]
        private let environment: [String: String]

        /// A voice of the first program that is installed.
        ///
        /// - Parameter environment: the variables for the program, which finds the user's sound server by them.
        public init(environment: [String: String]) {
            self.init(
                programs: [
                    Program(name: "espeak-ng", arguments: ["--stdin"], languageOption: "-v"),
                    Program(
                        name: "spd-say", arguments: ["--pipe-mode", "--wait"], languageOption: "-l",
                        silencing: ["--cancel"]),
                ], environment: environment)
        }

        /// A voice of one of some programs.
        package init(programs: [Program], environment: [String: String]) {
            (self.programs, self.environment) = (programs, environment)
        }

        /// Speaks a text.
        ///
        /// - Throws: `SpeechError` with code `voiceUnavailable`; `CancellationError`.
        public func speak(_ text: String, language: String?) async throws {
            // A language becomes an argument, so it must be a code and nothing else.
            let code = language.flatMap { code in
                code.count <= 16 && code.allSatisfy { $0.isASCII && ($0.isLetter || $0 == "-") } && code.first != "-"
                    ? code : nil
            }
            for program in programs {
                guard var ending = try await run(program, text, language: code) else { continue }
                // Where it has no voice for the language, its usual one reads, as on Apple's systems.
                if case .failed = ending, code != nil { ending = try await run(program, text, language: nil) ?? ending }
                guard case .failed(let cause) = ending else { return }
                throw SpeechError(
                    .voiceUnavailable, "\(program.name) could not speak; see whether it does so by itself.",
                    cause: cause)
            }
            throw SpeechError(
                .voiceUnavailable,
                "Nothing here reads aloud. Install espeak-ng (on Debian: apt-get install espeak-ng).")
        }

        /// How a program ended.
        private enum Ending { case spoke, failed((any Error)?) }

        /// Has a program speak, until it ends or the task is cancelled.
        ///
        /// - Returns: how it ended; nil if it is not installed.
        private func run(_ program: Program, _ text: String, language: String?) async throws -> Ending? {
            let arguments = program.arguments + (language.map { [program.languageOption, $0] } ?? [])
            guard let child = try? ChildProcess(program.name, arguments, environment: environment) else { return nil }
            do {
                try await child.write(Array((text + "\n").utf8))
                child.closeInput()
                return try await child.waitForExit() == .status(0) ? .spoke : .failed(nil)
            } catch let error as ChildProcessError {
                // It has ended without reading the text.
                await child.end(grace: .zero)
                return .failed(error)
            } catch {
                // Whoever stops it does not want to hear the end of the sentence.
                await child.end(grace: .zero)
                await silence(program)
                throw error
            }
        }

        /// Ends what a service goes on to say after the program that asked for it is gone.
        private func silence(_ program: Program) async {
            guard let arguments = program.silencing else { return }
            // Of its own: the task that spoke is cancelled.
            await Task { [environment] in
                guard let child = try? ChildProcess(program.name, arguments, environment: environment) else { return }
                child.closeInput()
                _ = try? await child.waitForExit()
            }.value
        }
    }
#endif
