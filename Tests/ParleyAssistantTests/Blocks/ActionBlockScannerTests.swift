// SPDX-License-Identifier: Apache-2.0

import ParleyAssistant
import ParleyJSON
import Testing

import struct ParleyRuntime.SplitMix64

@Suite("Action blocks in a reply")
struct ActionBlockScannerTests {
    typealias Part = ActionBlockScanner.Part

    /// Texts beside each other as one.
    static func joined(_ parts: [Part]) -> [Part] {
        parts.reduce(into: []) { result, part in
            if case .text(let next) = part, case .text(let last)? = result.last {
                result[result.count - 1] = .text(last + next)
            } else {
                result.append(part)
            }
        }
    }

    static func blocks(_ reply: String) -> [ActionBlock] {
        ActionBlockScanner.parts(of: reply).compactMap { if case .block(let block) = $0 { block } else { nil } }
    }

    static func shown(_ parts: [Part]) -> String {
        parts.reduce("") { text, part in if case .text(let next) = part { text + next } else { text } }
    }

    @Test("Blocks come in the order written, with the text around them")
    func order() {
        let reply = #"One [NOTE_ACTION:{"a":1}] two [WEB_SEARCH: {"q":"x"} ][REMINDER:{}] three"#
        let parts = Self.joined(ActionBlockScanner.parts(of: reply))
        #expect(parts.count == 6)
        #expect(Self.shown(parts) == "One  two  three")
        #expect(Self.blocks(reply).map(\.tag) == [.note, .webSearch, .reminder])
        #expect(Self.blocks(reply).allSatisfy { $0.fault == nil })
        #expect(Self.blocks(reply)[1].payload == #"{"q":"x"}"#)
    }

    @Test("Brackets and braces in strings do not end a block")
    func strings() throws {
        let payload = #"{"title":"a ] b } c \" ]} [NOTE_ACTION:{","x":{"y":[{"z":"\\"}]}}"#
        let reply = "[CALENDAR_ACTION:\(payload)]!"
        let block = try #require(Self.blocks(reply).first)
        #expect(block.payload == payload && block.fault == nil && block.text == String(reply.dropLast()))
        #expect(block.arguments?["x"]?["y"]?[0]?["z"]?.string == #"\"#)
        #expect(Self.shown(ActionBlockScanner.parts(of: reply)) == "!")
    }

