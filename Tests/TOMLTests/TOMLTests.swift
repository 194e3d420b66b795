import TOML
import Testing

/// Reads documents, and says why a text is not one.
struct TOMLTests {
    /// A value in one line, so that tables of tests can be read.
    private static func text(_ value: TOMLValue) -> String {
        switch value.content {
        case .string(let text): "'\(text)'"
        case .integer(let number): "\(number)"
        case .float(let number): "~\(number)"
        case .boolean(let isTrue): "\(isTrue)"
        case .array(let values): "[" + values.map(text).joined(separator: " ") + "]"
        case .table(let table): text(table)
        }
    }

    private static func text(_ table: TOMLTable) -> String {
        "{" + table.entries.map { "\($0.key)=\(text($0.value))" }.joined(separator: " ") + "}"
    }

    @Test(arguments: [
        ("a = 1\nb=\"x\"", "{a=1 b='x'}"),
        ("# only words\n\n  ", "{}"),
        ("a = 'C:\\new' # kept", "{a='C:\\new'}"),
        ("a = \"tab\\t quote\\\" \\u00e9 \\U0001F600\"", "{a='tab\t quote\" é 😀'}"),
        ("a = \"\"\"\none\n  two \\\n   three\"\"\"", "{a='one\n  two three'}"),
        ("a = '''it's'''''", "{a='it's'''}"),
        ("a = [1, 0x1F, 0o17, 0b11, 1_000, -7]", "{a=[1 31 15 3 1000 -7]}"),
        ("a = [1.5, -0.5e3, 2e2, inf]", "{a=[~1.5 ~-500.0 ~200.0 ~inf]}"),
        ("a = [\n  'x', # first\n  'y',\n]", "{a=['x' 'y']}"),
        ("a = { b = 1, c.d = true }", "{a={b=1 c={d=true}}}"),
        ("a.b.c = 1\na.b.d = 2", "{a={b={c=1 d=2}}}"),
        ("[a.b]\nc = 1\n[a]\nd = 2", "{a={b={c=1} d=2}}"),
        ("x = 1\n[[s]]\nn = 'a'\n[[s]]\nn = 'b'\n[s.t]\nm = 3", "{x=1 s=[{n='a'} {n='b' t={m=3}}]}"),
        ("\"a b\" = 1\n'c.d' = 2\r\n1 = 3", "{a b=1 c.d=2 1=3}"),
    ])
    func isRead(document: String, expected: String) throws {
        #expect(Self.text(try TOMLDocument.read(document)) == expected)
    }

    @Test(arguments: [
        ("a = 1\na = 2", 2, "twice"),
        ("\n\nwords = EXIT", 3, "quotes"),
        ("a =", 1, "missing"),
        ("a", 1, "'='"),
        ("a = \"x", 1, "quote is missing"),
        ("b = 1\na = [1,\n2", 2, "does not end"),
        ("a = [1\n2]", 2, "begins in line 1 needs ','"),
        ("a = 1 b = 2", 1, "one key"),
        ("[a\nb = 1", 1, "']'"),
        ("[a]\n[a]", 2, "already"),
        ("a = 1\n[a.b]", 2, "already"),
        ("a = [1]\n[[a]]", 2, "already"),
        ("a = 2026-11-22", 1, "date"),
        ("a = 07:32", 1, "date or a time"),
        ("a = 012", 1, "not a value"),
        ("a = 1__0", 1, "not a value"),
        ("a = \"\\d\"", 1, "backslash"),
        ("a = \"\\ud800\"", 1, "hexadecimal"),
        ("a = { b = 1,\n c = 2 }", 1, "key"),
        ("= 1", 1, "key"),
    ])
    func isRefused(document: String, line: Int, reason: String) {
        do {
            let table = try TOMLDocument.read(document)
            Issue.record("\(document) was read as \(Self.text(table))")
        } catch {
            #expect(error.line == line && error.message.contains(reason), "\(error)")
        }
    }

    @Test func everythingKnowsItsLine() throws {
        let table = try TOMLDocument.read("a = 1\n\n[[s]]\nb = [\n  'x',\n  'y',\n]\n")
        #expect(table.entries.map(\.line) == [1, 3])
        guard case .array(let tables) = table["s"]?.content, case .table(let s) = tables[0].content,
            case .array(let values) = s["b"]?.content
        else {
            Issue.record("\(table)")
            return
        }
        #expect(s.line == 3 && s.entries[0].line == 4 && values.map(\.line) == [5, 6])
    }

    @Test func listsInListsEnd() throws {
        let deep = "a = " + String(repeating: "[", count: 100_000)
        #expect(throws: TOMLError.self) { try TOMLDocument.read(deep) }
    }

    /// Tables in tables, each of which takes some of the stack.
    @Test(arguments: ["KEY = 1", "[KEY]\na = 1", "[[KEY]]\na = 1", "a = { KEY = 1 }"])
    func keysOfManyPartsEnd(form: String) throws {
        let key = Array(repeating: "a", count: 100_000).joined(separator: ".")
        let error = #expect(throws: TOMLError.self) { try TOMLDocument.read(form.replacing("KEY", with: key)) }
        #expect(error?.message.contains("32 parts") == true)
        let most = Array(repeating: "a", count: 32).joined(separator: ".")
        _ = try TOMLDocument.read(form.replacing("KEY", with: most))
    }

    @Test func manyTablesOfOneNameTakeLittleTime() throws {
        let table = try TOMLDocument.read(String(repeating: "[[s]]\n", count: 100_000))
        guard case .array(let tables) = table["s"]?.content else {
            Issue.record("s is no list")
            return
        }
        #expect(tables.count == 100_000)
    }
}
