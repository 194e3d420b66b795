import Errors
import Foundation
import GRDB

/// Describes errors of the index's files in words.
enum IndexFailure {
    static func reason(_ error: any Error) -> String {
        switch error {
        case let error as DatabaseError:
            switch error.resultCode {
            case .SQLITE_FULL: "the disk is full"
            case .SQLITE_READONLY: "it is read-only"
            case .SQLITE_CANTOPEN: "it cannot be opened"
            case .SQLITE_CORRUPT, .SQLITE_NOTADB: "it is damaged"
            case .SQLITE_BUSY: "another program is writing to it"
            default: error.message ?? "SQLite says \(error.resultCode)"
            }
        case is ByteReader.Damage: "it is damaged"
        case let error as FramegrepError: error.message
        case let error as NSError where error.domain == NSPOSIXErrorDomain:
            String(cString: strerror(Int32(error.code)))
        case let error as CocoaError: error.underlyingReason
        default: "\(error)"
        }
    }
}

extension CocoaError {
    fileprivate var underlyingReason: String {
        if let inner = errorUserInfo[NSUnderlyingErrorKey] as? NSError, inner.domain == NSPOSIXErrorDomain {
            return String(cString: strerror(Int32(inner.code)))
        }
        return localizedDescription
    }
}
