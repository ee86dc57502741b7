import Kernels

extension Graph {
    /// The form in which the engine's kernels compute a node. Most support only float32 tensors.
    func engineForm(of node: Node, _ kernels: any KernelTable.Type) -> EngineForm? {
        guard let operation = node.operation as? any EngineOperation,
            (node.inputs + node.outputs).allSatisfy({ self[$0].shape.elementCount > 0 }),
            let form = operation.engineForm(node.inputs.map { self[$0] }, self[node.outputs[0]])
        else { return nil }
        let traits = FormRow(form).traits
        let elements = Set((node.inputs + node.outputs).map { self[$0].element })
        guard traits.hasSmallBorder, node.outputs.count == 1 || traits.hasSeveralOutputs,
            elements == [.float32] || traits.supportsQuantized && elements.isSubset(of: [.float32, .uint8])
        else { return nil }
        if elements.contains(.uint8) { return kernels.fitsIntegerKernels ? form : nil }
        // The kernel reads a value for every channel of a block.
        if case .binaryChannels(let function, _) = form, self[node.outputs[0]].shape[3] % kernels.blockWidth != 0 {
            return .broadcast(function)
        }
        // A table that rounds images reads all rows of a dense layer as the pixels of one image, at 32-bit offsets.
        if case .dense = form, kernels.roundsImages {
            let rows = self[node.inputs[0]].shape.dropLast().reduce(1, *)
            guard rows * kernels.pixelBytes <= Int32.max else { return nil }
        }
        return form.inSections(inputChannels: self[node.inputs[0]].shape.last ?? 1, blockWidth: kernels.blockWidth)
    }
}

extension FormTraits {
    /// Here, borders are stored in memory. Large ones are left to the reference implementation, which stores none.
    fileprivate var hasSmallBorder: Bool {
        [border.top, border.bottom, border.left, border.right].allSatisfy { $0 <= 256 }
    }
}
