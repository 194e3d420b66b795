/// The orders of letters and digits on license plates, by country.
///
/// The Vienna Convention on Road Traffic (annex 2) requires Arabic digits and capital Latin letters; Korea, China,
/// Japan and Russia add letters of their own script. An order is written like a plate: `L` is a letter, `9` a digit,
/// `X` either, `H` a German suffix (E, electric, or H, historic), `#` an ideograph or a syllable, `?` any character
/// that a reader may return for a letter that it does not know. `{a,b}` repeats the item before it. Groups may be
/// separated between a letter and a digit, and at a space. An order with `_` counts only with a gap or a mark there,
/// and one with `-` only with a mark, because otherwise it would be an ordinary word or number. An order that begins
/// with `~` is so ordinary that it counts for hiding only. `:4-8` bounds the number of characters.
enum PlateOrders {
    /// The orders by country; after a bar, the rules of the issuing authority, as far as it publishes them. The first
    /// entry, `*`, has the families that many countries share: they count with and without marks.
    private static let table = """
        *  L{1,3}9{1,4}L{1,3}:5-7, L{2,3}9{3,6}:5-9, L{1,3}_L{1,2}9{2,4}:4-9, 9{3,4}LLL:6-7,
           9{1,3}L{1,3}9{1,4}:5-10, LL99L{1,2}9999:9-10, L999LL9{2,3}:8-9, LLL9L99:7-7, 9L9_9999:7-7,
           9{2,3}#9999:7-8, #LX{5,6}:7-8  | what the countries below have in common
        AT L{1,2} 9{1,5} L{1,3}:5-9, ~L{1,2} L{1,3} 9{2,5}  | KFG 1967, § 48
        BE 9-LLL-999, LLL-999, 999-LLL, ~9-LLLL-99  | royal decree of 20 July 2001
        BG L{1,2} 9999 LL  | Ordinance I-45 of 2000
        CH LL 9{3,6}, ~LL 9{1,2}  | VZV (SR 741.51), art. 84
        CY LLL 999  | Road Transport Department
        CZ 9L9_9999, 9LL_9999, ~LLL 99 99, ~XXXXX XX  | Decree 343/2014, annex 10
        DE L{1,3}_L{1,2} 9{2,4}:4-8, L{1,3}-L 9:4-5, ~L{1,3} L{1,2} 9, L{1,3}_L{1,2} 9{1,4}H:5-9,
           ~L{1,3} L{1,2} 9{1,4}H  | FZV 2023, annexes 2 and 4
        DK LL 99 999, LL 9{4,5}  | Motorstyrelsen, order 1173 of 2022
        EE 999 LLL, ~99 LLL  | Transpordiamet
        ES 9999 LLL, L{1,2}-9999-L{1,2}  | Reglamento General de Vehículos, annex XVIII
        FI LLL-999, ~LLL 9{1,2}, ~LL 9{1,3}  | Traficom, decree 893/2007
        FR LL-999-LL, 9{1,4} L{1,3} 99:5-9  | arrêté du 9 février 2009
        GR LLL-9999, ~LLL 9{1,3}  | Ministry of Infrastructure and Transport
        HR LL 9{3,4}-L{1,2}  | Official Gazette 151/2008
        HU LLL-999, LL LL-999, ~LLLL 99  | Decree 326/2011
        IE 99-L{1,2}-9{1,6}:4-10, 999-L{1,2}-9{1,6}:5-11  | S.I. 318/1992 and 542/2012
        IS LL 999, ~LL L99  | Regulation 751/2003
        IT LL 999 LL, LL 9{5,6}  | D.P.R. 495/1992, art. 255
        LT LLL 999, LL 9999  | Regitra
        LU LL 9999, ~99 999  | Règlement grand-ducal of 17 June 2003
        LV LL-9{3,4}, ~LL 9{1,2}  | CSDD
        MT LLL 999  | Transport Malta
        NL LL-99-99, 99-99-LL, 99-LL-99, LL-99-LL, LL-LL-99, 99-LL-LL, 99-LLL-9, 9-LLL-99, LL-999-L, L-999-LL,
           LLL-99-L, L-99-LLL, 9-LL-999, 999-LL-9  | RDW, Regeling kentekens en kentekenplaten, sidecodes 1 to 14
        NO LL 9{4,5}  | kjøretøyforskriften § 2-18
        PL L{2,3} 9{4,5}, LL 9999L, LL 999LL, LL 9L999, LL 9LL99, ~LLL L999, LLL 99LL, LLL 9L99, LLL 99L9,
           LLL 9LL9, ~LLL LL99, LLL 9999L, LLL 999LL, ~L9 XXXX, ~L9 XXXXX  | Dz.U. 2022 poz. 1847
        PT LL-99-LL, 99-99-LL, 99-LL-99, LL-99-99  | Decreto-Lei 54/2005
        RO LL 99 LLL, L 9{2,3} LLL, LL 9{3,6}, ~L 9{3,6}  | OMAI 1501/2006
        RS LL 9{3,4}-LL, LL-9{3,4}-LL  | Pravilnik o registraciji motornih vozila
        SE LLL 999, LLL 99L  | Transportstyrelsen, TSFS 2015:63
        SI LL LL-999, LL 99-LLL, ~LL XX XXX  | Pravilnik o registraciji motornih vozil
        SK LL 999 LL  | Act 8/2009, decree 9/2009
        UK LL99 LLL, L9{1,3} LLL:5-7, LLL 9{1,3}L:5-7, ~L{1,3} 9{1,4}, ~9{1,4} L{1,3}  | DVLA, INF104 and V796
        UA LL 9999 LL  | DSTU 4278:2019
        RU L999LL 9{2,3}, LL 999 9{2,3}, 9999 LL 99  | GOST R 50577-2018
        BY 9999 LL-9  | STB 914-99
        TR 99 L{1,3} 9{2,4}:6-9  | Karayolları Trafik Yönetmeliği, art. 53
        US 9LLL999, LLL-9999, LLL 999, 999 LLL, LL9 9LL, LLL 99L, L99 9LL, L99-LLL, 9LL_LL9, 9L LL99, 9LL 999,
           LL 99999, 99L 999, 999-LLL, L99 99L, 9L9999L, 9-L9999, 9LL L99, ~LLL L99, ~L9{2,3} 9{3,4}, ~XXX XXXX,
           ~9{1,4} L{2,3}  | AAMVA, License Plate Standard; the states' departments of motor vehicles
        CA LL9 99L, L99 LLL, LLL-9999, LLL 999, 999 LLL, LLL 9L9, ~LLLL 999  | the provinces' ministries of transport
        MX LLL-99-99, LLL-999-L, L99-LLL, LL-9999-L  | NOM-001-SCT-2-2016
        AR LL 999 LL, LLL 999  | DNRPA
        BR LLL-9999, LLL9L99  | CONTRAN 969/2022
        CL LL-LL-99, LL-9999, ~LL LL 99  | Ley 18.290
        AU LLL-99L, LL-99-LL, 9LL 9LL, LLL 999, 999-LLL, 9LLL 999  | the states' road authorities
        NZ LLL999, LL9999  | Waka Kotahi
        ZA LLL 999 LL, LL 999-999, ~LL 99 LL LL  | National Road Traffic Act 93 of 1996
        IN LL 99 L{1,3} 9999, 99 LL 9999 L{1,2}  | Central Motor Vehicles Rules 1989, rule 50
        JP #{1,4} XX{1,2} ? 99-99, #{1,4} 9{2,3} ? 9{1,4}, ~#{1,4} 9{2,3}, ~? 99 99, ~99-99
           | Road Transport Vehicle Act, regulations, annex 1
        KR 9{2,3} # 9999, ## 99 # 9999  | MOLIT notice on registration plates
        CN #L X{5,6}, #L X{4}#  | GA 36-2018
        TW LLL-9999, 9999-LL, LL-9999  | Road Traffic Security Rules, art. 11
        HK ~LL 9{1,4}  | Cap. 374E
        SG L{2,3} 9{1,4} L:5-8  | LTA, Road Traffic Rules
        MY ~L{1,3} 9{1,4}, LL 9{1,4} L:5-7  | JPJ
        ID L{1,2} 9{1,4} L{1,3}:6-9  | Perpol 7/2021
        VN 99L-999.99, 99LL-999.99, 99L9-999.99, 99L-9999  | Circular 24/2023/TT-BCA
        AE ~L 9{4,5}, ~99 9{4,5}  | RTA
        IL ~99-999-99, ~999-99-999  | Ministry of Transport
        """

