// SPDX-License-Identifier: Apache-2.0

// Turns a sentence about a meeting into a value of a Swift type.
//
//     echo "Lunch with Ada Lovelace in Bern on Friday" | swift run -c release ParleyExtractionExample

import Foundation
import Parley

@Generatable("A meeting")
struct Meeting {
    @Generatable
    enum Day: String { case monday, tuesday, wednesday, thursday, friday, saturday, sunday }

    @Guide("Who comes: the full name", .count(1...40))
    var person: String
    @Guide("The city", .count(1...40))
    var city: String
    var day: Day
}

@main
struct Extraction {
    static func main() async {
        do {
            guard let text = readLine(), !text.isEmpty else { throw NothingToRead() }
            let meeting = try await meeting(in: text)
            print("person: \(meeting.person)\ncity: \(meeting.city)\nday: \(meeting.day)")
        } catch {
            FileHandle.standardError.write(Data("\(error)\n".utf8))
            exit(1)
        }
    }

    struct NothingToRead: Error, CustomStringConvertible {
        var description: String { "Give the text on standard input." }
    }

    static func meeting(in text: String) async throws -> Meeting {
        let runner = try await LocalModelRunner.load("smollm2-135m")
        let conversation = runner.createConversation(systemPrompt: "Extract the meeting from the text.")
        let options = GenerationOptions(temperature: 0, maxTokens: 200)
        return try await conversation.reply(to: text, generating: Meeting.self, generationOptions: options)
    }
}
