// SPDX-License-Identifier: Apache-2.0

/// A command that is typed in `parley assistant` as a line beginning with a slash.
package enum AssistantSlash: Sendable, Hashable {
    case help, log, chats, new, quit, think, detach, tools, enrich
    /// Attaches a file to the next message; without a path, lists what is attached.
    case attach(String?)
    /// Attaches the text of a page of the web.
    case read(String)
    /// Undoes an entry of the log; nil for the last one that can be undone.
    case undo(Int?)
    /// Searches all chats.
    case search(String)
    /// Opens the chat with a number of `/chats`.
    case open(Int)
    /// Goes back to the message with a number, so that another branch begins after it.
    case branch(Int)
    /// Writes the chat to a file.
    case export(String)
    /// Reads chats from a file.
    case importing(String)
    /// Pins a prompt or removes it; without a text, lists the pinned ones.
    case pin(String?)
    /// An unknown command, or one without what it needs, with a hint.
    case unknown(hint: String)

    /// Every command with its description.
    package static let descriptions = [
        ("/help", "show this list"), ("/log", "show what was done, with numbers"),
        ("/undo [N]", "undo the last action, or entry N of the log"), ("/chats", "list the chats"),
        ("/open N", "go on with chat N of /chats"), ("/new", "start a new chat"),
        ("/search TEXT", "search all chats"), ("/branch N", "go back to your message N and go on"),
        ("/export FILE", "write the chat (.md, .txt; .json: all of it)"),
        ("/import FILE", "add the chats of a file, also ChatGPT's"),
        ("/attach [PATH]", "attach a file to the next message, or list"),
        ("/read URL", "attach a page of the web"), ("/detach", "attach nothing"),
        ("/tools", "list what can be used, and the tools of servers"),
        ("/enrich", "summarise notes that have no summary"),
        ("/pin [TEXT]", "pin or unpin a prompt; without TEXT list"),
        ("/think", "let the model reason, or not"),
        ("/quit", "leave; also Ctrl-D"),
    ]

    /// Parses a line; nil if it is a message for the model.
    package init?(_ line: String) {
        guard let line = SlashLine(line) else { return nil }
        let argument = line.argument
        func number(_ make: (Int) -> Self) -> Self {
            Int(argument).map(make) ?? .unknown(hint: "\(line.name) needs a number: \(line.name) 1.")
        }
        func text(_ text: String, _ make: (String) -> Self, _ what: String) -> Self {
            text.isEmpty ? .unknown(hint: "\(line.name) needs \(what).") : make(text)
        }
        switch line.name {
        case "/help", "/?": self = .help
        case "/log": self = .log
        case "/chats": self = .chats
        case "/new", "/clear": self = .new
        case "/think": self = .think
        case "/detach": self = .detach
        case "/tools": self = .tools
        case "/enrich": self = .enrich
        case "/attach": self = .attach(line.path.isEmpty ? nil : line.path)
        case "/read": self = text(line.word, { .read($0) }, "the address of a page")
        case "/quit", "/exit", "/bye": self = .quit
        case "/undo": self = argument.isEmpty ? .undo(nil) : number { .undo($0) }
        case "/search": self = text(argument, { .search($0) }, "the words to search")
        case "/open": self = number { .open($0) }
        case "/branch": self = number { .branch($0) }
        case "/export": self = text(line.path, { .export($0) }, "a file name")
        case "/import": self = text(line.path, { .importing($0) }, "a file name")
        case "/pin": self = .pin(argument.isEmpty ? nil : argument)
        default:
            guard let hint = line.hint(among: Self.descriptions) else { return nil }
            self = .unknown(hint: hint)
        }
    }
}
