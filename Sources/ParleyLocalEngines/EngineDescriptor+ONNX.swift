// SPDX-License-Identifier: Apache-2.0

#if ONNX
    import ParleyONNX
    public import ParleyLocal
    import ParleyModelFile

    extension EngineDescriptor {
        /// The engine ONNX Runtime, which reads folders in the form of its library GenAI.
        public static let onnx = EngineDescriptor(
            name: "onnx", formats: [.onnx], source: ONNXSource.self, library: ONNXLibrary.self)
    }
#endif
