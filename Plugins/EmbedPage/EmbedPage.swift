// SPDX-License-Identifier: Apache-2.0

import Foundation
import PackagePlugin

/// Builds the files of the folder `Page` of a target into it, so that the program needs no other files.
@main
struct EmbedPage: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) async throws -> [Command] {
        let folder = target.directoryURL.appending(path: "Page")
        let names = try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter {
            ["html", "js", "css", "svg", "webmanifest"].contains(URL(filePath: $0).pathExtension)
        }.sorted()
        let output = context.pluginWorkDirectoryURL.appending(path: "PageContents.swift")
        return [
            .buildCommand(
                displayName: "Embedding the page", executable: try context.tool(named: "PageEmbedder").url,
                arguments: [folder.path, output.path] + names,
                inputFiles: names.map { folder.appending(path: $0) }, outputFiles: [output])
        ]
    }
}
