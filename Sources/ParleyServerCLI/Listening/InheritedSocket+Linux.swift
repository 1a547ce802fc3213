// SPDX-License-Identifier: Apache-2.0

#if !canImport(Darwin)
    package import Foundation
    import ParleyCommandLine
    package import ParleyHTTP

    extension InheritedSocket {
        /// The first descriptor that systemd hands over.
        private static let first: CInt = 3

        /// The socket that systemd has started this process with; nil if it has not
        /// ([sd_listen_fds](https://www.freedesktop.org/software/systemd/man/sd_listen_fds.html)).
        ///
        /// - Throws: ``CommandError`` for more than one socket, and for one on which nobody can connect.
        package static func given(by environment: ProcessEnvironment) throws -> InheritedSocket? {
            // They may be meant for the process that started this one.
            guard environment["LISTEN_PID"] == "\(getpid())", let count = environment["LISTEN_FDS"] else { return nil }
            guard count == "1" else {
                throw CommandError(
                    "\(count) sockets were handed over, but one is served. Leave one in the socket unit.")
            }
            return try InheritedSocket(first)
        }

        /// Takes a socket over, which programs that this one starts do not get.
        ///
        /// - Throws: ``CommandError`` unless clients can connect to it.
        package init(_ descriptor: CInt) throws {
            var listens: CInt = 0
            var length = socklen_t(MemoryLayout<CInt>.size)
            let isSocket = getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &listens, &length) == 0
            guard isSocket, listens != 0, let place = Self.place(of: descriptor) else {
                throw CommandError(
                    "What was handed over is no socket that clients connect to. In the socket unit, ListenStream names it."
                )
            }
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            self.init(descriptor: descriptor, place: place)
        }

        private static func place(of descriptor: CInt) -> Place? {
            var storage = sockaddr_storage()
            var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
            let isKnown = withUnsafeMutableBytes(of: &storage) { bytes in
                bytes.baseAddress.map { getsockname(descriptor, $0.assumingMemoryBound(to: sockaddr.self), &length) }
                    == 0
            }
            return isKnown ? place(storage, Int(length)) : nil
        }

        /// Where clients find a socket with an address, of which so many bytes are given; nil for other kinds.
        package static func place(_ storage: sockaddr_storage, _ length: Int) -> Place? {
            withUnsafeBytes(of: storage) { bytes in
                switch CInt(storage.ss_family) {
                case AF_INET:
                    let address = bytes.loadUnaligned(as: sockaddr_in.self)
                    let number = UInt32(bigEndian: address.sin_addr.s_addr)
                    let host = (0..<4).map { "\(number >> (24 - 8 * UInt32($0)) & 0xFF)" }.joined(separator: ".")
                    let port = Int(UInt16(bigEndian: address.sin_port))
                    return .internet(host: host, port: port, isLocal: URL.isLoopback(host: host))
                case AF_INET6:
                    var address = bytes.loadUnaligned(as: sockaddr_in6.self).sin6_addr
                    let port = Int(UInt16(bigEndian: bytes.loadUnaligned(as: sockaddr_in6.self).sin6_port))
                    var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
                    guard inet_ntop(AF_INET6, &address, &text, socklen_t(text.count)) != nil else { return nil }
                    let host = String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
                    return .internet(host: host, port: port, isLocal: URL.isLoopback(host: host))
                case AF_UNIX:
                    let start = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 2
                    let path = bytes[start..<min(max(length, start), bytes.count)].prefix { $0 != 0 }
                    return .path(String(decoding: path, as: UTF8.self))
                default: return nil
                }
            }
        }
    }
#endif
