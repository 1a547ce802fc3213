// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyHTTP
import ParleyModelFile
import ParleySystem

/// Requests the contents of repositories from the hub.
struct HubClient: Sendable {
    let endpoint: HubEndpoint
    let http: any HTTPClient
    /// When all requests together must have been answered; nil for no such limit.
    var deadline: ContinuousClock.Instant?
    /// The current time.
    var now: @Sendable () -> ContinuousClock.Instant = { .now }

    /// The same client, whose further requests must all be answered within a duration.
    func limited(to duration: Duration) -> HubClient {
        var client = self
        client.deadline = now().advanced(by: duration)
        return client
    }

    /// The maximum number of pages of a listing, each with a thousand files.
    private static let mostPages = 50
    private static let mostFiles = 50_000

    /// Sends a request and returns the whole response, whatever its status. The token is sent to the endpoint only.
    ///
    /// - Throws: ``ModelStoreError`` with code `unreachable` where there is no response or it is too long;
    ///   `notAuthorized` where the token cannot be sent; `CancellationError`.
    func answer(
        from url: URL, method: String = "GET", headers: HTTPHeaders = [:], upTo limit: Int = 8 << 20,
        followsRedirects: Bool = true
    ) async throws -> HTTPAnswer {
        var request = HTTPRequest(url, method: method, headers: headers)
        request.headers["Authorization"] = try endpoint.authorization(for: url)
        request.followsRedirects = followsRedirects
        request.limits.answer = .seconds(20)
        request.limits.whole = try remaining(atMost: .seconds(120))
        request.limits.answer = min(request.limits.answer, request.limits.whole ?? request.limits.answer)
        do {
            return try await http.answer(to: request, upTo: limit)
        } catch let error as HTTPError {
            var error = ModelStoreError(error)
            if (error.cause as? HTTPError)?.code == .unreachable {
                error.message += " Check the network and the proxy (HTTPS_PROXY)."
            }
            throw error
        }
    }

    /// How long a request may take. It is also where a resolution that consists of many requests can be cancelled.
    private func remaining(atMost most: Duration) throws -> Duration {
        try Task.checkCancellation()
        guard let deadline else { return most }
        let rest = now().duration(to: deadline)
        guard rest > .zero else {
            throw ModelStoreError(
                .unreachable,
                "\(endpoint.url.host() ?? "The hub") takes too long to say what the model consists of. Try again later, "
                    + "or set HF_ENDPOINT to a mirror.")
        }
        return min(most, rest)
    }

    /// Lists the files of a repository, in all folders.
    ///
    /// - Throws: ``ModelStoreError``.
    func files(of reference: HubReference) async throws -> [HubFile] {
        var next: URL? = endpoint.url.appending(path: "api/models/\(reference.repository)/tree")
        next = next.flatMap { URL(string: "\($0.absoluteString)/\(reference.escapedRevision)?recursive=true") }
        var files: [HubFile] = []
        for _ in 0..<Self.mostPages {
            guard let url = next else { return files }
            let answer = try await self.answer(from: url)
            guard answer.status == 200 else { throw await failure(answer, reference) }
            files += try Self.entries(answer.body, endpoint)
            if files.count > Self.mostFiles { break }
            next = try answer.headers["Link"].flatMap { try Self.nextPage($0, after: url) }
        }
        throw invalid("lists too many files to be the repository of a model")
    }

    /// Requests a file's size and digest from the response headers; properties that the headers do not contain are nil.
    func details(of path: String, in reference: HubReference) async throws -> HubFile {
        let url = endpoint.url(of: path, in: reference)
        let answer = try await answer(from: url, method: "HEAD", upTo: 64 << 10, followsRedirects: false)
        guard (200..<400).contains(answer.status) else { throw await failure(answer, reference, file: path) }
        let size = answer.headers["X-Linked-Size"] ?? (answer.status == 200 ? answer.headers["Content-Length"] : nil)
        return HubFile(
            path: path, byteCount: size.flatMap { ByteSize(digits: $0) }.flatMap { $0 > .zero ? $0 : nil },
            sha256: answer.headers["X-Linked-ETag"].flatMap(Self.digest))
    }

    /// Parses a SHA-256 digest, which may be in quotes as an entity tag; nil where the text is not one.
    static func digest(_ text: String) -> String? {
        let digits = text.lowercased().trimmingCharacters(in: CharacterSet(charactersIn: "\" "))
        return digits.utf8.count == 64 && digits.utf8.allSatisfy { (48...57).contains($0) || (97...102).contains($0) }
            ? digits : nil
    }

    private struct Entry: Decodable {
        struct LargeFile: Decodable {
            var oid: String?
            var size: ByteSize?
        }

        var type: String
        var path: String
        var size: ByteSize?
        var lfs: LargeFile?
    }

