/// Example command lines for the help and the man page.
enum Examples {
    struct Example: Sendable {
        let purpose: String
        let line: String
    }

    static func of(_ command: String) -> [Example] { all[command, default: []] }

    private static let all: [String: [Example]] = [
        "convert": [
            Example(
                purpose: "Convert a frozen graph and its labels to a model in the current folder:",
                line: "thaw convert inference.pb --labels labels.txt"),
            Example(
                purpose: "Convert a network that was trained with Caffe preprocessing (BGR minus the mean):",
                line: "thaw convert net.pb --labels labels.txt --preprocess caffe -o Net.mlmodel"),
            Example(
                purpose: "Set scale and bias by hand, for pixels from 0 to 255:",
                line: "thaw convert net.pb --scale 0.0078431 --bias -1,-1,-1"),
        ],
        "compress": [
            Example(
                purpose: "Palettize each layer's weights to 64 values, and show what that changes:",
                line: "thaw compress Net.mlmodel -o Net6.mlmodel --weights palette6 --verify a.jpg"),
            Example(
                purpose: "Quantize weights to 8 bits per output channel, as an ML Program:",
                line: "thaw compress Net.mlmodel -o Net.mlpackage --weights int8"),
        ],
        "quantize": [
            Example(
                purpose: "Quantize a network to 8-bit integers, with ranges measured on photos:",
                line: "thaw quantize Net.mlmodel photos/ -o Net8.mlpackage"),
            Example(
                purpose: "Keep layers in floating point until at most 2% of the photos change their top label:",
                line: "thaw quantize Net.mlmodel photos/ -o Net8.mlmodel --keep-accuracy 2"),
        ],
        "classify": [
            Example(
                purpose: "Classify the photos in a folder:", line: "thaw classify Net.mlmodel photos/ --top 3"),
            Example(
                purpose: "Write an HTML report and a CSV table:",
                line: "thaw classify Net.mlmodel photos/ --report out.html --format csv > out.csv"),
            Example(
                purpose: "Classify the image that another program writes:",
                line: "cat photo.jpg | thaw classify Net.mlmodel -"),
            Example(
                purpose: "Classify a long list, and resume after an interruption:",
                line: "find / -name '*.jpg' | thaw classify Net.mlmodel - --resume out.jsonl"),
        ],
        "detect": [
            Example(
                purpose: "Find objects in a photo, and draw their boxes on a copy:",
                line: "thaw detect YOLO.mlpackage street.jpg -o boxes.jpg"),
            Example(
                purpose: "Write a table of the objects in a folder of photos, letterboxed as for training:",
                line: "thaw detect YOLO.mlpackage photos/ --crop fit --format csv > objects.csv"),
        ],
        "compare": [
            Example(
                purpose: "Check that a converted model gives the same results as its graph:",
                line: "thaw compare inference.pb Net.mlmodel photos/")
        ],
        "evaluate": [
            Example(
                purpose: "Evaluate on a folder of photos for each class:",
                line: "thaw evaluate Net.mlmodel test/ --report report.html"),
            Example(
                purpose: "Use a table whose class indices leave out the background class:",
                line: "thaw evaluate Net.mlmodel truth.tsv --offset 1 --crop center:0.875"),
            Example(
                purpose: "Find out whether the new model is significantly better than the old one:",
                line: "thaw evaluate New.mlmodel test/ --baseline Old.mlmodel"),
        ],
        "apply": [
            Example(
                purpose: "Apply a style transfer network to a photo:",
                line: "thaw apply Style.mlmodel photo.jpg -o painting.png"),
            Example(
                purpose: "Process a folder of photos, each at its own size up to 1,600 pixels:",
                line: "thaw apply generator.pb photos/ --max-side 1600 -o paintings/"),
            Example(
                purpose: "Upscale a large scan in tiles, without seams:",
                line: "thaw apply super_resolution.pb scan.png --tile 512 -o large.png"),
        ],
        "run": [
            Example(
                purpose: "Compute the output for an array, to check against other programs:",
                line: "thaw run Net.mlmodel input.npy -o output.npy"),
            Example(
                purpose: "Name several inputs, and write all outputs to a folder:",
                line: "thaw run net.pb left=a.npy right=b.npy -o outputs/"),
            Example(
                purpose: "Predict with a pipeline made by scikit-learn, and print the label with all probabilities:",
                line: "thaw run Iris.mlmodel input='[5.1, 3.5, 1.4, 0.2]'"),
        ],
        "benchmark": [
            Example(
                purpose: "Measure milliseconds per image on one core:", line: "thaw benchmark Net.mlmodel --threads 1"),
            Example(
                purpose: "Measure images per second in batches, for a script:",
                line: "thaw benchmark Net.mlmodel --batch 16 --format json"),
            Example(
                purpose: "Measure two models on one thread and on four, as a Markdown table:",
                line: "thaw benchmark A.mlmodel B.mlmodel --threads 1,4 --format markdown"),
        ],
        "inspect": [
            Example(
                purpose: "Show what a file contains, even if it cannot be converted:",
                line: "thaw inspect inference.pb")
        ],
        "serve": [
            Example(
                purpose: "Open a page for dropping photos at http://127.0.0.1:8080:",
                line: "thaw serve Net.mlmodel"),
            Example(
                purpose: "Compare two models side by side on that page:",
                line: "thaw serve old=Net.mlmodel new=Net6.mlmodel"),
            Example(
                purpose: "Accept requests from other machines if they send the token stored in a file:",
                line: "thaw serve Net.mlmodel --host 0.0.0.0 --token-file token.txt"),
        ],
    ]
}
