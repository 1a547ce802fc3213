// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
    import Foundation
    import ParleyAssistant
    import SwiftUI

    #if os(macOS)
        import AppKit
    #elseif os(iOS)
        import UIKit
    #endif

    /// A message: what was written, and the cards of what it proposes.
    struct MessageRow: View {
        let chat: ChatViewModel
        let item: ChatItem
        @Binding var editing: ChatItem?
        @Binding var deleted: ChatItem.ID?

        private var isMine: Bool { item.author == .user }

        var body: some View {
            VStack(alignment: isMine ? .trailing : .leading, spacing: 10) {
                if let quoted = item.replyingTo.flatMap({ chat[$0] }) { Quotation(item: quoted) }
                bubble
                ForEach(item.cards) { card in
                    CardView(card: card, context: chat.dependencies.context()) { event in
                        Task { await chat.decide(event, on: card.id) }
                    }
                }
                sources
                if let remark = item.ending?.remark {
                    Label(remark, systemImage: "info.circle").font(.footnote).foregroundStyle(.secondary)
                }
                if let failure = item.failure {
                    Label(failure, systemImage: "exclamationmark.triangle.fill").foregroundStyle(.red)
                    if !isMine { Button("Try Again") { chat.regenerate(item.id) }.disabled(chat.isGenerating) }
                }
            }
            .frame(maxWidth: .infinity, alignment: isMine ? .trailing : .leading)
            .contextMenu { menu }
            .accessibilityElement(children: .contain)
        }

        @ViewBuilder
        private var bubble: some View {
            if !item.thinking.isEmpty {
                DisclosureGroup(item.isThinking ? "Reasoning…" : "Reasoning") {
                    Text(item.thinking)
                        .font(.callout)
                        .foregroundStyle(.secondary)
                        .textSelection(.enabled)
                        .frame(maxWidth: .infinity, alignment: .leading)
                }
                .font(.callout)
            }
            if item.isStreaming, item.text.isEmpty, item.thinking.isEmpty {
                ProgressView()
                    .accessibilityLabel(chat.isPreparing ? "Reading what was written" : "Writing a reply")
            }
            if !item.text.isEmpty || !item.attachments.isEmpty {
                VStack(alignment: .leading, spacing: 8) {
                    ForEach(Array(item.attachments.enumerated()), id: \.offset) { _, attachment in
                        Label(attachment.label, systemImage: attachment.symbol).font(.footnote)
                    }
                    if !item.text.isEmpty { Text(formatted).textSelection(.enabled) }
                }
                .padding(isMine ? 12 : 0)
                .background {
                    if isMine { RoundedRectangle(cornerRadius: 18).fill(.tint.opacity(0.18)) }
                }
                .accessibilityElement(children: .combine)
                .accessibilityLabel(item.spoken)
            }
        }

        /// The text with what Markdown says within lines; the reply of a model may break off anywhere.
        private var formatted: AttributedString {
            let options = AttributedString.MarkdownParsingOptions(
                interpretedSyntax: .inlineOnlyPreservingWhitespace, failurePolicy: .returnPartiallyParsedIfPossible)
            return (try? AttributedString(markdown: item.text, options: options)) ?? AttributedString(item.text)
        }

        @ViewBuilder
        private var sources: some View {
            if !item.sources.isEmpty {
                VStack(alignment: .leading, spacing: 4) {
                    Text("Sources").font(.footnote.bold()).accessibilityAddTraits(.isHeader)
                    ForEach(Array(item.sources.enumerated()), id: \.offset) { number, source in
                        Link("\(number + 1). \(source.title)", destination: source.url).font(.footnote)
                    }
                }
            }
        }

        @ViewBuilder
        private var menu: some View {
            Button("Copy", systemImage: "doc.on.doc") { Pasteboard.copy(item.text) }
            Button("Reply", systemImage: "arrowshape.turn.up.left") { chat.replyingTo = item.id }
            if isMine {
                Button("Edit", systemImage: "pencil") { editing = item }.disabled(chat.isGenerating)
                Button("Pin as Prompt", systemImage: "pin") { chat.togglePin(item.text) }
            } else {
                Button("Regenerate", systemImage: "arrow.clockwise") { chat.regenerate(item.id) }
                    .disabled(chat.isGenerating)
                Button("Go On from Here", systemImage: "arrow.triangle.branch") {
                    Task { await chat.branch(after: item.id) }
                }
                .disabled(chat.isGenerating)
            }
            Button("Delete", systemImage: "trash", role: .destructive) {
                Task {
                    await chat.delete(item.id)
                    deleted = item.id
                }
            }
        }
    }

    /// The message that another one replies to, in a line.
    struct Quotation: View {
        let item: ChatItem

        var body: some View {
            Label(item.text, systemImage: "arrowshape.turn.up.left")
                .font(.footnote)
                .foregroundStyle(.secondary)
                .lineLimit(2)
                .accessibilityLabel("In reply to: \(item.text)")
        }
    }

    extension ChatItem {
        /// The message as it is read out.
        var spoken: String {
            let who = author == .user ? "You" : "Assistant"
            let files = attachments.isEmpty ? "" : " Attached: \(attachments.map(\.label).joined(separator: ", "))."
            let actions = cards.map { "\($0.status): \($0.headline)." }.joined(separator: " ")
            return "\(who): \(failure ?? text)\(files) \(actions)"
        }
    }

    extension ChatItem.Ending {
        /// What is said about a reply that is not complete.
        var remark: String {
            switch self {
            case .stopped: "Stopped"
            case .timedOut: "Took too long and was ended"
            case .length: "Ended at the largest length of a reply"
            case .contextFull: "Ended because the chat is too long for the model"
            case .constraint: "Ended because the model could not complete an action"
            case .onlyReasoned: "The model reasoned and gave no answer"
            case .searchInterrupted: "The web search was interrupted"
            }
        }
    }

    extension ChatAttachment {
        /// The picture for it.
        var symbol: String { if case .image = self { "photo" } else { "doc" } }
    }

    /// The system's pasteboard.
    enum Pasteboard {
        @MainActor
        static func copy(_ text: String) {
            #if os(macOS)
                NSPasteboard.general.clearContents()
                NSPasteboard.general.setString(text, forType: .string)
            #elseif os(iOS)
                UIPasteboard.general.string = text
            #endif
        }
    }
#endif
