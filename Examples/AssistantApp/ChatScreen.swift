// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
    import Accessibility
    import ParleyAssistant
    import SwiftUI

    /// The messages of a chat above the field in which the next one is written.
    struct ChatScreen: View {
        @Bindable var chat: ChatViewModel
        @State private var editing: ChatItem?
        @State private var deleted: ChatItem.ID?

        var body: some View {
            ScrollViewReader { scroll in
                ScrollView {
                    LazyVStack(alignment: .leading, spacing: 20) {
                        ForEach(chat.searchText.isEmpty ? chat.messages : chat.searchResults) { item in
                            MessageRow(chat: chat, item: item, editing: $editing, deleted: $deleted)
                                .id(item.id)
                        }
                    }
                    .padding()
                    // Long lines are hard to read on a wide window.
                    .frame(maxWidth: 720)
                    .frame(maxWidth: .infinity)
                }
                // The newest line stays in view while a reply grows, unless the reader has scrolled away.
                .defaultScrollAnchor(.bottom)
                .scrollDismissesKeyboard(.interactively)
                .onChange(of: chat.messages.last?.id) {
                    if let last = chat.messages.last?.id { scroll.scrollTo(last, anchor: .bottom) }
                }
            }
            .overlay {
                if chat.messages.isEmpty { StartView(chat: chat) }
            }
            .safeAreaInset(edge: .bottom, spacing: 0) {
                VStack(spacing: 8) {
                    Notices(chat: chat)
                    if let deleted { restoreBar(deleted) }
                    Composer(chat: chat)
                }
                .frame(maxWidth: 720)
                .padding(.horizontal)
                .padding(.vertical, 8)
                .frame(maxWidth: .infinity)
                .background(.bar)
            }
            .navigationTitle(chat.sessionTitle.isEmpty ? "New Chat" : chat.sessionTitle)
            .searchable(text: $chat.searchText, prompt: "Search this chat")
            .toolbar {
                ToolbarItem {
                    Toggle("Reason before answering", systemImage: "brain", isOn: $chat.thinkingEnabled)
                        .help("Lets the model reason before it answers, and shows how")
                }
            }
            .sheet(item: $editing) { item in EditSheet(chat: chat, item: item) }
            // The signs of a message that is on its way and of a reply that has come.
            .sensoryFeedback(.impact, trigger: chat.messages.count)
            .onChange(of: chat.isGenerating) {
                guard !chat.isGenerating, let reply = chat.messages.last, reply.author == .assistant else { return }
                AccessibilityNotification.Announcement(reply.spoken).post()
            }
        }

        private func restoreBar(_ id: ChatItem.ID) -> some View {
            HStack {
                Text("Message deleted")
                Spacer()
                Button("Undo") {
                    deleted = nil
                    Task { await chat.restore(id) }
                }
            }
            .font(.callout)
            .task(id: id) {
                try? await Task.sleep(for: .seconds(10))
                if !Task.isCancelled { deleted = nil }
            }
        }
    }

    /// What there is to do in an empty chat: pinned prompts, and suggestions.
    private struct StartView: View {
        let chat: ChatViewModel

        var body: some View {
            ScrollView {
                VStack(alignment: .leading, spacing: 12) {
                    if chat.isModelLoading {
                        ProgressView("Loading the model…").frame(maxWidth: .infinity)
                    }
                    section("Pinned", chat.pinnedPrompts)
                    section("You could ask", chat.suggestedPrompts.filter { !chat.pinnedPrompts.contains($0) })
                }
                .padding()
                .frame(maxWidth: 560)
                .frame(maxWidth: .infinity)
            }
            .defaultScrollAnchor(.center)
        }

        @ViewBuilder
        private func section(_ title: String, _ prompts: [String]) -> some View {
            if !prompts.isEmpty {
                Text(title).font(.headline).accessibilityAddTraits(.isHeader)
                ForEach(prompts, id: \.self) { prompt in PromptButton(chat: chat, prompt: prompt) }
            }
        }
    }

    /// A prompt that is put into the input field, and can be pinned.
    private struct PromptButton: View {
        let chat: ChatViewModel
        let prompt: String

        private var isPinned: Bool { chat.pinnedPrompts.contains(prompt) }

        var body: some View {
            HStack {
                Button {
                    chat.inputText = prompt
                } label: {
                    Text(prompt)
                        .multilineTextAlignment(.leading)
                        .frame(maxWidth: .infinity, alignment: .leading)
                        .padding(12)
                        .background(.quaternary.opacity(0.5), in: .rect(cornerRadius: 12))
                }
                .buttonStyle(.plain)
                .accessibilityHint("Puts the prompt into the message field")
                Button(isPinned ? "Unpin" : "Pin", systemImage: isPinned ? "pin.fill" : "pin") {
                    chat.togglePin(prompt)
                }
                .labelStyle(.iconOnly)
                .buttonStyle(.borderless)
            }
        }
    }

    /// What the chat has to say about itself: an error until it is dismissed or five seconds are over, a remark for a
    /// moment. Neither disappears under the pointer.
    private struct Notices: View {
        let chat: ChatViewModel

        var body: some View {
            VStack(spacing: 8) {
                if let error = chat.errorMessage {
                    HStack(alignment: .firstTextBaseline) {
                        Label(error, systemImage: "exclamationmark.triangle.fill")
                            .foregroundStyle(.red)
                        Spacer()
                        Button("Dismiss", systemImage: "xmark") { chat.dismissError() }
                            .labelStyle(.iconOnly)
                            .buttonStyle(.borderless)
                            .keyboardShortcut(.cancelAction)
                    }
                    .padding(12)
                    .background(.regularMaterial, in: .rect(cornerRadius: 12))
                }
                if let toast = chat.toast {
                    Text(toast)
                        .font(.callout)
                        .padding(.horizontal, 14)
                        .padding(.vertical, 8)
                        .background(.regularMaterial, in: .capsule)
                }
            }
            .onHover { chat.holdsNotices = $0 }
            .animation(.default, value: chat.errorMessage)
            .animation(.default, value: chat.toast)
            .onChange(of: chat.notices.count) {
                if let last = chat.notices.last { AccessibilityNotification.Announcement(last.text).post() }
            }
        }
    }

    /// A message of the user's that is written anew; the earlier version is kept.
    private struct EditSheet: View {
        let chat: ChatViewModel
        let item: ChatItem
        @Environment(\.dismiss) private var dismiss
        @State private var text = ""

        var body: some View {
            NavigationStack {
                TextEditor(text: $text)
                    .padding()
                    .accessibilityLabel("Message")
                    .navigationTitle("Edit Message")
                    .toolbar {
                        ToolbarItem(placement: .cancellationAction) { Button("Cancel") { dismiss() } }
                        ToolbarItem(placement: .confirmationAction) {
                            Button("Send") { if chat.edit(item.id, to: text) { dismiss() } }
                        }
                    }
            }
            .frame(minWidth: 320, minHeight: 240)
            .onAppear { text = item.text }
        }
    }
#endif
