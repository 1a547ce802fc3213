// SPDX-License-Identifier: Apache-2.0

// A chat that acts, in SwiftUI. See README.md in this folder; it has not been compiled on an Apple system yet.

#if canImport(SwiftUI)
    import ParleyAssistant
    import SwiftUI

    @main
    struct AssistantApp: App {
        @State private var assistant = Assistant()

        var body: some Scene {
            WindowGroup {
                RootView()
                    .environment(assistant)
                    .task { await assistant.start() }
            }
            .commands {
                CommandGroup(replacing: .newItem) {
                    Button("New Chat") { Task { await assistant.startNewChat() } }
                        .keyboardShortcut("n")
                }
                CommandMenu("Reply") {
                    Button("Stop") { assistant.chat?.stop() }
                        .keyboardShortcut(".")
                        .disabled(assistant.chat?.isGenerating != true)
                    Button("Reason Before Answering") { assistant.chat?.thinkingEnabled.toggle() }
                        .keyboardShortcut("t", modifiers: [.command, .shift])
                }
            }
            #if os(macOS)
                Settings {
                    SettingsView()
                        .environment(assistant)
                        .frame(width: 460)
                }
            #endif
        }
    }

    /// The chats beside the one that is shown.
    struct RootView: View {
        @Environment(Assistant.self) private var assistant
        @Environment(\.scenePhase) private var scenePhase

        var body: some View {
            NavigationSplitView {
                ChatList()
            } detail: {
                if let chat = assistant.chat {
                    ChatScreen(chat: chat)
                } else if let failure = assistant.failure {
                    ContentUnavailableView(
                        "The assistant could not be started", systemImage: "exclamationmark.triangle",
                        description: Text(failure))
                } else {
                    ProgressView("Starting…")
                }
            }
            .onChange(of: scenePhase) {
                // What is not saved yet is saved before the app may be ended.
                if scenePhase == .background { assistant.flush() }
            }
        }
    }
#else
    @main
    enum AssistantApp {
        static func main() { print("This example is an app in SwiftUI; build it on macOS or iOS.") }
    }
#endif
