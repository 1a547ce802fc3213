// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
    import Foundation
    import ParleyAssistant
    import SwiftUI
    import UniformTypeIdentifiers

    /// The field in which a message is written, with what belongs to it.
    struct Composer: View {
        @Bindable var chat: ChatViewModel
        @State private var choosesFiles = false
        @State private var unreadable: String?
        @FocusState private var isFocused: Bool

        var body: some View {
            VStack(alignment: .leading, spacing: 8) {
                if let quoted = chat.replyingTo.flatMap({ chat[$0] }) {
                    HStack {
                        Quotation(item: quoted)
                        Spacer()
                        removeButton("Do not reply to it") { chat.replyingTo = nil }
                    }
                }
                attachments
                HStack(alignment: .bottom, spacing: 10) {
                    Button("Attach", systemImage: "plus.circle.fill") { choosesFiles = true }
                        .keyboardShortcut("a", modifiers: [.command, .shift])
                    TextField("Message", text: $chat.inputText, axis: .vertical)
                        .textFieldStyle(.plain)
                        .lineLimit(1...8)
                        .focused($isFocused)
                        .onSubmit { send() }
                        .padding(.horizontal, 14)
                        .padding(.vertical, 9)
                        .background(.quaternary.opacity(0.5), in: .rect(cornerRadius: 18))
                    speech
                    if chat.isGenerating {
                        Button("Stop", systemImage: "stop.circle.fill") { chat.stop() }
                    } else {
                        Button("Send", systemImage: "arrow.up.circle.fill") { send() }
                            .keyboardShortcut(.return, modifiers: .command)
                            .disabled(!chat.canSend)
                    }
                }
                .labelStyle(.iconOnly)
                .buttonStyle(.borderless)
                .imageScale(.large)
                .font(.title3)
            }
            .onAppear { isFocused = true }
            .dropDestination(for: URL.self) { urls, _ in
                attach(urls)
                return !urls.isEmpty
            }
            .fileImporter(
                isPresented: $choosesFiles, allowedContentTypes: [.jpeg, .png, .pdf, .plainText, .html],
                allowsMultipleSelection: true
            ) { result in
                if case .success(let urls) = result { attach(urls) }
            }
            .alert(
                "The file cannot be attached",
                isPresented: Binding { @MainActor in
                    unreadable != nil
                } set: { @MainActor _ in
                    unreadable = nil
                }
            ) {
                Button("OK") {}
            } message: {
                Text(unreadable ?? "")
            }
        }

        @ViewBuilder
        private var attachments: some View {
            if !chat.attachments.isEmpty {
                ScrollView(.horizontal) {
                    HStack {
                        ForEach(Array(chat.attachments.enumerated()), id: \.offset) { index, attachment in
                            HStack(spacing: 4) {
                                Label(attachment.label, systemImage: attachment.symbol).font(.footnote)
                                removeButton("Remove \(attachment.label)") { remove(attachment, at: index) }
                            }
                            .padding(8)
                            .background(.quaternary.opacity(0.5), in: .capsule)
                        }
                    }
                }
            }
        }

        /// The microphone, where there is speech input; while it listens, a way to take back what was said.
        @ViewBuilder
        private var speech: some View {
            if chat.isTranscribing {
                ProgressView().accessibilityLabel("Transcribing")
            } else if chat.isRecording {
                Button("Discard", systemImage: "xmark.circle") { chat.cancelSpeech() }
                Button("Stop listening", systemImage: "waveform.circle.fill") { chat.finishSpeech() }
                    .foregroundStyle(.red)
                    .symbolEffect(.pulse)
            } else if chat.dependencies.speech != nil {
                Button("Speak", systemImage: "mic.circle") { chat.toggleSpeech() }
                    .keyboardShortcut("m", modifiers: [.command, .shift])
            }
        }

        private func removeButton(_ label: String, _ action: @escaping @MainActor () -> Void) -> some View {
            Button(label, systemImage: "xmark.circle.fill", action: action)
                .labelStyle(.iconOnly)
                .buttonStyle(.borderless)
                .foregroundStyle(.secondary)
        }

        private func send() {
            // An empty field, or one that waits for the model, keeps its text.
            if chat.send() { isFocused = true }
        }

        private func remove(_ attachment: ChatAttachment, at index: Int) {
            // The list may have changed since the button was drawn.
            guard chat.attachments.indices.contains(index), chat.attachments[index] == attachment else { return }
            chat.attachments.remove(at: index)
        }

        /// Attaches files: images as they are, documents as copies, since the right to read them ends here.
        private func attach(_ urls: [URL]) {
            for url in urls {
                let isScoped = url.startAccessingSecurityScopedResource()
                defer { if isScoped { url.stopAccessingSecurityScopedResource() } }
                do {
                    let type = UTType(filenameExtension: url.pathExtension)
                    if type == .jpeg || type == .png {
                        chat.attachments.append(.image(try Data(contentsOf: url)))
                    } else {
                        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
                        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
                        let copy = folder.appending(path: url.lastPathComponent)
                        try FileManager.default.copyItem(at: url, to: copy)
                        chat.attachments.append(.document(copy))
                    }
                } catch {
                    unreadable = error.localizedDescription
                }
            }
        }
    }
#endif
