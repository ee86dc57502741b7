import Thaw

extension ServedModel {
    /// The metadata of the protocol.
    var description: JSONText {
        var json = JSONText()
        json.object { json in
            json.member("name", name)
            json.member("versions", ["1"])
            json.member("platform", "thaw_coreml")
            addPorts(to: &json)
        }
        return json
    }

    /// Adds the inputs and the outputs.
    /// - Parameter withImages: Whether each has a member that says whether it is an image, which is not part of the
    ///   protocol.
    private func addPorts(to json: inout JSONText, withImages: Bool = false) {
        for (key, ports) in [("inputs", inputs), ("outputs", outputs)] {
            json.key(key)
            json.array { json in
                for port in ports {
                    json.object { json in
                        json.member("name", port.name)
                        json.member("datatype", port.type.rawValue)
                        json.member("shape", port.shape)
                        if withImages { json.member("image", port.image != nil) }
                    }
                }
            }
        }
    }

    /// The model's entry in the page's list.
    func addSummary(to json: inout JSONText) {
        json.member("name", name)
        json.member("file", details.file)
        json.member("classifies", classifiedImage != nil)
        json.member("classes", classCount)
        json.member("hasLabels", labels != nil)
        json.member("independentLabels", details.labelsAreIndependent)
        if let image = classifiedImage {
            json.member("width", image.width)
            json.member("height", image.height)
            json.member("color", image.color.rawValue)
        }
        json.member("parameters", details.parameters)
        json.member("multiplyAdds", details.multiplyAdds)
    }

    /// Everything that the page shows about one model.
    var fullDescription: JSONText {
        var json = JSONText()
        json.object { json in
            addSummary(to: &json)
            addPorts(to: &json, withImages: true)
            json.member("preprocessing", details.formulas)
            json.member("warnings", details.warnings)
            json.key("layers")
            json.array { json in
                for layer in details.layers {
                    json.object { json in
                        json.member("kind", layer.kind)
                        json.member("count", layer.count)
                    }
                }
            }
            json.key("metadata")
            json.object { json in
                let metadata = details.metadata
                for (key, value) in [
                    ("description", metadata.description), ("author", metadata.author), ("license", metadata.license),
                    ("version", metadata.version),
                ] where !value.isEmpty { json.member(key, value) }
            }
            json.member("labels", labels ?? [])
        }
        return json
    }
}
