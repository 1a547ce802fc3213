// SPDX-License-Identifier: Apache-2.0

/// A network in the format ONNX that is being written, with 32-bit floats.
///
/// The numbers are those of the fields in [onnx.proto](https://github.com/onnx/onnx/blob/main/onnx/onnx.proto).
struct ONNXGraph: Sendable {
    /// A size of an input or output: a number, or a name for one that varies.
    enum Size: Sendable {
        case number(Int)
        case name(String)
    }

    /// The value of an attribute of a node.
    enum Attribute: Sendable {
        case whole(Int)
        case float(Float)
        case wholes([Int])
    }

    private var graph = ProtocolBuffer()

    init(name: String) {
        graph.append(2, name)
    }

    /// Appends an operation with one output; returns the name of that.
    @discardableResult
    mutating func node(
        _ operation: String, _ inputs: [String], _ outputs: [String], domain: String = "",
        _ attributes: [(String, Attribute)] = []
    ) -> String {
        graph.append(
            1,
            ProtocolBuffer { node in
                for input in inputs { node.append(1, input) }
                for output in outputs { node.append(2, output) }
                node.append(3, outputs[0] + "/node")
                node.append(4, operation)
                for (name, value) in attributes { node.append(5, Self.attribute(name, value)) }
                node.append(7, domain)
            })
        return outputs[0]
    }

    private static func attribute(_ name: String, _ value: Attribute) -> ProtocolBuffer {
        ProtocolBuffer { attribute in
            attribute.append(1, name)
            switch value {
            case .float(let value):
                attribute.append(2, value)
                attribute.append(20, 1)
            case .whole(let value):
                attribute.append(3, value)
                attribute.append(20, 2)
            case .wholes(let values):
                for value in values { attribute.append(8, value) }
                attribute.append(20, 7)
            }
        }
    }

    /// Appends constant floats.
    mutating func constant(_ name: String, _ shape: [Int], _ values: [Float]) {
        constant(name, shape, type: 1, TensorEncoding.f32.encode(values))
    }

    /// Appends constant whole numbers of 64 bits.
    mutating func constant(_ name: String, _ shape: [Int], wholes: [Int]) {
        let bytes = wholes.flatMap { value in withUnsafeBytes(of: Int64(value).littleEndian) { Array($0) } }
        constant(name, shape, type: 7, bytes)
    }

    private mutating func constant(_ name: String, _ shape: [Int], type: Int, _ bytes: [UInt8]) {
        graph.append(
            5,
            ProtocolBuffer { tensor in
                for size in shape { tensor.append(1, size) }
                tensor.append(2, type)
                tensor.append(8, name)
                tensor.append(9, bytes)
            })
    }

    /// Appends an input of the network; `isWhole` for numbers of 64 bits instead of floats.
    mutating func input(_ name: String, isWhole: Bool = false, _ shape: [Size]) {
        graph.append(11, Self.value(name, isWhole, shape))
    }

    /// Appends an output of the network.
    mutating func output(_ name: String, _ shape: [Size]) {
        graph.append(12, Self.value(name, false, shape))
    }

    private static func value(_ name: String, _ isWhole: Bool, _ shape: [Size]) -> ProtocolBuffer {
        let sizes = ProtocolBuffer { sizes in
            for size in shape {
                switch size {
                case .number(let number): sizes.append(1, ProtocolBuffer { $0.append(1, number) })
                case .name(let name): sizes.append(1, ProtocolBuffer { $0.append(2, name) })
                }
            }
        }
        let tensor = ProtocolBuffer { tensor in
            tensor.append(1, isWhole ? 7 : 1)
            tensor.append(2, sizes)
        }
        return ProtocolBuffer { value in
            value.append(1, name)
            value.append(2, ProtocolBuffer { $0.append(1, tensor) })
        }
    }

    /// The whole file.
    var file: [UInt8] {
        ProtocolBuffer { file in
            file.append(1, 10)
            file.append(2, "Parley")
            file.append(7, graph)
            for (domain, version) in [("", 21), ("com.microsoft", 1)] {
                file.append(
                    8,
                    ProtocolBuffer { set in
                        set.append(1, domain)
                        set.append(2, version)
                    })
            }
        }.bytes
    }
}