    /// The orders that are found within other text, by their number of characters.
    static let byLength = Dictionary(grouping: all.filter { !$0.isForHidingOnly }) { $0.places.count }

    /// All orders, by their number of characters.
    static let forHidingByLength = Dictionary(grouping: all) { $0.places.count }

    private static let all: [PlateOrder] = {
        var seen = Set<PlateOrder>()
        let orders = table.split(separator: "\n").map { $0.dropFirst(3).prefix { $0 != "|" } }
        return PlateOrder.all(parsing: orders.joined(separator: ",")).filter { seen.insert($0).inserted }
    }()
}

/// One order of letters and digits, which can be compared with a text.
struct PlateOrder: Hashable, Sendable {
    enum Place: Sendable { case letter, digit, either, suffix, local, any }

    private(set) var places: [Place] = []
    /// Whether it is too ordinary to count within other text.
    private(set) var isForHidingOnly = false
    /// The places at which groups may be separated, besides those where letters meet digits.
    private var gaps: Set<Int> = []
    /// The places at which they must be separated for the order to count within other text: by a gap or a mark, and by
    /// a mark.
    private var neededGaps: Set<Int> = []
    private var neededMarks: Set<Int> = []

    /// The least number of digits that it has.
    private var digits: Int { places.count { $0 == .digit } }

