/// The service's OpenAPI description.
enum OpenAPI {
    static let text = Page.files["openapi.json"]!
}
