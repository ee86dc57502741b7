/// Command lines that show each command at work, for the help and the man page.
enum Examples {
    struct Example: Sendable {
        let purpose: String
        let line: String
    }

    static func of(_ command: String) -> [Example] { all[command, default: []] }

    private static let all: [String: [Example]] = [
        "convert": [
            Example(
                purpose: "A frozen graph and its labels become a model beside them:",
                line: "thaw convert inference.pb --labels labels.txt"),
            Example(
                purpose: "The network was fed blue, green, red, less the mean of its photographs:",
                line: "thaw convert net.pb --labels labels.txt --preprocess caffe -o Net.mlmodel"),
            Example(
                purpose: "Scale and bias by hand, for pixels from 0 to 255:",
                line: "thaw convert net.pb --scale 0.0078431 --bias -1,-1,-1"),
        ],
        "compress": [
            Example(
                purpose: "A palette of 64 numbers for each layer's weights, and what that changes:",
                line: "thaw compress Net.mlmodel -o Net6.mlmodel --weights palette6 --verify a.jpg"),
            Example(
                purpose: "Each output channel's weights in 8 bits, as an ML Program:",
                line: "thaw compress Net.mlmodel -o Net.mlpackage --weights int8"),
        ],
        "classify": [
            Example(
                purpose: "What is on the photographs in a folder:", line: "thaw classify Net.mlmodel photos/ --top 3"),
            Example(
                purpose: "As a page to look through, and as a table:",
                line: "thaw classify Net.mlmodel photos/ --report out.html --format csv > out.csv"),
            Example(
                purpose: "An image that another program gives:", line: "cat photo.jpg | thaw classify Net.mlmodel -"),
            Example(
                purpose: "A long list, to be gone on with after an interruption:",
                line: "find / -name '*.jpg' | thaw classify Net.mlmodel - --resume out.jsonl"),
        ],
        "compare": [
            Example(
                purpose: "Does a conversion say what its graph says?",
                line: "thaw compare inference.pb Net.mlmodel photos/")
        ],
        "evaluate": [
            Example(
                purpose: "A folder of photographs for each class, named like its label:",
                line: "thaw evaluate Net.mlmodel test/ --report report.html"),
            Example(
                purpose: "A table with indices that do not count the background class:",
                line: "thaw evaluate Net.mlmodel truth.tsv --offset 1 --crop center:0.875"),
            Example(
                purpose: "Is the new model better than the old one, or is it chance?",
                line: "thaw evaluate New.mlmodel test/ --baseline Old.mlmodel"),
        ],
        "apply": [
            Example(
                purpose: "A photograph painted by a style transfer network:",
                line: "thaw apply Style.mlmodel photo.jpg -o painting.png"),
            Example(
                purpose: "A folder of photographs, each in its own size as far as 1,600 pixels go:",
                line: "thaw apply generator.pb photos/ --max-side 1600 -o paintings/"),
            Example(
                purpose: "A large scan, enlarged piece by piece without seams:",
                line: "thaw apply super_resolution.pb scan.png --tile 512 -o large.png"),
        ],
        "run": [
            Example(
                purpose: "The outputs for an array, to check against other programs:",
                line: "thaw run Net.mlmodel input.npy -o output.npy"),
            Example(
                purpose: "Several inputs by their names, all outputs into a folder:",
                line: "thaw run net.pb left=a.npy right=b.npy -o outputs/"),
        ],
        "benchmark": [
            Example(purpose: "Milliseconds an image, on one core:", line: "thaw benchmark Net.mlmodel --threads 1"),
            Example(
                purpose: "How many images a second in batches, for a script:",
                line: "thaw benchmark Net.mlmodel --batch 16 --format json"),
            Example(
                purpose: "Two models on one thread and on four, as a table for a page:",
                line: "thaw benchmark A.mlmodel B.mlmodel --threads 1,4 --format markdown"),
        ],
        "inspect": [
            Example(
                purpose: "What is in a file, whether it can be converted or not:", line: "thaw inspect inference.pb")
        ],
    ]
}
