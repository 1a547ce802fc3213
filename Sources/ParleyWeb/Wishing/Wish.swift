// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyJSON
import ParleyOpenAI
import ParleyServer

/// Something that the user wants of a page.
struct Wish: Sendable {
    /// The largest wish in bytes.
    static let limit = 4 << 20
    /// What is read of a wish.
    private static let limits = JSONLimits(depth: 16, bytes: limit, values: 1 << 16)

    /// Tells this wish from others: a page sends it again with the same one if it does not know whether it came.
    let id: String
    /// What is wanted, such as `send`.
    let type: String
    /// The members.
    let members: JSONObject
    /// The key of the page that has it; nil if it came without one.
    let key: AccessKey?

    /// Reads a wish.
    ///
    /// - Throws: ``/ParleyServer/ServerError`` with status 400.
    init(_ bytes: [UInt8], key: AccessKey? = nil) throws(ServerError) {
        let json: JSONValue
        do {
            json = try JSONValue(parsing: Data(bytes), limits: Self.limits)
        } catch {
            throw ServerError(400, .invalidJSON, "The wish is not the JSON that is expected.")
        }
        guard let members = json.object, let id = members["id"]?.string, (1...100).contains(id.utf8.count),
            let type = members["type"]?.string
        else { throw ServerError(400, .missingParameter, "A wish has an id and a type.", param: "id") }
        (self.id, self.type, self.members, self.key) = (id, type, members, key)
    }

    /// A text.
    ///
    /// - Throws: ``/ParleyServer/ServerError`` with status 400 if there is none.
    func text(_ name: String) throws(ServerError) -> String {
        guard let text = members[name]?.string else { throw missing(name) }
        return text
    }

    /// A text that may be missing.
    ///
    /// - Throws: ``/ParleyServer/ServerError`` with status 400 if it is something else: what is meant is not left out.
    func optionalText(_ name: String) throws(ServerError) -> String? {
        guard has(name) else { return nil }
        return try text(name)
    }

    /// A list of texts.
    ///
    /// - Throws: ``/ParleyServer/ServerError`` with status 400 if there is none.
    func texts(_ name: String) throws(ServerError) -> [String] {
        guard let list = members[name]?.array, case let texts = list.compactMap(\.string), texts.count == list.count
        else { throw missing(name) }
        return texts
    }

    /// A list of texts that may be missing, which is an empty one then.
    ///
    /// - Throws: ``/ParleyServer/ServerError`` with status 400 if it is something else.
    func optionalTexts(_ name: String) throws(ServerError) -> [String] {
        guard has(name) else { return [] }
        return try texts(name)
    }

    /// A list of whole numbers.
    ///
    /// - Throws: ``/ParleyServer/ServerError`` with status 400 if there is none.
    func numbers(_ name: String) throws(ServerError) -> [Int] {
        guard let list = members[name]?.array, case let numbers = list.compactMap(\.integer),
            numbers.count == list.count
        else { throw missing(name) }
        return numbers
    }

    /// An id.
    ///
    /// - Throws: ``/ParleyServer/ServerError`` with status 400 if there is none.
    func uuid(_ name: String) throws(ServerError) -> UUID {
        guard let id = members[name]?.string.flatMap(UUID.init(uuidString:)) else { throw missing(name) }
        return id
    }

    /// An id that may be missing.
    ///
    /// - Throws: ``/ParleyServer/ServerError`` with status 400 if it is something else.
    func optionalUUID(_ name: String) throws(ServerError) -> UUID? {
        guard has(name) else { return nil }
        return try uuid(name)
    }

    /// A list of ids; nil where all are meant, as nothing is said.
    ///
    /// - Throws: ``/ParleyServer/ServerError`` with status 400 if it is something else.
    func uuids(_ name: String) throws(ServerError) -> [UUID]? {
        guard members[name] != nil else { return nil }
        let texts = try texts(name)
        let ids = texts.compactMap(UUID.init(uuidString:))
        guard ids.count == texts.count else { throw missing(name) }
        return ids
    }

    /// Whether something is so.
    ///
    /// - Throws: ``/ParleyServer/ServerError`` with status 400 if that is not said.
    func flag(_ name: String) throws(ServerError) -> Bool {
        guard let flag = members[name]?.bool else { throw missing(name) }
        return flag
    }

    private func has(_ name: String) -> Bool { members[name].map { !$0.isNull } ?? false }

    private func missing(_ name: String) -> ServerError {
        ServerError(400, .missingParameter, "The wish lacks \(name), or it is of another type.", param: name)
    }
}
