// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyActions
import ParleyAssistant
import ParleyConversation
import ParleyTestSupport

import struct ParleyRuntime.SplitMix64

/// A process that chats and acts until it is killed, by itself and at a random moment, with the stores, the log and the
/// chats of the assistant; only the model follows a script. It writes down what was accepted.
///
/// Most moments are counted in what it has done, so that a session on a busy machine gets as far as any; some in time, so
/// that its beginning is not spared.
struct ActingSession: Sendable {
    let home: URL
    let seed: UInt64

    var calendars: FolderStore {
        FolderStore(name: "calendar", folder: home.appending(path: "calendars"), suffix: "ics", depth: 2)
    }
    var notes: NoteFolder { NoteFolder(home.appending(path: "notes")) }
    var habits: HabitFolder { HabitFolder(home.appending(path: "habits")) }
    var history: ChatStore { ChatStore(directory: home.appending(path: "sessions")) }
    var journal: URL { home.appending(path: "session-\(seed)") }

    static let context: @Sendable () -> DateContext = {
        DateContext(now: Date(), timeZone: .gmt, locale: Locale(identifier: "en_GB"))
    }

    /// Opens the log and finds out what became of the writes of the process before.
    func runner() async throws -> ActionRunner {
        let folder = FolderStore(
            name: "reminders", folder: home.appending(path: "calendars"), suffix: "ics", depth: 2)
        let stores = AssistantStores(
            calendar: CalendarItems(calendars, timeZone: .gmt), reminders: ReminderItems(folder, timeZone: .gmt),
            notes: notes, habits: habits)
        var settings = ActionRunner.Settings()
        for tag in ActionTag.allCases { settings.policy.set(tag, .automatic) }
        let log = try ActionLog(at: home.appending(path: "actions.jsonl"))
        return await ActionRunner(stores: stores, log: log, settings: settings, context: Self.context)
    }

    /// Chats without an end.
    @MainActor
    func run() async throws {
        var random = SplitMix64(seed: seed)
        let diary = try Diary(journal)
        let lines = random.next() % 4 > 0 ? Int.random(in: 0..<150, using: &random) : 0
        let life = UInt32.random(in: 0..<(lines > 0 ? 5_000 : 400_000), using: &random)
        diary.end(after: lines, microseconds: life)
        var dependencies = ChatDependencies(
            models: LoadedChatModel(ChatModel(runner: TypingModel(seed: seed, diary: diary))),
            actions: try await runner(), systemPrompt: AssistantPrompt(context: Self.context), context: Self.context)
        let history = history
        dependencies.history = history
        let chat = ChatViewModel(dependencies)
        await chat.load()
        if let last = try await history.summaries().first, random.next() % 4 > 0,
            let kept = try await history.chat(last.id)
        {
            await chat.open(kept)
        }
        for number in 0... {
            if random.next() % 8 == 0 { await chat.startNewChat() }
            chat.inputText = "message \(seed).\(number)"
            guard chat.send() else { return diary.write("error \(chat.errorMessage ?? "not sent")") }
            await chat.settled()
            if let error = chat.errorMessage { return diary.write("error \(error)") }
            guard let reply = chat.messages.last, reply.failure == nil else { return diary.write("error no reply") }
            diary.write("replied \(reply.id) \(reply.cards.count) \(reply.text)")
        }
    }
}

/// A model that types words and then blocks of actions, with pauses at random places.
private struct TypingModel: ModelRunner {
    let modelID = "typing"
    let seed: UInt64
    let diary: Diary

    func generate(_ request: GenerationRequest, to writer: ResponseWriter) async throws -> GenerationOutcome {
        // A message to which no reply was kept is put before the next one.
        let question = (request.messages.last?.text ?? "").split(separator: "\n").last.map(String.init) ?? ""
        let number = question.split(separator: ".").last.flatMap { UInt64($0) } ?? 0
        var random = SplitMix64(seed: seed &* 1_000 &+ number)
        // The chat has saved the message before it asks the model.
        diary.write("asked \(question)")
        var text = ""
        for _ in 0..<(random.next() % 20) {
            let word = "w\(random.next() % 1_000) "
            text += word
            diary.write("piece \(Diary.now) \(text)")
            await writer.write(.text(word))
            if random.next() % 3 == 0 { usleep(UInt32(random.next() % 6_000)) }
        }
        for block in blocks(number, &random) {
            for piece in [block.prefix(block.count / 2), block.suffix(block.count - block.count / 2)] {
                await writer.write(.text(String(piece)))
                if random.next() % 3 == 0 { usleep(UInt32(random.next() % 2_000)) }
            }
        }
        return GenerationOutcome(.stop)
    }

    private func blocks(_ number: UInt64, _ random: inout SplitMix64) -> [String] {
        (0..<(random.next() % 4)).flatMap { place -> [String] in
            let name = "\(seed)-\(number)-\(place)"
            let (day, hour) = (1 + random.next() % 28, 8 + random.next() % 10)
            let start = "2027-03-\(day < 10 ? "0" : "")\(day) \(hour < 10 ? "0" : "")\(hour):00"
            let event = #"[CALENDAR_ACTION:{"action":"create","title":"E\#(name)","start":"\#(start)"}]"#
            switch random.next() % 6 {
            case 0: return [event]
            case 1: return [event, #"[CALENDAR_ACTION:{"action":"delete","search":"E\#(name)"}]"#]
            case 2: return [#"[NOTE_ACTION:{"action":"create","title":"N\#(name)","body":"one\ntwo"}]"#]
            case 3:
                return [
                    #"[NOTE_ACTION:{"action":"create","title":"N\#(name)","body":"one"}]"#,
                    #"[NOTE_ACTION:{"action":"update","search":"N\#(name)","body":"two"}]"#,
                ]
            case 4:
                return [
                    #"[HABIT_ACTION:{"action":"create","name":"H\#(name)","unit":"count","frequency":"daily"}]"#,
                    #"[HABIT_ACTION:{"action":"log","habit":"H\#(name)","value":2}]"#,
                ]
            default: return [#"[REMINDER_ACTION:{"title":"R\#(name)","at":"\#(start)"}]"#]
            }
        }
    }

    func promptTokenCount(
        messages: [ChatMessage], functions: [Function], options: GenerationOptions?
    ) async throws -> Int { 0 }
    func unload() async {}
    func conversationBegan(_ id: ConversationID) {}
    func conversationEnded(_ id: ConversationID) {}
}
