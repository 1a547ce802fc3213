// SPDX-License-Identifier: Apache-2.0

import ParleyModelFile
import ParleyTesting
import Testing

struct MetadataTests {
    let metadata: Metadata

    init() throws {
        metadata = try mixedFile().opened().metadata
    }

    @Test("keys keep the order of the file")
    func keepsOrder() {
        #expect(metadata.keys == mixedFile().metadata.map(\.key))
    }

    @Test("whole numbers of every width read as integers")
    func readsIntegers() throws {
        #expect(try metadata.integer("u8") == 200)
        #expect(try metadata.integer("i8") == -100)
        #expect(try metadata.integer("u16") == 60_000)
        #expect(try metadata.integer("i16") == -30_000)
        #expect(try metadata.integer("u32") == 4_000_000_000)
        #expect(try metadata.integer("i32") == -2_000_000_000)
        #expect(try metadata.integer("i64") == .min)
        #expect(try metadata.unsigned("u8") == 200)
    }

    @Test("numbers with a fraction, truth values and text read as such")
    func readsOthers() throws {
        #expect(try metadata.float("f32") == 1.5)
        #expect(try metadata.float("f64") == 0.25)
        #expect(try metadata.bool("yes"))
        #expect(try metadata.string("text") == "naïve ▁")
    }

    @Test("arrays read as arrays")
    func readsArrays() throws {
        #expect(try metadata.strings("texts") == ["a", "", "▁b"])
        #expect(try metadata.integers("numbers") == [3, -4])
        #expect(try metadata.integers("bytes") == [1, 255])
        #expect(try metadata.floats("floats") == [1, -2])
        #expect(try metadata.bools("flags") == [true, false])
        #expect(try metadata.strings("empty").isEmpty)
        #expect(metadata["nested"]?.count == 2)
        #expect(metadata["texts"]?.description == "[3 × string]")
    }

    @Test("a value of another type is an error that names key, expected and found type")
    func refusesOtherTypes() throws {
        let error = #expect(throws: ModelFileError.self) { try metadata.string("numbers") }
        #expect(error?.code == .wrongType)
        for part in ["numbers", "text", "array of int32"] {
            #expect(error?.message.contains(part) == true)
        }
        #expect(code { _ = try metadata.integer("f32") } == .wrongType)
        #expect(code { _ = try metadata.integer("numbers") } == .wrongType)
        #expect(code { _ = try metadata.integers("u8") } == .wrongType)
        #expect(code { _ = try metadata.integers("nested") } == .wrongType)
        #expect(code { _ = try metadata.float("u8") } == .wrongType)
        #expect(code { _ = try metadata.bool("u8") } == .wrongType)
    }

    @Test("numbers that do not fit or must not be negative are errors, not traps")
    func refusesOverflow() {
        #expect(code { _ = try metadata.integer("u64") } == .wrongType)
        #expect(code { _ = try metadata.unsigned("i8") } == .wrongType)
    }

    @Test("a missing key is an error, or nil where that was asked for")
    func reportsMissingKeys() throws {
        #expect(code { _ = try metadata.string("none") } == .missingKey)
        #expect(try metadata.string(ifPresent: "none") == nil)
        #expect(code { _ = try metadata.string(ifPresent: "u8") } == .wrongType)
    }

    @Test("a single number applies to every layer, an array must have one for each")
    func repeatsNumbers() throws {
        #expect(try metadata.integers("u8", count: 3) == [200, 200, 200])
        #expect(try metadata.integers("numbers", count: 2) == [3, -4])
        #expect(code { _ = try metadata.integers("numbers", count: 3) } == .invalidValue)
        #expect(code { _ = try metadata.integers("u8", count: .max) } == .invalidValue)
    }

    @Test("control characters in a file do not appear in messages")
    func escapesMessages() throws {
        var writer = GGUFWriter()
        writer.set("tokenizer.ggml.model", .string("\u{1B}[2Jx"))
        let file = try writer.opened()
        let error = #expect(throws: ModelFileError.self) { try file.tokenizerDescription() }
        #expect(error?.message.contains("\u{1B}") == false)
        writer.set("key\u{1B}", .bool(true))
        #expect(code { _ = try writer.opened() } == .corrupt)
    }

    @Test("a text for display is truncated at a character boundary")
    func boundsLabels() throws {
        var writer = GGUFWriter()
        for (name, text) in [
            ("long", String(repeating: "é", count: 600_000)), ("odd", "a" + String(repeating: "é", count: 600)),
        ] {
            writer.set("general.name", .string(text))
            let file = try writer.opened()
            let shown = try #require(file.modelName)
            #expect(text.hasPrefix(shown) && (1_022...1_024).contains(shown.utf8.count), "\(name)")
            #expect(file.metadata["general.name"]?.description == shown)
        }
        writer.set("general.name", .string("naïve"))
        #expect(try writer.opened().modelName == "naïve")
    }

    @Test("values that are too long are not decoded but reported")
    func refusesLongValues() throws {
        var writer = GGUFWriter()
        writer.set("text", .string(String(repeating: "x", count: (1 << 20) + 1)))
        writer.set("bytes", .array(.uint8, Array(repeating: .uint8(0), count: (1 << 21) + 1)))
        writer.set("texts", .strings(Array(repeating: String(repeating: "x", count: 1 << 20), count: 64)))
        writer.set("general.architecture", .string(String(repeating: "x", count: 129)))
        let file = try writer.opened()
        let metadata = file.metadata
        #expect(metadata["text"]?.string == nil && metadata["bytes"]?.integers == nil)
        #expect(metadata["bytes"]?.bools == nil && metadata["texts"]?.strings == nil)
        #expect(code { _ = try metadata.string("text") } == .invalidValue)
        #expect(code { _ = try metadata.string(ifPresent: "text") } == .invalidValue)
        #expect(code { _ = try metadata.integers("bytes") } == .invalidValue)
        #expect(code { _ = try metadata.strings("texts") } == .invalidValue)
        #expect(code { _ = try file.architecture } == .invalidValue)
        #expect(metadata["bytes"]?.count == (1 << 21) + 1)
    }

    @Test("a template that is too long is an error, not a missing template", arguments: ["", ".tool_use"])
    func refusesLongTemplates(suffix: String) {
        var writer = GGUFWriter()
        writer.set("tokenizer.chat_template" + suffix, .string(String(repeating: "x", count: 1 << 20)))
        #expect(code { _ = try writer.opened() } == nil)
        writer.set("tokenizer.chat_template" + suffix, .string(String(repeating: "x", count: (1 << 20) + 1)))
        #expect(code { _ = try writer.opened() } == .invalidValue)
    }

    @Test("names that would take much memory together are refused")
    func refusesManyLongNames() {
        func opens(_ count: Int) -> ModelFileError.Code? {
            var writer = GGUFWriter()
            writer.metadata = (0..<count).map { .init("\($0)" + String(repeating: "k", count: 65_000), .uint8(0)) }
            return code { _ = try writer.opened() }
        }
        #expect(opens(120) == nil)
        #expect(opens(140) == .corrupt)
    }
}
