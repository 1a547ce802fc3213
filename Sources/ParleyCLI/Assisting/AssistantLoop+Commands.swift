// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyActions
import ParleyAssistant
import ParleyCommandLine
import ParleyConversation
import ParleyMCP
import ParleyMarkdown
import ParleySystem

extension AssistantLoop {
    /// Performs a command.
    ///
    /// - Throws: any error, which is shown.
    func perform(_ command: AssistantSlash) async throws {
        switch command {
        case .help: console.listCommands(AssistantSlash.descriptions)
        case .log: await showLog()
        case .undo(let number): try await undo(number)
        case .chats:
            let summaries = try await history.summaries()
            listed = summaries.map(\.id)
            if summaries.isEmpty { tell("No chats yet.") }
            for (index, summary) in summaries.enumerated() {
                line(index, summary.title, "\(summary.messages) message\(summary.messages == 1 ? "" : "s")")
            }
            console.line()
        case .open(let number): try await open(number)
        case .new:
            await chat.startNewChat()
            tell("Started a new chat.\n")
        case .search(let words): try await search(words)
        case .branch(let number):
            let mine = chat.messages.filter { $0.author == .user }
            guard mine.indices.contains(number - 1) else {
                throw CommandError("There is no message \(number) of yours.")
            }
            let id = mine[number - 1].id
            guard let index = chat.messages.firstIndex(where: { $0.id == id }) else { return }
            let last = chat.messages.indices.contains(index + 1) ? chat.messages[index + 1].id : id
            await chat.branch(after: last)
            tell("Back at “\(mine[number - 1].text.prefix(40))”; what followed is kept. Write on.\n")
        case .export(let path):
            try export(to: path)
            tell("Saved to \(path).\n")
        case .importing(let path): try await importChats(from: path)
        case .enrich: await enrich()
        case .pin(nil):
            for (index, prompt) in chat.pinnedPrompts.enumerated() { line(index, prompt, "") }
            tell(chat.pinnedPrompts.isEmpty ? "No pinned prompts.\n" : "")
        case .pin(let text?):
            let isPinned = chat.pinnedPrompts.contains(text)
            chat.togglePin(text)
            tell(isPinned ? "No longer pinned.\n" : "Pinned.\n")
        case .think:
            chat.thinkingEnabled.toggle()
            tell(chat.thinkingEnabled ? "The model may reason.\n" : "The model does not reason.\n")
        case .attach(nil): listAttachments()
        case .attach(let path?): take(try await desk.file(path))
        case .read(let address): take(try await desk.page(address))
        case .tools: listTools()
        case .detach:
            chat.attachments = []
            tell("Nothing is attached.\n")
        case .quit: break
        case .unknown(let hint): throw CommandError(hint)
        }
    }

    /// Lists the actions, and the tools, prompts and resources of servers.
    private func listTools() {
        for tag in chat.dependencies.systemPrompt.tags { entry(tag.toolName, tag.summary, "") }
        let tools = chat.dependencies.actions.stores.tools
        for server in servers?.servers ?? [] {
            console.line()
            console.line(console.outputStyle.bold(PlainText.clean(server.name)))
            for tool in server.tools {
                let isOffered = tools.contains { $0.name == .init(server: server.name, tool: tool.name) }
                entry("\(server.name).\(tool.name)", tool.description, isOffered ? "" : "left out: ")
            }
            for prompt in server.prompts.prefix(20) { entry("prompt \(prompt.name)", prompt.description ?? "", "") }
            for resource in server.resources.prefix(20) { entry("resource \(resource.name)", resource.uri, "") }
        }
        tell("")
    }

    private func entry(_ name: String, _ meaning: String, _ state: String) {
        let columns = console.isTerminal ? min(Terminal.size.columns, 100) : Int.max
        let name = String(DisplayWidth.beginning(of: PlainText.clean(name), columns: columns - 2))
        let text = meaning.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        let room = columns - DisplayWidth.of(name) - 6
        let whole = PlainText.clean(state + text)
        let fits = DisplayWidth.of(whole) <= room
        let shown = room < 12 ? "" : fits ? whole : "\(DisplayWidth.beginning(of: whole, columns: room - 1))…"
        console.line("  " + name + console.outputStyle.dim(shown.isEmpty ? "" : "  " + shown))
    }

    private func listAttachments() {
        for (index, attachment) in chat.attachments.enumerated() { line(index, attachment.label, "") }
        tell(chat.attachments.isEmpty ? "Nothing is attached.\n" : "")
    }

    /// Attaches something to the next message.
    func take(_ attached: AttachmentDesk.Attached) {
        chat.attachments.append(attached.attachment)
        tell(attached.remark + " What is proposed after it is asked about.\n")
    }

