// SPDX-License-Identifier: Apache-2.0

#if ONNX
    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #else
        import Darwin
    #endif
    package import ParleyRuntime

    /// The functions of ONNX Runtime GenAI that are used, looked up at run time, so that nothing needs it to build.
    ///
    /// The types are those of its C interface (`ort_genai_c.h` in
    /// [its repository](https://github.com/microsoft/onnxruntime-genai)), which is not meant to be called by several
    /// threads at once.
    package struct ONNXLibrary: Sendable {
        typealias Object = OpaquePointer
        /// An error of the library, which the caller frees; nil for none.
        typealias Outcome = OpaquePointer?
        typealias Text = UnsafePointer<CChar>
        typealias Created = UnsafeMutablePointer<OpaquePointer?>
        typealias Destroy = @convention(c) (Object) -> Void

        let errorMessage: @convention(c) (Object) -> Text?
        let destroyResult: Destroy
        let createConfig: @convention(c) (Text, Created) -> Outcome
        let clearProviders: @convention(c) (Object) -> Outcome
        let overlayConfig: @convention(c) (Object, Text) -> Outcome
        let destroyConfig: Destroy
        let createModel: @convention(c) (Object, Created) -> Outcome
        let destroyModel: Destroy
        let createParameters: @convention(c) (Object, Created) -> Outcome
        let setSearchNumber: @convention(c) (Object, Text, Double) -> Outcome
        let destroyParameters: Destroy
        let createGenerator: @convention(c) (Object, Object, Created) -> Outcome
        let appendTokens: @convention(c) (Object, UnsafePointer<Int32>, Int) -> Outcome
        let rewind: @convention(c) (Object, Int) -> Outcome
        let setRuntimeOption: @convention(c) (Object, Text, Text) -> Outcome
        let getOutput: @convention(c) (Object, Text, Created) -> Outcome
        let destroyGenerator: Destroy
        let tensorData: @convention(c) (Object, UnsafeMutablePointer<UnsafeMutableRawPointer?>) -> Outcome
        let tensorRank: @convention(c) (Object, UnsafeMutablePointer<Int>) -> Outcome
        let tensorShape: @convention(c) (Object, UnsafeMutablePointer<Int64>, Int) -> Outcome
        let tensorType: @convention(c) (Object, UnsafeMutablePointer<Int32>) -> Outcome
        let destroyTensor: Destroy

        /// The version of ONNX Runtime.
        package let version: String

        /// The library, or the reason why it cannot be used; looked up once.
        static let found: Result<ONNXLibrary, RuntimeError> = Result { () throws(RuntimeError) in try .init() }

        /// Returns the library.
        ///
        /// - Throws: ``/ParleyRuntime/RuntimeError`` with code `unsupported` if it is not installed or too old.
        package static func checked() throws(RuntimeError) -> ONNXLibrary { try found.get() }

        /// Why the library cannot be used; nil if it can.
        package static var problem: String? {
            if case .failure(let error) = found { return error.message }
            return nil
        }

        /// The version of ONNX Runtime; nil if the library cannot be used.
        package static var version: String? { try? found.get().version }

        private init() throws(RuntimeError) {
            // The second library ends the process where it does not find the first one, so that one is opened before.
            guard let runtime = dlopen(Self.runtimeName, RTLD_NOW | RTLD_LOCAL) else {
                throw Self.missing(Self.runtimeName)
            }
            guard let handle = dlopen(Self.name, RTLD_NOW | RTLD_LOCAL) else { throw Self.missing(Self.name) }
            version = try Self.version(of: runtime)
            func function<Function>(_ name: String, as: Function.Type = Function.self) throws(RuntimeError) -> Function
            {
                guard let symbol = dlsym(handle, name) else { throw Self.old("ONNX Runtime GenAI has no \(name)") }
                return unsafeBitCast(symbol, to: Function.self)
            }
            errorMessage = try function("OgaResultGetError")
            destroyResult = try function("OgaDestroyResult")
            createConfig = try function("OgaCreateConfig")
            clearProviders = try function("OgaConfigClearProviders")
            overlayConfig = try function("OgaConfigOverlay")
            destroyConfig = try function("OgaDestroyConfig")
            createModel = try function("OgaCreateModelFromConfig")
            destroyModel = try function("OgaDestroyModel")
            createParameters = try function("OgaCreateGeneratorParams")
            setSearchNumber = try function("OgaGeneratorParamsSetSearchNumber")
            destroyParameters = try function("OgaDestroyGeneratorParams")
            createGenerator = try function("OgaCreateGenerator")
            appendTokens = try function("OgaGenerator_AppendTokens")
            rewind = try function("OgaGenerator_RewindTo")
            setRuntimeOption = try function("OgaGenerator_SetRuntimeOption")
            getOutput = try function("OgaGenerator_GetOutput")
            destroyGenerator = try function("OgaDestroyGenerator")
            tensorData = try function("OgaTensorGetData")
            tensorRank = try function("OgaTensorGetShapeRank")
            tensorShape = try function("OgaTensorGetShape")
            tensorType = try function("OgaTensorGetType")
            destroyTensor = try function("OgaDestroyTensor")
            // The library can report its use to its makers; nothing of a conversation may leave the machine.
            let setTelemetry: @convention(c) (Bool) -> Void = try function("OgaSetTelemetryEnabled")
            setTelemetry(false)
        }

        #if canImport(Darwin)
            private static let runtimeName = "libonnxruntime.dylib"
            private static let name = "libonnxruntime-genai.dylib"
        #else
            private static let runtimeName = "libonnxruntime.so.1"
            private static let name = "libonnxruntime-genai.so"
        #endif

        /// The oldest version of ONNX Runtime that has been tested.
        private static let oldest = (major: 1, minor: 31)

        /// The version of ONNX Runtime, which its base structure tells by its second function.
        private static func version(of runtime: UnsafeMutableRawPointer) throws(RuntimeError) -> String {
            typealias Base = @convention(c) () -> UnsafePointer<UnsafeRawPointer?>?
            typealias Version = @convention(c) () -> Text?
            guard let base = dlsym(runtime, "OrtGetApiBase"), let functions = unsafeBitCast(base, to: Base.self)(),
                let function = functions[1], let text = unsafeBitCast(function, to: Version.self)()
            else { throw old("ONNX Runtime does not tell its version") }
            let version = String(cString: text)
            let numbers = version.split(separator: ".").map { Int($0) ?? 0 } + [0, 0]
            guard (numbers[0], numbers[1]) >= (oldest.major, oldest.minor) else {
                throw old("ONNX Runtime is of version \(version.prefix(20))")
            }
            return version
        }

        private static func missing(_ name: String) -> RuntimeError {
            RuntimeError(
                .unsupported,
                "\(name) is not found. scripts/install-onnx installs it and says how to build parley so that it is.")
        }

        private static func old(_ what: String) -> RuntimeError {
            RuntimeError(
                .unsupported,
                "\(what): it is older than \(oldest.major).\(oldest.minor), with which this was tested. "
                    + "scripts/install-onnx installs a newer one.")
        }

        /// Runs a function of the library.
        ///
        /// - Throws: `RuntimeError` with code `engineFailed` and the library's message.
        func check(_ outcome: Outcome) throws(RuntimeError) {
            guard let outcome else { return }
            defer { destroyResult(outcome) }
            let message = errorMessage(outcome).map { String(cString: $0) } ?? "no reason was given"
            throw RuntimeError(.engineFailed, "ONNX Runtime: \(message.prefix(2_000))")
        }

        /// Creates an object of the library.
        ///
        /// - Throws: `RuntimeError` with code `engineFailed` and the library's message.
        func create(_ body: (Created) -> Outcome) throws(RuntimeError) -> Object {
            var object: OpaquePointer?
            try check(body(&object))
            guard let object else { throw RuntimeError(.engineFailed, "ONNX Runtime made nothing.") }
            return object
        }
    }
#endif
