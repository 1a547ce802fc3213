// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyActions
import ParleyAssistant
import ParleyServer
import ParleyWeb

/// The web chat over scripted models, for tests in a browser: `ParleyPageServer HOME [--page FOLDER] [--port N]`.
///
/// All stores are the real ones, in the folder HOME, which may have the usual `settings.json`. `HOME/script.json` has the
/// replies, see ``PageScript``; it is read anew for each. It prints its address, with the key, and serves until it is
/// ended.
@main
enum ParleyPageServer {
    private static let usage = """
        usage: ParleyPageServer HOME [--page FOLDER] [--port N]

        Serves the web chat over scripted models, and prints its address with the key.

          HOME           the folder with all data; HOME/script.json has the replies, HOME/settings.json the settings
          --page FOLDER  the files of the page, which are read once; otherwise those built in
          --port N       the port; otherwise one that is free
        """

    static func main() async throws {
        let arguments = CommandLine.arguments
        if arguments.contains(where: ["--help", "-h"].contains) {
            print(usage)
            return
        }
        guard arguments.count >= 2, !arguments[1].hasPrefix("-") else {
            FileHandle.standardError.write(Data((usage + "\n").utf8))
            exit(64)
        }
        func option(_ name: String) -> String? {
            arguments.firstIndex(of: name).flatMap { $0 + 1 < arguments.count ? arguments[$0 + 1] : nil }
        }
        let home = URL(filePath: arguments[1], directoryHint: .isDirectory)
        let settings = try SettingsBoard(in: home)
        var setup = try AssistantSetup(AssistantHome(reading: home))
        setup.chat = { settings.chat }
        let script = PageScript(home: home)
        let models = script.models()
        var configuration = ServerConfiguration(
            address: .internet(host: "127.0.0.1", port: option("--port").flatMap { Int($0) } ?? 0), version: "test")
        configuration.limits.drainTime = .milliseconds(100)
        let key = try ServerKey(in: home.appending(path: "server.key"))
        configuration.ownKey = key.key
        configuration.keyFile = home.appending(path: "keys.json")
        configuration.keys = try KeyRing(reading: home.appending(path: "keys.json"))
        let server = APIServer(configuration, models: models)
        let files = try option("--page").map { try PageFiles(folder: URL(filePath: $0)) } ?? .builtIn
        let assistant = try await setup.assistant(over: server.admitted.chatModels)
        server.show(
            WebPage(
                server.admitted, history: setup.history, settings: settings, keys: server.keys,
                attachments: AttachmentStore(setup.home.attachments), files: files, version: "test",
                engines: script.engines.map { PageEngine($0) }, dependencies: assistant.dependencies))
        if !script.startsEmpty { try await models.loadPinned() }
        try await server.run { port in
            print("http://127.0.0.1:\(port ?? 0)/#key=\(key.secret)")
            fflush(nil)
        }
    }
}
