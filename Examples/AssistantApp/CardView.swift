// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
    import Foundation
    import ParleyAssistant
    import SwiftUI

    /// What an action of a reply would do, has done or has found, and what there is to choose about it.
    struct CardView: View {
        let card: ActionCard
        let context: DateContext
        let decide: (ActionCard.Event) -> Void
        @State private var correction = ""

        private var times: TimeText { TimeText(context) }
        private var isBusy: Bool { card.confirmation?.isBusy == true }

        var body: some View {
            VStack(alignment: .leading, spacing: 10) {
                header
                if card.stage == .malformed { corrector }
                details
                conflicts
                results
                ForEach(card.plan.notices, id: \.self) { Label($0, systemImage: "info.circle").font(.footnote) }
                if let failure = card.failure {
                    Label(failure, systemImage: "exclamationmark.circle").font(.footnote)
                }
                if card.readsUntrusted, card.isWaiting {
                    Label("Proposed after reading text of others", systemImage: "hand.raised").font(.footnote)
                }
                choices
            }
            .padding(14)
            .frame(maxWidth: 460, alignment: .leading)
            .background(.quaternary.opacity(0.35), in: .rect(cornerRadius: 16))
            .overlay { if card.isWaiting { RoundedRectangle(cornerRadius: 16).stroke(.tint, lineWidth: 1.5) } }
            .accessibilityElement(children: .contain)
            .accessibilityLabel("\(card.status): \(card.headline)")
            // What it shows may have been deleted since.
            .task(id: card.id) { decide(.appeared) }
        }

        private var header: some View {
            HStack(alignment: .firstTextBaseline, spacing: 8) {
                Image(systemName: card.tag.symbol).foregroundStyle(.tint).accessibilityHidden(true)
                VStack(alignment: .leading, spacing: 2) {
                    Text(card.headline).font(.headline)
                    if !card.status.isEmpty { Text(card.status).font(.subheadline).foregroundStyle(.secondary) }
                }
                Spacer(minLength: 0)
                if isBusy { ProgressView().controlSize(.small) }
            }
            .accessibilityElement(children: .combine)
            .accessibilityAddTraits(.isHeader)
        }

        // MARK: What it is about

        @ViewBuilder
        private var details: some View {
            ForEach(card.arguments, id: \.self) { line("arrow.up.right", "\($0.name): \($0.value)") }
            if let outcome = card.plan.outcome {
                let before = card.plan.items.first
                if let time = outcome.time {
                    line("clock", times.text(time))
                    if let old = before?.time, old != time { Text("before: \(times.text(old))").font(.footnote) }
                }
                if let every = outcome.recurrence { line("repeat", every) }
                if let place = outcome.location, !place.isEmpty { line("mappin.and.ellipse", place) }
                if let text = outcome.text, !text.isEmpty { line("text.alignleft", text) }
            } else {
                ForEach(Array(card.plan.items.prefix(10).enumerated()), id: \.offset) { _, item in
                    line("circle.fill", item.time.map { "\(item.title), \(times.text($0))" } ?? item.title)
                }
                if card.plan.items.count > 10 { Text("and \(card.plan.items.count - 10) more").font(.footnote) }
            }
            if card.plan.scope == .occurrence, card.isWaiting {
                Text("This date only, not the series").font(.footnote).foregroundStyle(.secondary)
            }
            if card.isWaiting, !card.plan.alternatives.isEmpty {
                Text("Or is it").font(.footnote.bold())
                ForEach(Array(card.plan.alternatives.enumerated()), id: \.offset) { index, item in
                    Button {
                        decide(.choose(index))
                    } label: {
                        line("circle", item.time.map { "\(item.title), \(times.text($0))" } ?? item.title)
                    }
                    .buttonStyle(.plain)
                    .disabled(isBusy)
                }
            }
        }

        @ViewBuilder
        private var conflicts: some View {
            let isOpen = card.isWaiting || card.confirmation?.conflicts.isEmpty == false
            if isOpen, !card.plan.conflicts.isEmpty {
                VStack(alignment: .leading, spacing: 6) {
                    Label("At the same time", systemImage: "exclamationmark.triangle")
                        .font(.footnote.bold())
                        .foregroundStyle(.orange)
                    ForEach(card.plan.conflicts.prefix(5)) { event in
                        Text("\(event.title), \(times.text(event.time))").font(.footnote)
                    }
                    ForEach(Array(card.plan.freeSlots.enumerated()), id: \.offset) { index, slot in
                        Button("Move to \(times.text(slot))", systemImage: "calendar.badge.clock") {
                            decide(.reschedule(index))
                        }
                        .buttonStyle(.bordered)
                        .disabled(isBusy)
                    }
                }
            }
        }

        // MARK: What it has found

        @ViewBuilder
        private var results: some View {
            switch card.plan.results {
            case .events(let events)?:
                nothing(events.isEmpty)
                ForEach(events.prefix(50)) { event in
                    VStack(alignment: .leading) {
                        Text(event.title)
                        Text(times.text(event.time)).font(.footnote).foregroundStyle(.secondary)
                    }
                    .accessibilityElement(children: .combine)
                }
            case .freeTimes(let slots)?:
                nothing(slots.isEmpty)
                ForEach(slots, id: \.self) { line("clock", times.text($0)) }
            case .notes(let notes)?:
                nothing(notes.isEmpty)
                ForEach(notes) { note in
                    VStack(alignment: .leading) {
                        Text(note.title).bold()
                        Text(note.body).font(.footnote).lineLimit(4)
                    }
                    .accessibilityElement(children: .combine)
                }
            case .contacts(let contacts)?:
                nothing(contacts.isEmpty)
                ForEach(contacts) { ContactLine(contact: $0) }
            case .habits(let habits)?:
                nothing(habits.isEmpty)
                ForEach(habits, id: \.self) { habit in
                    line(
                        "checkmark.circle",
                        "\(habit.name): \(habit.streak) \(habit.isWeekly ? "weeks" : "days") in a row")
                }
            case .text(let text)?: Text(text).font(.footnote).lineLimit(8)
            case .web(let results)?:
                nothing(results.isEmpty)
                ForEach(results, id: \.self) { Link($0.title, destination: $0.url).font(.footnote) }
            case nil: EmptyView()
            }
        }

        @ViewBuilder
        private func nothing(_ isEmpty: Bool) -> some View {
            if isEmpty { Text("Nothing was found.").foregroundStyle(.secondary) }
        }

        private func line(_ symbol: String, _ text: String) -> some View {
            Label(text, systemImage: symbol).font(.callout)
        }

        // MARK: What there is to choose

        /// A payload that could not be read, for the user to correct.
        private var corrector: some View {
            VStack(alignment: .leading, spacing: 6) {
                ForEach(Array(card.problems.prefix(8).enumerated()), id: \.offset) { _, problem in
                    Text(problem.field.isEmpty ? problem.description : "\(problem.field): \(problem.description)")
                        .font(.footnote)
                }
                TextField("What it says", text: $correction, axis: .vertical)
                    .font(.callout.monospaced())
                    .lineLimit(2...8)
                    .textFieldStyle(.roundedBorder)
                Button("Try Again") { decide(.correct(correction)) }
                    .disabled(correction.isEmpty)
            }
            .onAppear { correction = card.payload }
        }

        @ViewBuilder
        private var choices: some View {
            let buttons = card.choices.filter { $0.isButton }
            if !buttons.isEmpty {
                // Side by side where there is room; with large type one below the other.
                ViewThatFits(in: .horizontal) {
                    HStack { choiceButtons(buttons) }
                    VStack(alignment: .leading) { choiceButtons(buttons) }
                }
                .disabled(isBusy)
            }
        }

        private func choiceButtons(_ choices: [ActionCard.Choice]) -> some View {
            ForEach(choices, id: \.self) { choice in
                if choice.event == .confirm {
                    Button(choice.label, role: card.deletes ? .destructive : nil) { decide(choice.event) }
                        .buttonStyle(.borderedProminent)
                } else {
                    Button(choice.label) { decide(choice.event) }
                        .buttonStyle(.bordered)
                }
            }
        }
    }

    /// A contact whose numbers and addresses can be used.
    private struct ContactLine: View {
        let contact: StoredContact

        var body: some View {
            VStack(alignment: .leading, spacing: 4) {
                Text(contact.name).bold()
                if let organisation = contact.organisation { Text(organisation).font(.footnote) }
                ForEach(contact.phones, id: \.self) { entry($0, "phone", "tel:") }
                ForEach(contact.emails, id: \.self) { entry($0, "envelope", "mailto:") }
            }
        }

        @ViewBuilder
        private func entry(_ entry: StoredContact.Entry, _ symbol: String, _ scheme: String) -> some View {
            let text = entry.label.map { "\($0) \(entry.value)" } ?? entry.value
            if let url = URL(string: scheme + entry.value.filter { !$0.isWhitespace }) {
                Link(destination: url) { Label(text, systemImage: symbol) }.font(.footnote)
            } else {
                Label(text, systemImage: symbol).font(.footnote)
            }
        }
    }

    extension ActionCard {
        /// Whether it waits for the user's consent.
        var isWaiting: Bool { stage == .proposed }

        /// Whether confirming it deletes something.
        var deletes: Bool { confirmation?.state == .pendingDeletion }
    }

    extension ActionCard.Choice {
        /// Whether it is a button below the card; free times and other items are chosen where they are shown.
        var isButton: Bool {
            switch event {
            case .reschedule, .choose: false
            default: true
            }
        }
    }

    extension ActionTag {
        /// The picture for what the tag is about.
        var symbol: String {
            switch self {
            case .webSearch: "magnifyingglass"
            case .calendar: "calendar"
            case .note: "note.text"
            case .contacts: "person.crop.circle"
            case .habit: "checkmark.circle"
            case .reminder: "bell"
            case .tool: "hammer"
            }
        }

        /// What the tag is about.
        var title: String {
            switch self {
            case .webSearch: "Web search"
            case .calendar: "Calendar"
            case .note: "Notes"
            case .contacts: "Contacts"
            case .habit: "Habits"
            case .reminder: "Reminders"
            case .tool: "Tools"
            }
        }
    }
#endif
