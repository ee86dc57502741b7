import Kernels

/// The memory layout of a value.
///
/// - *plain*: the layout of the tensor itself, without gaps. Every value of any type can have it.
/// - *rows*: an image, channels last, with a border of zeros. First layers read it, because a row of the window is one
///   contiguous run. Its values have the kernels' type.
/// - *blocked*: an image in planes of some channels with a border of zeros, as the kernel table defines it.
enum LayoutKind: Hashable { case plain, rows, blocked }

/// The border of zeros around an image. A window that extends past the edge finds its padding there.
struct Halo: Hashable {
    var top = 0
    var bottom = 0
    var left = 0
    var right = 0

    init(top: Int = 0, bottom: Int = 0, left: Int = 0, right: Int = 0) {
        self.top = top
        self.bottom = bottom
        self.left = left
        self.right = right
    }

    /// The part outside the image that a window reads.
    init(_ window: Window) {
        self.init(
            top: window.height.before, bottom: window.height.after, left: window.width.before,
            right: window.width.after)
    }

    /// A halo large enough for both.
    func union(_ other: Halo) -> Halo {
        Halo(
            top: max(top, other.top), bottom: max(bottom, other.bottom), left: max(left, other.left),
            right: max(right, other.right))
    }

    static func + (a: Halo, b: Halo) -> Halo {
        Halo(top: a.top + b.top, bottom: a.bottom + b.bottom, left: a.left + b.left, right: a.right + b.right)
    }
}

/// The location of a value: its buffer, and how to find a pixel in it. Strides and offsets are in bytes.
///
/// A value that is not an image counts as images of 1×1 pixels: its last axis is the channel axis, all others count
/// images.
struct Location: Hashable {
    var slot: Int
    var kind: LayoutKind
    /// The type of the values in memory.
    var element: ElementType
    /// The number of channels in a block. Also set for a value without blocks, as the number that its kernels process
    /// at once. A power of two.
    var blockWidth: Int
    var images: Int
    var height: Int
    var width: Int
    var channels: Int
    var halo = Halo()
    /// The value of the border: the quantized zero, for a quantized image.
    var borderByte: UInt8 = 0
    /// For a value inside the memory of a larger one: its first block there, and the number of blocks of the larger
    /// value.
    var firstBlock = 0
    var wholeBlocks: Int?

    init(_ type: TensorType, slot: Int, kind: LayoutKind, kernels: any KernelTable.Type, halo: Halo = Halo()) {
        self.slot = slot
        self.kind = kind
        self.halo = halo
        element = kind != .plain && type.element == .float32 ? ElementType(kernels.valueType) : type.element
        blockWidth = kernels.blockWidth
        let shape = type.shape
        channels = shape.last ?? 1
        if shape.rank == 4 {
            (images, height, width) = (shape[0], shape[1], shape[2])
        } else {
            (images, height, width) = (shape.dropLast().reduce(1, *), 1, 1)
        }
    }

    /// Steps ask for this often, and a division takes long.
    var blocks: Int { (channels + blockWidth - 1) >> blockWidth.trailingZeroBitCount }
    var pixels: Int { height * width }
    /// The bytes of a block's channels.
    var blockBytes: Int { blockWidth * element.size }
    var pixelStride: Int { kind == .blocked ? blockBytes : channels * element.size }
    var rowStride: Int { (halo.left + width + halo.right) * pixelStride }
    var rowCount: Int { halo.top + height + halo.bottom }
    /// The distance from one block of channels to the next.
    var blockStride: Int { kind == .blocked ? rowCount * rowStride : blockBytes }
    var imageStride: Int { rowCount * rowStride * (kind == .blocked ? wholeBlocks ?? blocks : 1) }
    /// The offset of the first pixel.
    var origin: Int { halo.top * rowStride + halo.left * pixelStride }
    var byteCount: Int { images * imageStride }

    /// The same memory seen as an image that includes part of its halo.
    func absorbing(_ border: Halo) -> Location {
        var location = self
        location.height += border.top + border.bottom
        location.width += border.left + border.right
        location.halo = Halo(
            top: halo.top - border.top, bottom: halo.bottom - border.bottom, left: halo.left - border.left,
            right: halo.right - border.right)
        return location
    }
}

extension ElementType {
    fileprivate init(_ type: BlockedValueType) {
        switch type {
        case .float32: self = .float32
        case .bfloat16: self = .bfloat16
        }
    }
}
