// SPDX-License-Identifier: Apache-2.0

import Testing

@Suite("The expansion of the macro", .enabled(if: MacroCompiler.isThere, "the macros are not where SwiftPM puts them"))
struct MacroExpansionTests {
    @Test("A public struct gains public members")
    func structure() throws {
        let compiler = try MacroCompiler(
            """
            import ParleyConversation
            import ParleyGeneratable

            @Generatable("A stay")
            package struct Stay {
                @Guide("Nights", .range(1...9)) package var nights: Int
                package let guests: [Guest]
                private var note: String? = nil
                var paid: Bool = false
            }
            @Generatable package struct Guest { package var name: String }
            """)
        #expect(compiler.errors.isEmpty)
        let expansions = compiler.expansions(of: "Stay")
        #expect(
            expansions.contains(
                """
                extension Stay: ParleyGeneratable.Generatable {
                    package init(from decoder: any Swift.Decoder) throws {
                        let members = try ParleyGeneratable.DecodedMembers(of: decoder, keyedBy: ParleyGeneratable.GenerationKey.self)
                        self.nights = try members.value("nights")
                        self.guests = try members.value("guests")
                        try members.update(&self.note, "note")
                        try members.update(&self.paid, "paid")
                    }
                }
                """))
        #expect(
            expansions.contains(
                """
                package static func schema(in builder: inout ParleyGeneratable.SchemaBuilder) -> ParleyConversation.JSONSchema {
                    builder.object(Self.self, description: "A stay") { object in
                        object.property("nights", Int.self, description: "Nights", rules: [.range(1 ... 9)])
                        object.property("guests", [Guest].self)
                        object.property("note", String.self, isRequired: false)
                        object.property("paid", Bool.self, isRequired: false)
                    }
                }

                /// A value that is still being generated: the properties that are known so far.
                package struct Partial: Swift.Sendable {
                    package var nights: Int?
                    package var guests: [Guest.Partial]?
                    fileprivate var note: String?
                    var paid: Bool?
                }

                package static func partial(from value: ParleyGeneratable.PartialValue) -> Partial? {
                    guard value.members != nil else {
                        return nil
                    }
                    var partial = Partial()
                    partial.nights = value.member("nights", Int.self)
                    partial.guests = value.member("guests", [Guest].self)
                    partial.note = value.member("note", String.self)
                    partial.paid = value.member("paid", Bool.self)
                    return partial
                }
                """))
    }

    @Test("An enum gains its schema; Swift decodes it")
    func enumeration() throws {
        let compiler = try MacroCompiler(
            """
            import ParleyConversation
            import ParleyGeneratable

            @Generatable enum Answer { case yes, no(reason: String, Int?) }
            @Generatable("How much") enum Size: String { case small, `default` }
            """)
        #expect(compiler.errors.isEmpty)
        #expect(
            compiler.expansions(of: "Answer").contains(
                """
                static func schema(in builder: inout ParleyGeneratable.SchemaBuilder) -> ParleyConversation.JSONSchema {
                    builder.cases(Self.self) { cases in
                        cases.add("yes")
                        cases.add("no") { object in
                            object.property("reason", String.self)
                            object.property("_1", Int.self, isRequired: false)
                        }
                    }
                }
                """))
        #expect(
            compiler.expansions(of: "Size").contains(
                """
                static func schema(in builder: inout ParleyGeneratable.SchemaBuilder) -> ParleyConversation.JSONSchema {
                    builder.values(Self.self, of: [Self.small.rawValue, Self.`default`.rawValue], description: "How much")
                }
                """))
    }
}