    private static func entries(_ body: Data, _ endpoint: HubEndpoint) throws -> [HubFile] {
        do {
            return try JSONDecoder().decode([Entry].self, from: body)
                .filter { $0.type == "file" && isFilePath($0.path) }
                .map {
                    let size = $0.lfs?.size ?? $0.size
                    return HubFile(
                        path: $0.path, byteCount: size.flatMap { $0 > .zero ? $0 : nil },
                        sha256: $0.lfs?.oid.flatMap(digest))
                }
        } catch DecodingError.dataCorrupted(let context) where !context.codingPath.isEmpty {
            throw ModelStoreError(
                .invalidManifest,
                "\(endpoint.url.host() ?? "The hub") sent an invalid list of files: "
                    + context.debugDescription)
        } catch {
            throw ModelStoreError(
                .invalidManifest,
                "\(endpoint.url.host() ?? "The hub") answered with something other than a list of files. Check "
                    + "HF_ENDPOINT.", cause: error)
        }
    }

    /// Whether a path can be shown in messages on a terminal: it must be short and without control characters.
    private static func isFilePath(_ path: String) -> Bool {
        ModelReference.isPath(path) && path.utf8.count < 1_024
            && !path.unicodeScalars.contains { $0.properties.generalCategory == .control }
    }

    /// The address of the next page in a `Link` header. It must be on the same host, because the token is sent to it.
    private static func nextPage(_ link: String, after url: URL) throws -> URL? {
        // Read as bytes: an address may contain commas, and a combining mark would hide a bracket.
        var rest = link.utf8[...]
        while let open = rest.firstIndex(of: UInt8(ascii: "<")),
            let close = rest[open...].firstIndex(of: UInt8(ascii: ">"))
        {
            guard let address = String(rest[rest.index(after: open)..<close]) else { return nil }
            rest = rest[close...]
            let parameters = rest.prefix { $0 != UInt8(ascii: "<") }
            guard parameters.contains("rel=\"next\"".utf8) else { continue }
            guard let next = URL(string: address, relativeTo: url)?.absoluteURL, next.origin == url.origin else {
                throw ModelStoreError(
                    .invalidManifest,
                    "The hub's list of files continues on another host. Check HF_ENDPOINT.")
            }
            return next
        }
        return nil
    }

    private func invalid(_ what: String) -> ModelStoreError {
        ModelStoreError(.invalidManifest, "\(endpoint.url.host() ?? "The hub") \(what).")
    }
}

extension HubClient {
    /// The error for an HTTP status other than success. `file` is nil where the repository was requested.
    func failure(_ answer: HTTPAnswer, _ reference: HubReference, file: String? = nil) async -> ModelStoreError {
        let host = endpoint.url.host() ?? "The hub"
        // The hub hides private repositories: without a token it sends 401 also for a repository that does not exist.
        let code = answer.headers["X-Error-Code"] ?? ""
        switch answer.status {
        case 401, 403:
            if code == "GatedRepo" || endpoint.token != nil && code != "RepoNotFound" { return gated(reference) }
            return ModelStoreError(
                .notAuthorized,
                "\(host) does not give access to \(reference.repository): it is gated, private or misspelt."
                    + (await suggestion(for: reference))
                    + "\nIf it is gated, accept its licence at \(endpoint.page(of: reference.repository).absoluteString) "
                    + "and set HF_TOKEN to your token.")
        case 404:
            if let file {
                return ModelStoreError(
                    .notFound, "\(reference.repository) has no file \(file).")
            }
            if code == "RevisionNotFound" {
                return ModelStoreError(
                    .notFound,
                    "\(reference.repository) has no revision \(reference.effectiveRevision). Leave it out, or "
                        + "see its page for its branches and tags.")
            }
            return ModelStoreError(
                .notFound,
                "There is no \(reference.repository) at \(host)." + (await suggestion(for: reference))
                    + "\nCheck the spelling of hf:OWNER/REPO.")
        case 429:
            return ModelStoreError(
                .unreachable,
                "\(host) received too many requests from this address. Wait a few minutes"
                    + (endpoint.token == nil ? ", or set HF_TOKEN." : "."))
        default:
            return ModelStoreError(
                .unreachable, "\(host) answered with status \(answer.status). Try again later.")
        }
    }

    private func gated(_ reference: HubReference) -> ModelStoreError {
        let page = endpoint.page(of: reference.repository).absoluteString
        return ModelStoreError(
            .notAuthorized,
            endpoint.token == nil
                ? "\(reference.repository) is gated. Accept its licence at \(page) and set HF_TOKEN to your token."
                : "HF_TOKEN does not give access to \(reference.repository). Accept its licence at \(page) with the account of the "
                    + "token, and check that the token may read it.")
    }

    /// A sentence that suggests repositories with names similar to a missing one; empty where there are none.
    private func suggestion(for reference: HubReference) async -> String {
        struct Found: Decodable { var id: String }
        let name = reference.repository.split(separator: "/").last.map(String.init) ?? ""
        let url = endpoint.url.appending(path: "api/models")
            .appending(queryItems: [URLQueryItem(name: "search", value: name), URLQueryItem(name: "limit", value: "5")])
        guard let answer = try? await answer(from: url, upTo: 1 << 20), answer.status == 200,
            let found = try? JSONDecoder().decode([Found].self, from: answer.body)
        else { return "" }
        let names = found.map(\.id).filter { $0.utf8.count < 200 && ModelReference.isRepository($0) }.prefix(3)
        return names.isEmpty ? "" : " Did you mean \(names.joined(separator: " or "))?"
    }
}
