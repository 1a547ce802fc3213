// SPDX-License-Identifier: Apache-2.0

public import ArgumentParser
import Foundation
import ParleyHTTP
import ParleyModels
public import ParleyServer

/// `parley serve keys`: the keys of the server's clients.
struct KeysCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys",
        abstract: "Adds, lists and removes keys; a server reads them when it starts, and when its page changes some.",
        subcommands: [Add.self, List.self, Remove.self], defaultSubcommand: List.self)

    /// The file of the keys.
    static var file: URL {
        ModelStore.dataDirectory(environment: .process).appending(path: "server/keys.json")
    }

    /// Says from when on a change counts, apart from what a script reads.
    static func remind() {
        StandardError.write("A server that runs now takes note of it at its next start.\n")
    }

    /// `parley serve keys add`.
    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Makes a key and prints it; it is not kept and cannot be shown again.")

        @Argument(help: "A name for the key, for lists and logs.")
        var name: String

        @Option(help: ArgumentHelp("What it may be used for; may be repeated.", valueName: "api|metrics|admin|data"))
        var scope: [KeyScope] = [.api]

        @Option(
            parsing: .unconditional,
            help: ArgumentHelp("How many of its requests may run or wait at a time.", valueName: "n"))
        var concurrent: Int?

        @Option(
            parsing: .unconditional,
            help: ArgumentHelp("How many tokens it may use in a minute.", valueName: "n"))
        var tokensPerMinute: Int?

        func validate() throws {
            for (value, name) in [(concurrent, "--concurrent"), (tokensPerMinute, "--tokens-per-minute")] {
                if let value, value < 1 { throw ValidationError("\(name) must be 1 or more, not \(value).") }
            }
        }

        func run() async throws {
            let (key, secret) = AccessKey.make(
                name: name, scopes: Set(scope), concurrent: concurrent, tokensPerMinute: tokensPerMinute)
            try await KeyIssue.add(key, secret, to: KeysCommand.file)
            KeysCommand.remind()
        }
    }

    /// `parley serve keys list`.
    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Lists the keys by name.")

        func run() throws {
            let keys = try KeyRing(reading: KeysCommand.file).keys
            let lines = keys.map { key in
                "\(key.name)\t\(key.scopes.map(\.rawValue).sorted().joined(separator: ","))\n"
            }
            try StandardOutput.write(lines.joined())
            if keys.isEmpty { StandardError.write("There are no keys. 'parley serve keys add NAME' makes one.\n") }
        }
    }

    /// `parley serve keys remove`.
    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Removes a key.")

        @Argument(help: "The name of the key.")
        var name: String

        func run() async throws {
            try await KeyRing.change(in: KeysCommand.file) { ring throws(ServerError) in try ring.remove(name) }
            KeysCommand.remind()
        }
    }
}

extension KeyScope: ExpressibleByArgument {}
