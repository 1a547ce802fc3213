// SPDX-License-Identifier: Apache-2.0

import Foundation
import NIOCore
import NIOPosix
import ParleyOpenAI

extension ServerError {
    /// Why a server does not listen, in words; nil for an error of another kind.
    init?(listening error: any Error, at address: ServerConfiguration.Address) {
        if case .socket(let path) = address, error is UnixDomainSocketPathWrongType {
            self.init(500, .invalidValue, "\(path) is a file, not a socket.", cause: error)
            return
        }
        guard let number = (error as? IOError)?.errnoCode else { return nil }
        let message: String
        switch address {
        case .internet(_, let port) where number == EADDRINUSE:
            message = "Port \(port) is in use. Take another with --port, or end the other server."
        case .internet(let host, let port):
            message = "The server cannot listen on port \(port) of \(host): \(String(cString: strerror(number)))."
        case .socket(let path) where number == ENOENT:
            message = "The folder \(NSString(string: path).deletingLastPathComponent) does not exist."
        case .socket(let path):
            message = "The server cannot listen on \(path): \(String(cString: strerror(number)))."
        case .inherited: return nil
        }
        self.init(500, .invalidValue, message, cause: error)
    }
}
