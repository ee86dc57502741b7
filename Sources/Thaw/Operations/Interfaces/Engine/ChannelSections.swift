/// A partition of the channels of a grouped convolution. Each section has the same whole number of groups, the last one
/// possibly fewer, and begins at a block of channels in both the input and the output.
struct ChannelSections: Hashable, Sendable {
    /// The channels of one group.
    let inputsPerGroup: Int
    let outputsPerGroup: Int
    let groups: Int
    let groupsPerSection: Int

    /// The smallest sections that consist of whole blocks.
    init(inputsPerGroup: Int, outputsPerGroup: Int, groups: Int, blockWidth: Int) {
        self.inputsPerGroup = inputsPerGroup
        self.outputsPerGroup = outputsPerGroup
        self.groups = groups
        let isWhole = { $0 * inputsPerGroup % blockWidth == 0 && $0 * outputsPerGroup % blockWidth == 0 }
        groupsPerSection = (1..<max(1, min(groups, blockWidth + 1))).first(where: isWhole) ?? groups
    }

    var count: Int { groups.dividedRoundingUp(by: groupsPerSection) }

    private func groups(of section: Int) -> Range<Int> {
        section * groupsPerSection..<min((section + 1) * groupsPerSection, groups)
    }

    func inputs(of section: Int) -> Range<Int> {
        let groups = groups(of: section)
        return groups.lowerBound * inputsPerGroup..<groups.upperBound * inputsPerGroup
    }

    func outputs(of section: Int) -> Range<Int> {
        let groups = groups(of: section)
        return groups.lowerBound * outputsPerGroup..<groups.upperBound * outputsPerGroup
    }

    /// The filters of the full convolution that computes one section. They are zero where an output channel does not
    /// read an input channel.
    /// - Parameter filters: Those of all groups: height, width, channels of a group, output channels.
    func filters(of section: Int, _ filters: Tensor) -> Tensor {
        let shape = filters.shape
        let (inputs, outputs) = (inputs(of: section), outputs(of: section))
        if inputs.count == inputsPerGroup, outputs.count == shape[3] { return filters }
        return filters.withFloats { from in
            Tensor(shape: [shape[0], shape[1], inputs.count, outputs.count]) { to in
                to.initialize(repeating: 0)
                for tap in 0..<shape[0] * shape[1] {
                    for input in inputs {
                        let first = input / inputsPerGroup * outputsPerGroup
                        let source = (tap * inputsPerGroup + input % inputsPerGroup) * shape[3] + first
                        let row = tap * inputs.count + input - inputs.lowerBound
                        let target = row * outputs.count + first - outputs.lowerBound
                        for index in 0..<outputsPerGroup { to[target + index] = from[source + index] }
                    }
                }
            }
        }
    }
}
