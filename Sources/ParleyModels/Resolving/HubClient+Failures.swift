// SPDX-License-Identifier: Apache-2.0

import Foundation

extension HubClient {
    /// The error for a status other than success, for the `file` that was asked for; nil where it was the repository.
    func failure(_ answer: WebAnswer, _ reference: HubReference, file: String? = nil) async -> ModelStoreError {
        let host = endpoint.url.host() ?? "The hub"
        // The hub hides what is private: to strangers it says 401 where there is nothing.
        let code = answer.header("X-Error-Code") ?? ""
        switch answer.status {
        case 401, 403:
            if code == "GatedRepo" || endpoint.token != nil && code != "RepoNotFound" { return gated(reference) }
            return ModelStoreError(
                code: .notAuthorized,
                message: "\(host) does not show \(reference.repository): it is gated, private or misspelt."
                    + (await suggestion(for: reference))
                    + "\nIf it is gated, accept its licence at \(endpoint.page(of: reference.repository).absoluteString) "
                    + "and set HF_TOKEN to a token of yours.")
        case 404:
            if let file {
                return ModelStoreError(
                    code: .notFound, message: "\(reference.repository) has no file \(file).")
            }
            if code == "RevisionNotFound" {
                return ModelStoreError(
                    code: .notFound,
                    message: "\(reference.repository) has no revision \(reference.effectiveRevision). Leave it out, or "
                        + "see its page for branches and tags.")
            }
            return ModelStoreError(
                code: .notFound,
                message: "There is no \(reference.repository) at \(host)." + (await suggestion(for: reference))
                    + "\nCheck the spelling of hf:OWNER/REPO.")
        case 429:
            return ModelStoreError(
                code: .unreachable,
                message: "\(host) has had too many requests from here. Wait a few minutes"
                    + (endpoint.token == nil ? ", or set HF_TOKEN." : "."))
        default:
            return ModelStoreError(
                code: .unreachable, message: "\(host) answered with status \(answer.status). Try again later.")
        }
    }

    private func gated(_ reference: HubReference) -> ModelStoreError {
        let page = endpoint.page(of: reference.repository).absoluteString
        return ModelStoreError(
            code: .notAuthorized,
            message: endpoint.token == nil
                ? "\(reference.repository) is gated. Accept its licence at \(page) and set HF_TOKEN to a token of yours."
                : "HF_TOKEN does not open \(reference.repository). Accept its licence at \(page) with the account of the "
                    + "token, and check that the token may read it.")
    }

    /// Repositories whose names are like one that is not there; empty where the hub has no answer.
    private func suggestion(for reference: HubReference) async -> String {
        struct Found: Decodable { var id: String }
        let name = reference.repository.split(separator: "/").last.map(String.init) ?? ""
        let url = endpoint.url.appending(path: "api/models")
            .appending(queryItems: [URLQueryItem(name: "search", value: name), URLQueryItem(name: "limit", value: "5")])
        guard let answer = try? await reader.answer(to: WebRequest(url, limit: 1 << 20)), answer.status == 200,
            let found = try? JSONDecoder().decode([Found].self, from: answer.body)
        else { return "" }
        let names = found.map(\.id).filter { $0.utf8.count < 200 && ModelReference.isRepository($0) }.prefix(3)
        return names.isEmpty ? "" : " Did you mean \(names.joined(separator: " or "))?"
    }
}