    // MARK: Fitting

    /// Returns the number of `scalars` that must have been misread for this order; nil if they do not fit it.
    ///
    /// - Parameters:
    ///   - groups: the indices before which there is a gap or a mark.
    ///   - marks: the indices before which there is a mark.
    func misreadings(_ scalars: [Unicode.Scalar], groups: Set<Int>, marks: Set<Int>) -> Int? {
        guard scalars.count == places.count, neededMarks.isSubset(of: marks), neededGaps.isSubset(of: groups),
            groups.allSatisfy(mayPart)
        else { return nil }
        var sum = 0
        for (index, (scalar, place)) in zip(scalars, places).enumerated() {
            guard let one = Self.misreadings(scalar, at: place) else { return nil }
            // A neighbor of the same kind must have been read: the I of COVID-19 is not a digit.
            guard one == 0 || isSure(index - 1, as: place, scalars) || isSure(index + 1, as: place, scalars) else {
                return nil
            }
            sum += one
        }
        return sum
    }

    /// Does the same for hiding: with separators anywhere, and with all characters that can be confused.
    func looseMisreadings(_ scalars: [Unicode.Scalar]) -> Int? {
        guard scalars.count == places.count else { return nil }
        var sum = 0
        for (scalar, place) in zip(scalars, places) {
            guard let one = Self.looseMisreadings(scalar, at: place) else { return nil }
            sum += one
        }
        return sum
    }

    private func mayPart(_ index: Int) -> Bool {
        places[index] != places[index - 1] || places[index] == .either || gaps.contains(index)
    }

    /// Returns whether the place at `index` is of the same kind and was read as such.
    private func isSure(_ index: Int, as place: Place, _ scalars: [Unicode.Scalar]) -> Bool {
        places.indices.contains(index) && places[index] == place
            && Self.misreadings(scalars[index], at: place) == 0
    }

    /// Returns whether enough digits were read, including those that may have been misread as letters.
    func hasDigits(_ count: Int, misread: Int) -> Bool { count >= min(2, digits) - misread }

