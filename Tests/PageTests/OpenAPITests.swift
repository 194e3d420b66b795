import Foundation
import Testing

@testable import Page

/// The server answers as described in docs/page.openapi.json.
@Suite struct OpenAPITests {
    private typealias Object = [String: Any]

    private static func document() throws -> Object {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let data = try Data(contentsOf: root.appendingPathComponent("docs/page.openapi.json"))
        return try JSONSerialization.jsonObject(with: data) as? Object ?? [:]
    }

    /// Each declared route exists, has a declared status and type, and accepts all of its parameters.
    @Test func whatIsDeclaredIsAnswered() async throws {
        let page = try PageFixture.shared.get()
        let number = try page.number()
        let paths = try #require(try Self.document()["paths"] as? Object)
        #expect(paths.count == 25)
        for (path, methods) in paths {
            guard let get = (methods as? Object)?["get"] as? Object else { continue }
            // There is no redaction here (see PageRedactionTests).
            if path.hasPrefix("/api/redactions") {
                #expect(await page.get(path.replacing("{id}", with: "none")).status == 404, "\(path)")
                continue
            }
            let parameters = get["parameters"] as? [Object] ?? []
            let query = parameters.compactMap { parameter -> String? in
                guard parameter["in"] as? String == "query", let name = parameter["name"] as? String,
                    let example = parameter["example"]
                else { return nil }
                return "\(name)=\(example)"
            }.joined(separator: "&")
            let id = path.contains("sightings") ? "\(number)-1" : number
            let answer = await page.get(path.replacing("{id}", with: id) + "?" + query)
            let responses = try #require(get["responses"] as? Object)
            let declared = try #require(responses["\(answer.status)"] as? Object, "\(path): \(answer.status)")
            // There is no decoder here; declared parameters are understood.
            #expect([200, 500].contains(answer.status), "\(path)?\(query): \(answer.status)")
            if answer.status == 500 { #expect(path.contains(/picture|shape|clip/), "\(path)") }
            let types = try #require(declared["content"] as? Object).keys
            let type = try #require(answer.header("Content-Type")).prefix { $0 != ";" }
            #expect(types.contains(String(type)), "\(path): \(type)")
            #expect(get["security"] != nil || responses["401"] != nil)
            if get["security"] == nil {
                #expect(await page.ask(path, headers: [("Host", "127.0.0.1:8437")]).status == 401, "\(path)")
            }
        }
    }

    /// The lines that are sent have exactly the fields declared for their type.
    @Test func linesHaveTheDeclaredFields() async throws {
        let page = try PageFixture.shared.get()
        let number = try page.number()
        let components = try #require(try Self.document()["components"] as? Object)
        let schemas = try #require(components["schemas"] as? Object)
        for target in [
            "/api/search?q=EXIT&sources=1", "/api/coverage", "/api/sources", "/api/timeline?q=EXIT", "/api/watches",
            "/api/sightings/\(number)-1?q=EXIT",
            "/api/sightings/\(number)-1/boxes?q=EXIT", "/nothing",
        ] {
            let objects = try await page.get(target).objects()
            #expect(!objects.isEmpty)
            for object in objects {
                let type = try #require(object["type"] as? String)
                let schema = try #require(schemas[type] as? Object, "\(type)")
                let known = try #require(schema["properties"] as? Object)
                let required = try #require(schema["required"] as? [String])
                #expect(Set(required).isSubset(of: object.keys), "\(target): \(object.keys)")
                #expect(Set(object.keys).isSubset(of: known.keys), "\(target): \(object.keys)")
            }
        }
    }
}
