/// The description of the service for programs.
enum OpenAPI {
    static let text = Page.files["openapi.json"]!
}
