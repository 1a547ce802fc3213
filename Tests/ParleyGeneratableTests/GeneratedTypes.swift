// SPDX-License-Identifier: Apache-2.0

package import Foundation
public import Parley

/// A type with all that can be generated.
@Generatable("Everything there is")
package struct Everything: Codable, Equatable {
    /// Raw values.
    @Generatable public enum Mood: String, Codable { case happy, sad = "SAD" }
    @Generatable enum Level: Int8, Codable { case low = 1, high }
    /// Associated values, and recursion.
    @Generatable("A shape")
    package indirect enum Shape: Codable, Equatable {
        case circle(radius: Double), square(Int, label: String?), none, group([Shape])
    }
    @Generatable struct Inner: Codable, Equatable {
        var level: Level
        var mood: Mood?
    }

    package var text: String
    package let flag: Bool
    package var `default`: Int
    var small: Int8, large: UInt64
    var single: Float
    var double: Double
    package var date: Date
    var url: URL
    var id: UUID
    var bytes: Data
    var list: [[Int]]
    var map: [String: [Bool]]
    var gaps: [String?]
    package var shape: Shape
    var inner: Inner
    var others: [Inner]
    var maybe: Optional<Int>
    var nothing: Inner?
    var preset: Mood = .happy
    var observed: Int = 3 { didSet {} }
    private(set) var size: Swift.Int = 1

    var computed: Int { small < 0 ? 1 : 2 }
    static let shared = 4

    static func sample(mood: Mood = .sad) -> Everything {
        Everything(
            text: "a \"b\"\n", flag: true, default: -7, small: -128, large: 1 << 62, single: 0.5, double: 1.25,
            date: Date(timeIntervalSince1970: 1_750_000_000), url: URL(filePath: "/tmp/x"), id: UUID(),
            bytes: Data([0, 255, 16, 7]), list: [[1], [], [2, 3]], map: ["x": [true], "y": []], gaps: ["a", nil],
            shape: .group([.circle(radius: 1.5), .none, .square(2, label: nil)]),
            inner: Inner(level: .high, mood: nil), others: [Inner(level: .low, mood: .happy)], maybe: nil,
            nothing: nil, preset: mood)
    }
}

/// Seen from other modules.
@Generatable
public struct Published: Sendable {
    /// A kind.
    @Generatable public enum Kind: Sendable { case plain, named(String) }
    /// The kind.
    public var kind: Kind
    var hidden: [Tree] = []
}

/// Part of itself.
@Generatable
struct Tree: Codable, Equatable {
    var name: String
    var children: [Self] = []
}

/// Names of its own.
@Generatable
struct Renamed: Codable, Equatable {
    enum CodingKeys: String, CodingKey { case first = "first name", last }
    var first: String
    var last: String?
    var untouched = 5
}

@Generatable
enum RenamedCases: Codable, Equatable {
    enum CodingKeys: String, CodingKey { case point = "a point", nowhere }
    enum PointCodingKeys: String, CodingKey { case x = "left", y }
    case point(x: Int, y: Int)
    case nowhere
}

/// Bounded in every way.
@Generatable
struct Guided: Codable, Equatable {
    @Guide("One to five", .range(1...5)) var stars: Int
    @Guide(.range(0.5...)) var weight: Double
    @Guide(.range(...10)) var small: UInt8
    @Guide("Two letters", .pattern("^[A-Z]{2}$")) var code: String
    @Guide(.count(2...4)) var word: String
    @Guide(.count(1...2), .anyOf(["red", "green"])) var colours: [String]
    @Guide(.anyOf([1, 2, 4])) var power: Int?
    @Guide(.count(...1), .range(0...9)) var digits: [String: Int]
    @Guide(.range(1...2)) var gaps: [Int?]
}

/// What it decodes from is its own business.
@Generatable
struct OwnDecoding {
    var celsius: Double

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: GenerationKey.self)
        celsius = try container.decode(Double.self, forKey: "celsius").rounded()
    }
}

@Generatable struct Nothing: Codable, Equatable {}

/// The same name as another type's.
enum Elsewhere {
    @Generatable struct Inner: Codable, Equatable { var other: String }
}

@Generatable
struct TwoInners {
    var first: Everything.Inner
    var second: Everything.Inner
    var third: Elsewhere.Inner
    var fourth: [Elsewhere.Inner]
}

extension Generatable where Self: Encodable {
    /// The value as JSON in the form that replies have.
    func encoded() throws -> String {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        encoder.outputFormatting = [.withoutEscapingSlashes, .sortedKeys]
        return String(decoding: try encoder.encode(self), as: UTF8.self)
    }
}