    /// Returns the misreadings that it takes for `read` to fit `place`: 0 if it fits, 1 if it resembles a character
    /// that does; nil otherwise.
    private static func misreadings(_ read: Unicode.Scalar, at place: Place) -> Int? {
        switch place {
        case .letter:
            if ("A"..."Z").contains(read) || isCyrillic(read) { return 0 }
            return "012568".unicodeScalars.contains(read) ? 1 : nil
        case .digit:
            if ("0"..."9").contains(read) { return 0 }
            return "OQDoILil|ZzSsGB".unicodeScalars.contains(read) ? 1 : nil
        case .either:
            return ("0"..."9").contains(read) || ("A"..."Z").contains(read) ? 0 : nil
        case .suffix:
            return read == "E" || read == "H" ? 0 : nil
        case .local:
            return isLocal(read) ? 0 : nil
        case .any:
            return read.properties.isAlphabetic ? 0 : nil
        }
    }

    private static func looseMisreadings(_ read: Unicode.Scalar, at place: Place) -> Int? {
        if let known = misreadings(read, at: place) { return known }
        return switch place {
        case .letter: ("0"..."9").contains(read) ? 1 : nil
        case .digit: "AbCgJPTUqt".unicodeScalars.contains(read) ? 1 : nil
        case .suffix: "FBN".unicodeScalars.contains(read) ? 1 : nil
        default: nil
        }
    }

    /// Returns whether it is a Hangul syllable, an ideograph or kana.
    static func isLocal(_ scalar: Unicode.Scalar) -> Bool {
        (0xAC00...0xD7A3).contains(scalar.value) || (0x3041...0x30FF).contains(scalar.value)
            || FoldedLine.isIdeograph(scalar.value)
    }

    static func isCyrillic(_ scalar: Unicode.Scalar) -> Bool { (0x410...0x42F).contains(scalar.value) }

    // MARK: Reading the table

    /// Returns the orders in a text of the table, with each repetition expanded. `:a-b` after one bounds its length.
    static func all(parsing text: String) -> [PlateOrder] {
        text.split(separator: ",").map { $0.split(separator: " ").joined(separator: " ") }.reduce(into: [String]()) {
            parts, part in
            // The comma of `{a,b}` is not a separator.
            if let last = parts.last, last.count(where: { $0 == "{" }) > last.count(where: { $0 == "}" }) {
                parts[parts.count - 1] = "\(last),\(part)"
            } else {
                parts.append(part)
            }
        }.flatMap(orders)
    }

    private static func orders(_ text: String) -> [PlateOrder] {
        let parts = text.split(separator: ":")
        let bounds = parts.count > 1 ? parts[1].split(separator: "-").compactMap { Int($0) } : []
        let lengths = bounds.count == 2 ? bounds[0]...bounds[1] : 1...12
        var (first, rest) = (PlateOrder(), parts[0])
        if rest.first == "~" {
            first.isForHidingOnly = true
            rest.removeFirst()
        }
        var found = [first]
        while let symbol = rest.popFirst() {
            guard let place = place(symbol) else {
                found = found.map { $0.parted(by: symbol) }
                continue
            }
            var counts = 1...1
            if rest.first == "{", let end = rest.firstIndex(of: "}") {
                let numbers = rest[..<end].dropFirst().split(separator: ",").compactMap { Int($0) }
                if let least = numbers.first, let most = numbers.last { counts = least...most }
                rest = rest[rest.index(after: end)...]
            }
            found = found.flatMap { order in
                counts.map { count in
                    var order = order
                    order.places += [Place](repeating: place, count: count)
                    return order
                }
            }
        }
        return found.filter { lengths.contains($0.places.count) }
    }

    private func parted(by symbol: Character) -> PlateOrder {
        var order = self
        order.gaps.insert(places.count)
        if symbol == "_" { order.neededGaps.insert(places.count) }
        if symbol == "-" { order.neededMarks.insert(places.count) }
        return order
    }

    private static func place(_ symbol: Character) -> Place? {
        switch symbol {
        case "L": .letter
        case "9": .digit
        case "X": .either
        case "H": .suffix
        case "#": .local
        case "?": .any
        default: nil
        }
    }
}