    private func export(to path: String) throws {
        guard !chat.messages.isEmpty else { throw CommandError("The chat is empty, so there is nothing to save.") }
        let ending = URL(filePath: path).pathExtension.lowercased()
        guard let form = ParleyAssistant.Chat.ExportFormat(rawValue: ending.isEmpty ? "md" : ending) else {
            throw CommandError("A chat is written as .md, .txt or .json, not as .\(ending).")
        }
        let file = try OutputFile(path: path, mayReplace: false)
        try file.write(Data(try chat.chat.export(form).utf8))
        try file.finish()
    }

    private func importChats(from path: String) async throws {
        let data = Data(try InputFile.bytes(path))
        let chats = try ChatImport.chats(from: data)
        try await history.add(chats)
        listed = chats.map(\.id)
        for (index, chat) in chats.enumerated().prefix(20) { line(index, chat.title, "") }
        let more = chats.count > 20 ? " The first 20 are shown." : ""
        tell(chats.isEmpty ? "There are no chats in it.\n" : "Added. /open N goes on with one of them.\(more)\n")
    }

    /// Summarises notes until all are done, or Ctrl-C stops it.
    private func enrich() async {
        tell("Summarising notes. Ctrl-C stops it.")
        let chat = chat
        let entries = await Interrupts.shared.handling({ Task { @MainActor in chat.stop() } }) {
            await chat.enrichNotes()
        }
        for entry in entries { console.line("\(entry.id)  \(PlainText.clean(entry.title))") }
        tell(entries.isEmpty ? "Nothing was written.\n" : "/undo N takes one back.\n")
    }

    private func line(_ index: Int, _ title: String, _ remark: String) {
        let number = String(index + 1)
        let padding = String(repeating: " ", count: max(0, 3 - number.count))
        let text = PlainText.clean(title.isEmpty ? "(no title)" : title)
        let rest = remark.isEmpty ? "" : "  " + PlainText.clean(remark)
        console.line("\(padding)\(number)  \(text)" + console.outputStyle.dim(rest))
    }

    private func showLog() async {
        let entries = await chat.dependencies.actions.log.entries(limit: 20)
        if entries.isEmpty { tell("Nothing was done yet.") }
        let clock = chat.dependencies.context().clock
        for entry in entries.reversed() {
            let when = "\(clock.day(of: entry.time)) \(clock.time(of: entry.time).description.prefix(5))"
            let what = entry.reason == .undo ? "undone: \(entry.title)" : entry.title
            let state = entry.isDone ? "" : "  not done"
            console.line("\(entry.id)  \(when)  \(PlainText.clean(what))" + console.outputStyle.dim(state))
        }
        console.line()
    }

    private func undo(_ number: Int?) async throws {
        let log = chat.dependencies.actions.log
        var entry = number
        if entry == nil {
            for candidate in await log.entries(limit: 100)
            where candidate.reason != .undo && candidate.reason != .rollback && !candidate.made.isEmpty {
                if await log.undoing(of: candidate.id) == nil {
                    entry = candidate.id
                    break
                }
            }
        }
        guard let entry, let undone = await log.entry(entry) else {
            throw CommandError(number.map { "The log has no entry \($0)." } ?? "There is nothing to undo.")
        }
        try await chat.undo(entry)
        tell("\(undone.reason == .undo ? "Done again" : "Undone"): \(undone.title)\n")
    }

    private func open(_ number: Int) async throws {
        if listed.isEmpty { listed = try await history.summaries().map(\.id) }
        guard listed.indices.contains(number - 1), let kept = try await history.chat(listed[number - 1]) else {
            throw CommandError("There is no chat \(number); /chats lists them.")
        }
        await chat.open(kept)
        for item in chat.messages {
            let mark = item.author == .user ? console.outputStyle.accent("> ") : ""
            if item.author == .assistant, console.isTerminal {
                let drawing = MarkdownLines(columns: Terminal.size.columns, style: console.outputStyle)
                for line in drawing.lines(of: MarkdownReader.blocks(of: item.text)) { console.line(line) }
            } else {
                var wrapper = WordWrapper(columns: Terminal.size.columns)
                let text = wrapper.append(PlainText.clean(item.text)) + wrapper.finish()
                if !text.isEmpty { console.line(mark + text) }
            }
            for card in item.cards { display.draw(card) }
            display.showEnding(of: item)
        }
        console.line()
    }

    /// Searches all chats: those whose title has the words first.
    private func search(_ words: String) async throws {
        let found = try await history.search(words)
        // A title is usually the beginning of the first message, which has the words too.
        let titled = Set(found.filter { $0.message == nil }.map(\.chat))
        let hits = found.filter { $0.message == nil || !titled.contains($0.chat) || !$0.snippet.hasPrefix($0.title) }
        listed = hits.map(\.chat)
        if hits.isEmpty { tell("Nothing was found.") }
        for (index, hit) in hits.enumerated() { line(index, hit.title, hit.message == nil ? "" : hit.snippet) }
        console.line()
    }
}