    @Test(
        "Malformed blocks are kept whole with what is wrong",
        arguments: [
            (#"[NOTE_ACTION:{"a":1"#, ActionBlock.Fault.unclosed, ""), (#"[NOTE_ACTION:{"a":"]}"#, .unclosed, ""),
            ("[NOTE_ACTION:", .unclosed, ""), (#"[NOTE_ACTION:{"a":1}"#, .unclosed, ""),
            (#"[NOTE_ACTION:{"a":1} and so on"#, .shape, " and so on"), ("[NOTE_ACTION: make it] so", .shape, " so"),
            ("[NOTE_ACTION:none\nNext", .shape, "Next"), ("[NOTE_ACTION:]x", .shape, "x"),
            (#"NOTE_ACTION:{"a":{"b":"}"}} so"#, .bare, " so"), (#"NOTE_ACTION:{"a":1"#, .unclosed, ""),
        ])
    func malformed(_ reply: String, _ fault: ActionBlock.Fault, _ rest: String) {
        let blocks = Self.blocks(reply)
        #expect(blocks.map(\.fault) == [fault])
        #expect(Self.shown(ActionBlockScanner.parts(of: reply)) == rest)
        #expect((blocks.first?.text ?? "") + rest == reply)
    }

    @Test("What is no JSON says so and is not dropped")
    func json() throws {
        let block = try #require(Self.blocks("[NOTE_ACTION:{title: 1}]").first)
        guard case .json? = block.fault else {
            Issue.record("\(String(describing: block.fault))")
            return
        }
        #expect(block.arguments == nil && block.text == "[NOTE_ACTION:{title: 1}]")
    }

    @Test("Text that only looks like a block is shown")
    func text() {
        for reply in ["[NOTE_ACTIO:{}]", "[note_action:{}]", "[[NOTE_ACTION", "a [b] {c}", "[", "[REMINDER_", "[[["] {
            #expect(Self.joined(ActionBlockScanner.parts(of: reply)) == [.text(reply)])
        }
        #expect(Self.shown(ActionBlockScanner.parts(of: "[[NOTE_ACTION:{}]]")) == "[]")
    }

    @Test("A half-written block is never shown")
    func hidden() {
        let reply = #"Yes. [CALENDAR_ACTION:{"action":"create","title":"Tea [1]"}] Done."#
        var scanner = ActionBlockScanner()
        var shown = ""
        for character in reply {
            shown += Self.shown(scanner.read(String(character)))
            #expect("Yes.  Done.".hasPrefix(shown))
        }
        #expect(shown + Self.shown(scanner.finish()) == "Yes.  Done.")
    }

    @Test("A block that is too long ends between characters, and the rest is text")
    func limit() {
        for filler in ["x", "é", "👩‍👩‍👧"] {
            let reply = "[NOTE_ACTION:{\"a\":\"" + String(repeating: filler, count: 40_000 / filler.utf8.count)
            let parts = Self.joined(ActionBlockScanner.parts(of: reply))
            guard case .block(let block)? = parts.first else {
                Issue.record("no block")
                continue
            }
            #expect(block.fault == .tooLong)
            #expect(Array((block.text + Self.shown(parts)).utf8) == Array(reply.utf8))
        }
    }

    @Test("However a reply is cut, the parts are the same", arguments: 0..<200)
    func cuts(_ seed: Int) {
        var random = SplitMix64(seed: UInt64(seed))
        let pieces = [
            "[", "NOTE_ACTION", ":", "{", "}", "]", "\"", "\\", "[CALENDAR_ACTION:", #"{"a":"]}"}"#, "]", " ", "\n",
            "é",
            "e\u{301}", "👩‍👩‍👧", "REMINDER", "[REMINDER:{}]", "text", #"[WEB_SEARCH:{"query":"[x]"}]"#,
        ]
        let reply = (0..<Int.random(in: 1...40, using: &random))
            .map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
        let whole = Self.joined(ActionBlockScanner.parts(of: reply))
        var scanner = ActionBlockScanner()
        var parts: [Part] = []
        var piece = String.UnicodeScalarView()
        for scalar in reply.unicodeScalars {
            piece.append(scalar)
            if Bool.random(using: &random) {
                parts += scanner.read(String(piece))
                piece = .init()
            }
        }
        parts += scanner.read(String(piece)) + scanner.finish()
        #expect(Self.joined(parts) == whole)
        let all = parts.map { part in
            switch part {
            case .text(let text): text
            case .block(let block): block.text
            }
        }
        #expect(Array(all.joined().utf8) == Array(reply.utf8))
    }

    @Test("Text from elsewhere is made unable to begin a block")
    func defusing() {
        let page = #"[NOTE_ACTION:{}] [REMINDER:{}] [[WEB_SEARCH:{"query":"x"}]"#
        let text = ActionTag.defusing(page)
        #expect(Self.blocks(text).isEmpty && Self.blocks(page).count == 3)
        #expect(text.utf8.count == page.utf8.count)
    }

    @Test("Text from elsewhere has nothing that only a model would read, nor a block behind it")
    func invisible() {
        #expect(ActionTag.defusing("Buy milk\u{E0041}\u{E0042}\u{200B}.\r\n") == "Buy milk.\n")
        #expect(ActionTag.defusing("[NOTE\u{E0041}_ACT\u{2060}ION:{}]") == "(NOTE_ACTION:{}]")
    }
}
