import Thaw

/// A profile as a bar chart: the steps in order along the x-axis, each as wide as its time and as high as its speed, so
/// that areas are proportional to work. The dashed line is the measured peak; Winograd convolutions may exceed it.
struct ProfileChart {
    let title: String
    let steps: [StepTiming]
    /// Floating-point operations per second.
    let peak: Double

    private let width = 1200.0
    private let height = 320.0
    private let left = 60.0
    private let top = 70.0
    private let colors = ["#0b6e99", "#e0a030", "#7fb069", "#8c6bb1", "#d1495b", "#66a5ad", "#a67c52", "#5b5f97"]

    /// The chart as an SVG document.
    func svg() -> String {
        let total = steps.reduce(0) { $0 + $1.seconds }
        // The legend begins with the algorithm that takes the most time.
        var time: [String: Double] = [:]
        for step in steps { time[step.algorithm, default: 0] += step.seconds }
        let groups = time.keys.sorted { (time[$1]!, $0) < (time[$0]!, $1) }
        let color = { (algorithm: String) in colors[min(groups.firstIndex(of: algorithm)!, colors.count - 1)] }
        let highest = max(peak, steps.map(\.speed).max() ?? 0) * 1.05
        let y = { (speed: Double) in top + height * (1 - speed / highest) }
        var parts: [String] = []
        var x = left
        for step in steps {
            let w = step.seconds / total * width
            // Even a step without arithmetic is visible.
            let barTop = min(y(step.speed), top + height - 2)
            let label = step.name + ": " + step.algorithm + ", " + fixed(step.seconds * 1e6, 0) + " µs"
            parts.append(
                "<rect x=\"\(fixed(x, 2))\" y=\"\(fixed(barTop, 1))\" width=\"\(fixed(w, 2))\" "
                    + "height=\"\(fixed(top + height - barTop, 1))\" fill=\"\(color(step.algorithm))\" stroke=\"white\" "
                    + "stroke-width=\"0.4\"><title>\(label.inMarkup)</title></rect>")
            x += w
        }
        for share in [0.0, 0.5, 1.0] {
            let lineY = y(peak * share)
            parts.append(
                "<line x1=\"\(left)\" x2=\"\(left + width)\" y1=\"\(fixed(lineY, 1))\" y2=\"\(fixed(lineY, 1))\" "
                    + "stroke=\"#c33\" stroke-dasharray=\"\(share == 0 ? "none" : "4 4")\"/>"
                    + text(left - 6, lineY + 4, fixed(share * 100, 0) + "%", anchor: "end"))
        }
        for (index, group) in groups.prefix(colors.count).enumerated() {
            let (column, row) = (Double(index % 4), Double(index / 4))
            let (px, py) = (left + column * 300, top - 38 + row * 16)
            let share = fixed(time[group]! / total * 100, 0) + "%"
            parts.append(
                "<rect x=\"\(px)\" y=\"\(py)\" width=\"10\" height=\"10\" fill=\"\(color(group))\"/>"
                    + text(px + 15, py + 9, group + " (" + share + ")"))
        }
        let summary =
            "\(title): \(fixed(total * 1e3, 2)) ms in \(steps.count) steps, peak \(fixed(peak / 1e9, 0)) GFLOP/s"
        return "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"\(left + width + 20)\" "
            + "height=\"\(top + height + 30)\" font-family=\"Helvetica, Arial, sans-serif\" font-size=\"12\">"
            + "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>" + text(left, 20, summary)
            + parts.joined(separator: "\n") + axisTitle + text(left, top + height + 18, "0")
            + text(left + width, top + height + 18, fixed(total * 1e3, 2) + " ms", anchor: "end") + "</svg>\n"
    }

    /// The title of the vertical axis, beside it.
    private var axisTitle: String {
        let (x, y) = (fixed(left - 44, 1), fixed(top + height / 2, 1))
        return "<text transform=\"translate(\(x) \(y)) rotate(-90)\" text-anchor=\"middle\">share of the peak</text>"
    }

    private func text(_ x: Double, _ y: Double, _ text: String, anchor: String = "start") -> String {
        "<text x=\"\(fixed(x, 1))\" y=\"\(fixed(y, 1))\" text-anchor=\"\(anchor)\">\(text.inMarkup)</text>"
    }
}

extension StepTiming {
    /// Floating-point operations per second; a multiply-add counts as two.
    var speed: Double { seconds > 0 ? 2 * Double(multiplyAdds) / seconds : 0 }
}
