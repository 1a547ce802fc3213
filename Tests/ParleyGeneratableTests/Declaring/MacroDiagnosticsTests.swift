// SPDX-License-Identifier: Apache-2.0

import Testing

@Suite("What cannot be generated", .enabled(if: MacroCompiler.isThere, "the macros are not where SwiftPM puts them"))
struct MacroDiagnosticsTests {
    /// A source in which each invalid line ends with a comment with the expected error.
    private static let source = """
        import Foundation
        import ParleyConversation
        import ParleyGeneratable

        @Generatable
        struct Properties {
            var a = 5  // A generated property needs an explicit type, such as 'var count: Int = 1'
            var b: (Int, Int)  // '(Int, Int)' cannot be generated; use a struct
            var c: (Int) -> Void  // '(Int) -> Void' cannot be generated; a function has no JSON value
            var d: Any  // 'Any' cannot be generated; name the type
            var e: [any Sendable]  // 'any Sendable' cannot be generated; name the type, or use an enum of the possible ones
            let f: Int = 3  // A constant with a value cannot be generated; make it a 'var', or 'static'
            lazy var g: Int = 3  // A lazy property cannot be generated; compute it instead
            var (h, i): (Int, Int) = (1, 2)  // Declare each generated property on its own, with its type
            var j: [Int: String]  // Keys of a generated dictionary are of type String, not 'Int'
            var k: Set<Int>  // 'Set<Int>' cannot be generated; use an array, because uniqueness cannot be enforced
            var l: Int??  // 'Int??' cannot be generated; JSON has only one null
            @MainActor var m: Int  // A property with '@MainActor' cannot be generated; keep the plain value in a property
            #if DEBUG
            var n: Int  // A stored property inside '#if' cannot be generated; declare it outside
            #endif
            var fine: Int { 3 }
            static let alsoFine = 3
        }

        @Generatable
        struct Guides {
            @Guide(.range(1...5)) var o: String  // '.range' does not fit 'String': it applies to numbers
            @Guide(.count(1...5)) var p: Int  // '.count' does not fit 'Int': it applies to strings, arrays and dictionaries
            @Guide(.pattern("x")) var q: [Int]  // '.pattern' does not fit '[Int]': it applies to strings
            @Guide(.anyOf(["x"])) var r: Date  // '.anyOf' does not fit 'Date': it applies to strings and integers; use an enum for other values
            @Guide(.range(5...1)) var s: Int  // The lower bound is above the upper one
            @Guide(.range(0.5...1)) var t: Int?  // The bound of an integer is an integer
            @Guide(.anyOf([1, 2])) var u: String  // '.anyOf' lists values that 'String' cannot have
            @Guide(.range(1...2), .range(2...3)) var v: Int  // '.range' is given twice; use it once
            @Guide("x") @Guide(.range(2...3)) var w: Int  // A property can have only one '@Guide'; put all rules into it
            @Guide("x", rule) var x: Int  // Write the rule out as '.range(…)', '.count(…)', '.pattern(…)' or '.anyOf(…)'
            @Guide("x") var y: Int { 3 }  // '@Guide' describes stored properties only
            @Guide("x") static let z: Int = 3  // '@Guide' describes stored properties only
            @Guide(.range(1...5)) var own: Kinds  // '.range' does not fit 'Kinds': it applies to numbers
        }
        let rule = GenerationRule.range(1...2)

        struct Plain {
            @Guide("x") var x: Int  // '@Guide' has no effect here; attach '@Generatable' to the type
        }

        @Generatable class Reference { var x: Int = 1 }  // '@Generatable' describes structs and enums only
        @Generatable actor Actor { var x: Int = 1 }  // '@Generatable' describes structs and enums only
        @Generatable struct Generic<T> { var x: Int }  // '@Generatable' cannot describe a generic type; write one type for each kind of content

        @Generatable enum None {}  // An enum without cases has no values that could be generated
        @Generatable enum Halves: Double { case half = 0.5 }  // Raw values of type 'Double' cannot be generated; use String or an integer type
        @Generatable enum Kinds { case first, second }
        @Generatable
        enum Values {
            case a((Int) -> Void)  // '(Int) -> Void' cannot be generated; a function has no JSON value
        }
        @Generatable
        struct Keys {
            enum CodingKeys: String, CodingKey { case a }
            var a: Int
            var b: Int  // 'b' is not in CodingKeys; add it there, or give it a default value
            var c: Int = 1
        }
        """

    @Test("Each error is reported at its property, and there are no others")
    func diagnostics() throws {
        let expected = Self.source.split(separator: "\n", omittingEmptySubsequences: false).enumerated().compactMap {
            number, line in line.firstRange(of: "  // ").map { "\(number + 1): \(line[$0.upperBound...])" }
        }
        #expect(expected.count == 34)
        #expect(Set(try MacroCompiler(Self.source).errors) == Set(expected))
    }
}
