import Errors
import TextSpotting

/// Why a request is not answered as it wished: a status of HTTP and one sentence.
struct PageProblem: Error, Sendable {
    var status: Int
    var message: String
    var headers: [(name: String, value: String)] = []

    init(_ status: Int, _ message: String, headers: [(name: String, value: String)] = []) {
        self.status = status
        self.message = message
        self.headers = headers
    }

    /// Converts any error to an answer.
    init(of error: any Error) {
        switch error {
        case let problem as PageProblem: self = problem
        case let error as FramegrepError: self.init(500, error.message)
        case is CancellationError: self.init(503, "The request was given up.")
        default: self.init(500, "Something went wrong that should not: \(error).")
        }
    }

    var response: PageResponse {
        var response = PageResponse.json(Self.object(message), status: status)
        response.headers += headers
        return response
    }

    /// The object that says what went wrong, also at the end of lines that had begun well.
    static func object(_ message: String) -> String {
        var object = JSONObject(type: "error")
        object.add("message", message)
        return object.text
    }
}
