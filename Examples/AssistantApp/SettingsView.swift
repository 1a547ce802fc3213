// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
    import ParleyAssistant
    import SwiftUI

    /// What the assistant may do without asking.
    struct SettingsView: View {
        @Environment(Assistant.self) private var assistant

        var body: some View {
            @Bindable var assistant = assistant
            Form {
                Section {
                    Toggle("Ask before creating something", isOn: $assistant.consent.asksBeforeCreating)
                    Toggle("Only show what would be done", isOn: $assistant.consent.isDryRun)
                } header: {
                    Text("Consent")
                } footer: {
                    Text(
                        """
                        Changes and deletions are always asked about, and so is everything that is proposed after \
                        reading text of others. What was done can be undone on its card.
                        """)
                }
                Section("Tools") {
                    ForEach(tags, id: \.self) { tag in
                        Toggle(isOn: isAllowed(tag)) { Label(tag.title, systemImage: tag.symbol) }
                    }
                }
            }
            .formStyle(.grouped)
            .navigationTitle("Settings")
        }

        /// The tools that there are.
        private var tags: [ActionTag] { assistant.chat?.dependencies.systemPrompt.tags ?? [] }

        private func isAllowed(_ tag: ActionTag) -> Binding<Bool> {
            Binding { @MainActor in
                !assistant.consent.denied.contains(tag.rawValue)
            } set: { @MainActor isAllowed in
                if isAllowed {
                    assistant.consent.denied.remove(tag.rawValue)
                } else {
                    assistant.consent.denied.insert(tag.rawValue)
                }
            }
        }
    }
#endif
