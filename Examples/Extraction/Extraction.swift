// SPDX-License-Identifier: Apache-2.0

// Turns a sentence about a meeting into a value of a Swift type.
//
//     echo "Lunch with Ada in Bern at noon on Friday" | swift run -c release ParleyExtractionExample

import Foundation
import Parley

@main
struct Extraction {
    static func main() async {
        do {
            guard let text = readLine(), !text.isEmpty else { throw NothingToRead() }
            show(try await meeting(in: text))
        } catch {
            FileHandle.standardError.write(Data("\(error)\n".utf8))
            exit(1)
        }
    }

    struct NothingToRead: Error, CustomStringConvertible {
        var description: String { "Give the text on standard input." }
    }

    struct Meeting: Decodable {
        var title: String
        var people: [String]
        var place: String?
    }

    static func meeting(in text: String) async throws -> Meeting {
        let runner = try await LocalModelRunner.load("smollm2-135m")
        let conversation = runner.createConversation(systemPrompt: "Extract the meeting from the text.")
        let schema: JSONSchema = .object(
            ["title": .string(), "people": .array(of: .string(), minItems: 1, maxItems: 4), "place": .string()])
        let options = GenerationOptions(temperature: 0, maxTokens: 200, jsonSchemaConstraint: schema)
        let reply = try await conversation.reply(to: text, generationOptions: options)
        return try JSONDecoder().decode(Meeting.self, from: Data(reply.message.text.utf8))
    }

    static func show(_ meeting: Meeting) {
        print("title:  \(meeting.title)")
        print("people: \(meeting.people.joined(separator: ", "))")
        print("place:  \(meeting.place ?? "none")")
    }
}
