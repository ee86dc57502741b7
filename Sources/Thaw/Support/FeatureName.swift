/// A name that Xcode can make a property of: letters, digits and underscores, no digit in front.
func featureName(_ name: String) -> String {
    let letters = name.unicodeScalars.map { scalar -> Character in
        scalar.isASCII && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)) ? Character(scalar) : "_"
    }
    let text = String(letters)
    return text.first?.isNumber != false ? "_" + text : text
}
