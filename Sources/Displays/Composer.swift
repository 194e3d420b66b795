import CX11

/// Puts letters together that take several keys, as the user's locale has it: a dead accent and its letter, or what follows
/// the Compose key. The owner of xkbcommon's state; used by one thread at a time.
struct Composer: ~Copyable {
    /// The result of a key.
    enum Step: Hashable {
        /// It is a letter, or does something, by itself.
        case itself
        /// The letter is not complete yet.
        case waiting
        case letter(String)
        /// It made no letter together with those before it.
        case nothing
    }

    private let state: OpaquePointer?

    /// - Parameter locale: `de_DE.UTF-8`; where it has no table of its own, that of English has all the usual letters.
    init(locale: String) {
        let context = xkb_context_new(XKB_CONTEXT_NO_FLAGS)
        defer { xkb_context_unref(context) }
        // What tables have beyond errors in them is nothing to tell the user of.
        xkb_context_set_log_level(context, XKB_LOG_LEVEL_CRITICAL)
        let names = [Self.isUnicode(locale) ? locale : nil, "en_US.UTF-8"].compactMap { $0 }
        let table = names.lazy.compactMap {
            xkb_compose_table_new_from_locale(context, $0, XKB_COMPOSE_COMPILE_NO_FLAGS)
        }.first
        // Without a table every key is what it is.
        state = table.flatMap { xkb_compose_state_new($0, XKB_COMPOSE_STATE_NO_FLAGS) }
        xkb_compose_table_unref(table)
    }

    deinit { xkb_compose_state_unref(state) }

    /// The locale that an environment names for characters: as in POSIX, the first of three variables that is not empty.
    static func locale(in environment: [String: String]) -> String {
        ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty } ?? "C"
    }

    private static func isUnicode(_ locale: String) -> Bool {
        let name = locale.lowercased()
        return name.contains(".utf-8") || name.contains(".utf8")
    }

    func feed(_ symbol: KeySymbol) -> Step {
        guard let state, xkb_compose_state_feed(state, symbol.number) == XKB_COMPOSE_FEED_ACCEPTED else {
            return .itself
        }
        switch xkb_compose_state_get_status(state) {
        case XKB_COMPOSE_COMPOSING: return .waiting
        case XKB_COMPOSE_COMPOSED:
            defer { xkb_compose_state_reset(state) }
            let text = KeySymbol.text(of: 64) { xkb_compose_state_get_utf8(state, $0, $1) }
            return text.map { KeySymbol.isPrintable($0) ? .letter($0) : .nothing } ?? .nothing
        case XKB_COMPOSE_CANCELLED:
            xkb_compose_state_reset(state)
            // Escape, Return and arrows do what they do.
            return symbol.text == nil ? .itself : .nothing
        default: return .itself
        }
    }
}
