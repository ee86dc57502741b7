/// The page of a report. Its files are in `Page`, where a browser can open them directly; here they become one file.
enum ReportPage {
    /// The page up to the first row, from the last row to the data about all of them, and the rest.
    static let parts: (opening: String, middle: String, ending: String) = {
        var parts = [""]
        for line in text(of: "page.html").split(separator: "\n") {
            if let name = line.quoted(after: "<link rel=\"stylesheet\" href=") {
                parts[parts.count - 1] += "<style>\n\(text(of: name))</style>\n"
            } else if let name = line.quoted(after: "<script src=") {
                parts[parts.count - 1] += "<script>\n\(text(of: name))</script>\n"
            } else if line.hasPrefix("<script type=\"application/json\" id=\"rows\">") {
                parts[parts.count - 1] += String(line.prefix { $0 != ">" }) + ">[\n"
                parts.append("]</script>\n")
            } else if line.hasPrefix("<script type=\"application/json\" id=\"page\">") {
                parts[parts.count - 1] += String(line.prefix { $0 != ">" }) + ">"
                parts.append("</script>\n")
            } else {
                parts[parts.count - 1] += "\(line)\n"
            }
        }
        precondition(parts.count == 3, "page.html has an element for rows, and one for the data about all of them")
        return (parts[0], parts[1], parts[2])
    }()

    private static func text(of file: some StringProtocol) -> String { files[String(file)]! }
}

extension Substring {
    /// The text in quotes after a prefix; nil without the prefix.
    fileprivate func quoted(after beginning: String) -> Substring? {
        guard hasPrefix(beginning + "\"") else { return nil }
        return dropFirst(beginning.count + 1).prefix { $0 != "\"" }
    }
}
