// SPDX-License-Identifier: Apache-2.0

package import ArgumentParser
package import ParleyLocal
package import ParleyRuntime
import ParleySystem

/// The options of `parley serve`: `parley` explains and completes them, `parley-server` does what they say.
package struct ServeOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Also write down speech, with this model: whisper-base, or what 'parley transcribe --model' takes.",
            valueName: "name"), completion: .speechModel)
    package var speech: String?

    @Flag(
        inversion: .prefixedNo,
        help: "Read what is not WAV with libsndfile where it is installed, or with Apple's system.")
    package var otherSounds = true

    @Option(help: ArgumentHelp("The address to listen on.", valueName: "address"))
    package var host = "127.0.0.1"

    @Option(parsing: .unconditional, help: ArgumentHelp("The port; 0 takes a free one.", valueName: "n"))
    package var port = 8_080

    @Option(
        help: ArgumentHelp("Listen on a socket in the file system instead.", valueName: "path"), completion: .file())
    package var unix: String?

    @Option(help: ArgumentHelp("Another name for a model; * stands for any name.", valueName: "name=model"))
    package var alias: [String] = []

    @Option(parsing: .unconditional, help: ArgumentHelp("How many replies of a model run at a time.", valueName: "n"))
    package var parallel = 16

    @Option(parsing: .unconditional, help: ArgumentHelp("How many requests for a model may wait.", valueName: "n"))
    package var queue = 256

    @Option(parsing: .unconditional, help: ArgumentHelp("How long a request may wait.", valueName: "seconds"))
    package var queueTimeout = 120

    @Option(parsing: .unconditional, help: ArgumentHelp("How long a reply may take.", valueName: "seconds"))
    package var requestTimeout = 600

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("How long other models stay in memory without a reply.", valueName: "seconds"))
    package var keepAlive = 900

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The memory for the caches of a model's conversations.", valueName: "MiB"))
    package var kvMemory: Int?

    @Option(help: .cacheType)
    package var cacheType = CacheType.f16

    @Option(
        help: ArgumentHelp(
            "The engine that runs the models; see 'parley engines'.", valueName: "automatic|name"),
        completion: .engine)
    package var engine = EnginePreference.automatic

    @Option(parsing: .unconditional, help: ArgumentHelp("Context length in tokens.", valueName: "n"))
    package var context: Int?

    @Option(parsing: .unconditional, help: ArgumentHelp("The number of threads.", valueName: "n"))
    package var threads: Int?

    @Option(help: .power)
    package var power = PowerPolicy.automatic

    @Option(help: ArgumentHelp("A name of the server that requests may be addressed to.", valueName: "name"))
    package var allowHost: [String] = []

    @Option(help: ArgumentHelp("An origin whose pages may use the server.", valueName: "origin"))
    package var allowOrigin: [String] = []

    @Option(
        help: ArgumentHelp(
            "Encrypt by this certificate, in PEM, with those that vouch for it; for builds with the trait TLS.",
            valueName: "file"), completion: .file())
    package var tlsCert: String?

    @Option(
        help: ArgumentHelp("The private key of the certificate, in PEM.", valueName: "file"), completion: .file())
    package var tlsKey: String?

    @Flag(help: "Listen on an address that others reach, although nothing is encrypted.")
    package var insecureHttp = false

    @Flag(inversion: .prefixedNo, help: "Show the web chat at the address of the server.")
    package var page = true

    @Flag(help: "Open the web chat in the browser.")
    package var open = false

    @Option(help: .hidden)
    package var pageFolder: String?

    @Flag(help: "Log in JSON, one object a line.")
    package var jsonLog = false

    @Flag(help: "Log nothing but failures.")
    package var quiet = false

    package init() {}

    /// Checks what can be checked without a server.
    ///
    /// - Throws: `ValidationError`.
    package mutating func validate() throws {
        let ranges: [(Int?, String, ClosedRange<Int>)] = [
            (port, "--port", 0...65_535), (parallel, "--parallel", 1...1_024), (queue, "--queue", 0...65_536),
            (queueTimeout, "--queue-timeout", 1...86_400), (requestTimeout, "--request-timeout", 1...86_400),
            (keepAlive, "--keep-alive", 0...31_536_000), (threads, "--threads", ThreadCount.range),
            (kvMemory, "--kv-memory", 1...16_777_216),
        ]
        for (value, name, range) in ranges { try OptionRange(range).check(value, of: name) }
        try OptionRange.tokens.check(context, of: "--context")
        guard (tlsCert == nil) == (tlsKey == nil) else {
            throw ValidationError("--tls-cert and --tls-key go together.")
        }
        for one in alias where !one.dropFirst().contains("=") {
            throw ValidationError("--alias is of the form NAME=MODEL.")
        }
        try engine.validate(in: "parley-server")
    }
}
