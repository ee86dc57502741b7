import CThaw
import Thaw

/// The objects that handles refer to.
///
/// A handle is a number that looks like a pointer but is never dereferenced, because it is not a valid address. Numbers
/// are not reused, so handles that were freed, have another type, or never existed are detected.
final class Handles: @unchecked Sendable {
    static let shared = Handles()

    /// The handle of the error that a forked process receives. Nothing is allocated or locked for it.
    static var forked: OpaquePointer { OpaquePointer(bitPattern: base + 1)! }
    private static var base: UInt { 0x7468_0000_0000_0000 }

    private var objects: [UInt: AnyObject] = [:]
    private var count: UInt = 0
    /// Guards both.
    private let lock = Lock()

    /// A new handle of an object, which stays alive until the handle is freed.
    func add(_ object: AnyObject) -> OpaquePointer {
        lock.withLock {
            count += 1
            let number = Handles.base + count << 4
            objects[number] = object
            return OpaquePointer(bitPattern: number)!
        }
    }

    /// The object that a handle refers to, if it is of this type.
    func find<Object: AnyObject>(_ handle: OpaquePointer?, _ type: Object.Type = Object.self) -> Object? {
        let number = UInt(bitPattern: handle)
        return lock.withLock { objects[number] } as? Object
    }

    /// Removes a handle, and returns its object, if it is of this type. The object is not released under the lock.
    func remove<Object: AnyObject>(_ handle: OpaquePointer?, _ type: Object.Type = Object.self) -> Object? {
        guard find(handle, type) != nil else { return nil }
        let number = UInt(bitPattern: handle)
        return lock.withLock { objects.removeValue(forKey: number) } as? Object
    }
}

/// The object that a handle refers to.
/// - Throws: `Failure` for a handle that is NULL, was freed, or is of another type.
func object<Object: AnyObject>(_ handle: OpaquePointer?, _ name: String) throws -> Object {
    guard let object = Handles.shared.find(handle, Object.self) else {
        throw handle == nil ? Failure.isNull(name) : Failure.invalidHandle(name)
    }
    return object
}

/// Frees a handle, if it is one of this type.
func release<Object: AnyObject>(_ handle: OpaquePointer?, as type: Object.Type) {
    guard handle != nil, thaw_enter_call() else { return }
    defer { thaw_leave_call() }
    _ = Handles.shared.remove(handle, type)
}
