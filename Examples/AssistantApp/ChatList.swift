// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
    import Foundation
    import ParleyAssistant
    import SwiftUI

    /// All chats, newest first, with a search over what was said in them.
    struct ChatList: View {
        @Environment(Assistant.self) private var assistant
        @State private var query = ""
        @State private var showsSettings = false

        var body: some View {
            List(selection: selection) {
                if query.isEmpty {
                    ForEach(assistant.chats) { summary in
                        ChatRow(summary: summary)
                            .tag(summary.id)
                            .contextMenu { deleteButton(summary) }
                            .swipeActions { deleteButton(summary) }
                    }
                } else {
                    ForEach(assistant.hits, id: \.self) { hit in
                        VStack(alignment: .leading, spacing: 2) {
                            Text(hit.title.isEmpty ? "Untitled" : hit.title).font(.headline)
                            if hit.message != nil {
                                Text(hit.snippet).font(.subheadline).foregroundStyle(.secondary).lineLimit(2)
                            }
                        }
                        .accessibilityElement(children: .combine)
                        .tag(hit.chat)
                    }
                }
            }
            .navigationTitle("Chats")
            .overlay {
                if !query.isEmpty, assistant.hits.isEmpty {
                    ContentUnavailableView.search(text: query)
                } else if query.isEmpty, assistant.chats.isEmpty {
                    ContentUnavailableView(
                        "No chats yet", systemImage: "bubble.left.and.bubble.right",
                        description: Text("What you write is kept here, on this device."))
                }
            }
            .searchable(text: $query, prompt: "Search all chats")
            .task(id: query) { await assistant.search(query) }
            // The list follows what is said.
            .task(id: assistant.chat?.messages.count) { await assistant.refresh() }
            .safeAreaInset(edge: .bottom) {
                if let deleted = assistant.deleted { undoBar(deleted) }
            }
            .toolbar {
                ToolbarItem(placement: .primaryAction) {
                    Button("New Chat", systemImage: "square.and.pencil") {
                        Task { await assistant.startNewChat() }
                    }
                    .disabled(assistant.chat?.isGenerating != false)
                }
                #if os(iOS)
                    ToolbarItem(placement: .topBarLeading) {
                        Button("Settings", systemImage: "gearshape") { showsSettings = true }
                    }
                #endif
            }
            .sheet(isPresented: $showsSettings) {
                NavigationStack {
                    SettingsView()
                        .toolbar {
                            ToolbarItem(placement: .confirmationAction) {
                                Button("Done") { showsSettings = false }
                            }
                        }
                }
            }
        }

        private var selection: Binding<UUID?> {
            Binding { @MainActor in
                assistant.chat?.chatID
            } set: { @MainActor id in
                guard let id else { return }
                Task { await assistant.open(id) }
            }
        }

        private func deleteButton(_ summary: ChatSummary) -> some View {
            Button("Delete", systemImage: "trash", role: .destructive) {
                Task { await assistant.delete(summary) }
            }
        }

        private func undoBar(_ summary: ChatSummary) -> some View {
            HStack {
                Text("“\(summary.title)” deleted").lineLimit(1)
                Spacer()
                Button("Undo") { Task { await assistant.restoreDeleted() } }
            }
            .padding()
            .background(.regularMaterial)
            .task(id: summary.id) {
                try? await Task.sleep(for: .seconds(10))
                if !Task.isCancelled { assistant.forgetDeleted() }
            }
        }
    }

    /// A chat in the list.
    private struct ChatRow: View {
        let summary: ChatSummary

        var body: some View {
            VStack(alignment: .leading, spacing: 2) {
                Text(summary.title.isEmpty ? "New chat" : summary.title)
                    .font(.headline)
                    .lineLimit(2)
                Text(summary.changed, format: .relative(presentation: .named))
                    .font(.subheadline)
                    .foregroundStyle(.secondary)
            }
            .accessibilityElement(children: .combine)
        }
    }
#endif
