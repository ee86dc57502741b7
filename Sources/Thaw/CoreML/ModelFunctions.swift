/// ML Programs with several functions, each with its own description.
extension Message {
    /// The names of a model's functions if it describes several, the default first.
    var functionNames: [String] {
        let names = (self.description.functions as [Message]).map { $0.name as String }
        let defaultName = defaultFunction
        return names.filter { $0 == defaultName } + names.filter { $0 != defaultName }
    }

    var defaultFunction: String? {
        let names = (self.description.functions as [Message]).map { $0.name as String }
        let defaultName: String = self.description.defaultFunctionName
        return names.first { $0 == (defaultName.isEmpty ? "main" : defaultName) }
    }

    /// The model with only one of its functions, described like a model of one function.
    ///
    /// - Parameter function: nil for the default.
    /// - Throws: `Failure` if there is no such function, or several and no default.
    func selecting(_ function: String?) throws -> Message {
        let descriptions: [Message] = self.description.functions
        let programs: [Message] = choice == "mlProgram" ? self.mlProgram.functions : []
        guard !descriptions.isEmpty else {
            let names = programs.map { $0.key as String }
            // A model of one function does not describe it.
            if let function, names.count != 1 || names[0] != function {
                throw Failure.unknownFunction(function, names)
            }
            let defaultName: String = self.description.defaultFunctionName
            guard ["", "main"].contains(defaultName) || names == [defaultName] else {
                throw Failure.unknownFunction(defaultName, names)
            }
            return self
        }
        guard let name = function ?? defaultFunction else { throw Failure.noDefaultFunction(functionNames) }
        guard let description = descriptions.first(where: { $0.name as String == name }),
            let program = programs.first(where: { $0.key as String == name })
        else { throw Failure.unknownFunction(name, functionNames) }
        var result = self
        result.mlProgram.functions = [program]
        result.description.functions = [] as [Message]
        result.description.defaultFunctionName = ""
        for features in ["input", "output", "state"] {
            result.description[features] = description[features] as [Message]
        }
        for name in ["predictedFeatureName", "predictedProbabilitiesName"] {
            result.description[name] = description[name] as String
        }
        return result
    }
}
