// SPDX-License-Identifier: Apache-2.0

import Foundation

extension URL {
    /// Scheme, host and port, the port of the scheme where none is given: who sees what is sent there.
    var origin: String {
        let scheme = (scheme ?? "").lowercased()
        return "\(scheme)://\((host() ?? "").lowercased()):\(port ?? (scheme == "http" ? 80 : 443))"
    }
}
