// SPDX-License-Identifier: Apache-2.0

#if ONNX
    package import ParleyRuntime

    /// The functions of ONNX Runtime GenAI that are used, looked up at run time, so that nothing needs it to build.
    ///
    /// The types are those of its C interface (`ort_genai_c.h` in
    /// [its repository](https://github.com/microsoft/onnxruntime-genai)), which is not meant to be called by several
    /// threads at once.
    package struct ONNXLibrary: EngineLibrary {
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
        package let version: String?

        package static let found: Result<ONNXLibrary, RuntimeError> = Result { () throws(RuntimeError) in try .init() }

        private static let product = DynamicLibrary.Product(
            name: "ONNX Runtime", script: "scripts/install-onnx", oldest: LibraryVersion(1, 31))

        private init() throws(RuntimeError) {
            // GenAI ends the process where it does not find ONNX Runtime, so that one is opened before.
            #if canImport(Darwin)
                let runtime = try DynamicLibrary("libonnxruntime.dylib", of: Self.product)
            #else
                let runtime = try DynamicLibrary("libonnxruntime.so.1", of: Self.product)
            #endif
            let library = try DynamicLibrary(DynamicLibrary.fileName("onnxruntime-genai"), of: Self.product)
            let version = try Self.version(of: runtime)
            try Self.product.check(version: version)
            self.version = version
            errorMessage = try library.function("OgaResultGetError")
            destroyResult = try library.function("OgaDestroyResult")
            createConfig = try library.function("OgaCreateConfig")
            clearProviders = try library.function("OgaConfigClearProviders")
            overlayConfig = try library.function("OgaConfigOverlay")
            destroyConfig = try library.function("OgaDestroyConfig")
            createModel = try library.function("OgaCreateModelFromConfig")
            destroyModel = try library.function("OgaDestroyModel")
            createParameters = try library.function("OgaCreateGeneratorParams")
            setSearchNumber = try library.function("OgaGeneratorParamsSetSearchNumber")
            destroyParameters = try library.function("OgaDestroyGeneratorParams")
            createGenerator = try library.function("OgaCreateGenerator")
            appendTokens = try library.function("OgaGenerator_AppendTokens")
            rewind = try library.function("OgaGenerator_RewindTo")
            setRuntimeOption = try library.function("OgaGenerator_SetRuntimeOption")
            getOutput = try library.function("OgaGenerator_GetOutput")
            destroyGenerator = try library.function("OgaDestroyGenerator")
            tensorData = try library.function("OgaTensorGetData")
            tensorRank = try library.function("OgaTensorGetShapeRank")
            tensorShape = try library.function("OgaTensorGetShape")
            tensorType = try library.function("OgaTensorGetType")
            destroyTensor = try library.function("OgaDestroyTensor")
            // The library can report its use to its makers; nothing of a conversation may leave the machine.
            let setTelemetry: @convention(c) (Bool) -> Void = try library.function("OgaSetTelemetryEnabled")
            setTelemetry(false)
        }

        /// The version of ONNX Runtime, which its base structure tells by its second function.
        private static func version(of runtime: DynamicLibrary) throws(RuntimeError) -> String {
            let base: @convention(c) () -> UnsafePointer<UnsafeRawPointer?>? = try runtime.function("OrtGetApiBase")
            guard let function = base()?[1] else { return "" }
            let version = unsafeBitCast(function, to: (@convention(c) () -> Text?).self)
            return version().map { String(cString: $0) } ?? ""
        }

        /// Runs a function of the library.
        ///
        /// - Throws: `RuntimeError` with code `engineFailed` and the library's message.
        func check(_ outcome: Outcome) throws(RuntimeError) {
            guard let outcome else { return }
            defer { destroyResult(outcome) }
            throw Self.product.failure(errorMessage(outcome))
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
