// SPDX-License-Identifier: Apache-2.0

#if !canImport(Darwin)
    import Foundation
    import ParleyCommandLine
    import ParleyHTTP
    import ParleyServerCLI
    import ParleyTestSupport
    import Testing

    @Suite("Sockets that systemd hands over")
    struct InheritedSocketTests {
        /// A socket for the time of a test.
        private final class Socket {
            let descriptor: CInt

            init(_ family: CInt) { descriptor = socket(family, CInt(SOCK_STREAM.rawValue), 0) }

            deinit { close(descriptor) }

            /// Binds the socket and listens.
            func bound<Address>(_ address: Address, listens: Bool = true) throws -> CInt {
                let isBound = withUnsafeBytes(of: address) { bytes in
                    bytes.baseAddress.map {
                        bind(descriptor, $0.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count)) == 0
                    } ?? false
                }
                try #require(isBound && (!listens || listen(descriptor, 1) == 0))
                return descriptor
            }
        }

        private static func internet(_ number: UInt32) -> sockaddr_in {
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = number.bigEndian
            return address
        }

        @Test(
            "The address of a socket says who reaches it.",
            arguments: [(0x7f00_0001, "127.0.0.1", true), (0x7f01_0203, "127.1.2.3", true), (0, "0.0.0.0", false)])
        func addresses(number: UInt32, name: String, isLocal: Bool) throws {
            let socket = Socket(AF_INET)
            let inherited = try InheritedSocket(try socket.bound(Self.internet(number)))
            guard case .internet(let host, let port, _) = inherited.place else {
                Issue.record("\(inherited.place)")
                return
            }
            #expect(host == name && port > 0 && inherited.isLocal == isLocal)
            #expect(fcntl(socket.descriptor, F_GETFD) & FD_CLOEXEC != 0)
        }

        @Test("Of the addresses with 128 bits, one is this machine's.", arguments: [true, false])
        func longAddresses(isLocal: Bool) throws {
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_addr = isLocal ? in6addr_loopback : in6addr_any
            address.sin6_port = UInt16(8_080).bigEndian
            var storage = sockaddr_storage()
            withUnsafeMutableBytes(of: &storage) { target in
                withUnsafeBytes(of: address) { target.copyMemory(from: $0) }
            }
            let place = InheritedSocket.place(storage, MemoryLayout<sockaddr_in6>.size)
            #expect(place == .internet(host: isLocal ? "::1" : "::", port: 8_080, isLocal: isLocal))
        }

        @Test("An address with 32 bits among those with 128 is what it is by itself.", arguments: [UInt8(127), 10])
        func mappedAddresses(first: UInt8) {
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            withUnsafeMutableBytes(of: &address.sin6_addr) { bytes in
                bytes.copyBytes(from: [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF, first, 0, 0, 1])
            }
            var storage = sockaddr_storage()
            withUnsafeMutableBytes(of: &storage) { target in
                withUnsafeBytes(of: address) { target.copyMemory(from: $0) }
            }
            let place = InheritedSocket.place(storage, MemoryLayout<sockaddr_in6>.size)
            #expect(place == .internet(host: "::ffff:\(first).0.0.1", port: 0, isLocal: first == 127))
        }

        @Test("A socket in the file system is this machine's.")
        func paths() throws {
            let directory = try TemporaryDirectory()
            let path = directory.url.appending(path: "s").path
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
            let socket = Socket(AF_UNIX)
            let inherited = try InheritedSocket(try socket.bound(address))
            #expect(inherited.place == .path(path) && inherited.isLocal)
        }

        @Test("What nobody can connect to is refused: a file, a socket that does not listen, nothing.")
        func refusals() throws {
            let file = open("/dev/null", O_RDONLY)
            defer { close(file) }
            let silent = Socket(AF_INET)
            let bound = try silent.bound(Self.internet(0x7f00_0001), listens: false)
            for descriptor in [file, bound, 9_999] {
                #expect(throws: CommandError.self) { try InheritedSocket(descriptor) }
            }
        }

        @Test("Only what is meant for this process is taken, and only one.")
        func environment() throws {
            #expect(try InheritedSocket.given(by: [:]) == nil)
            #expect(try InheritedSocket.given(by: ["LISTEN_FDS": "1"]) == nil)
            #expect(try InheritedSocket.given(by: ["LISTEN_FDS": "1", "LISTEN_PID": "1"]) == nil)
            let several: ProcessEnvironment = ["LISTEN_FDS": "2", "LISTEN_PID": "\(getpid())"]
            #expect(throws: CommandError.self) { try InheritedSocket.given(by: several) }
        }
    }
#endif
