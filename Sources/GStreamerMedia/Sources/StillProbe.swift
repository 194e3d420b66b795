import Errors
import TextSpotting

/// Looks at a still picture that GStreamer's discoverer cannot: one that gdk-pixbuf reads, or that nothing does.
struct StillProbe {
    let source: SourceURI
    let header: PictureHeader

    /// Decodes it once, so that an unreadable picture is reported before anything else begins.
    ///
    /// - Throws: ``FramegrepError`` (`missingPlugin`, `sourceNotVideo`, `sourceDamaged`).
    func examine(within timeout: Duration) async throws -> MediaInfo {
        let name = "“\(source.redacted)”"
        guard header.format.decoding == .pixbuf else {
            throw FramegrepError(
                .sourceNotVideo,
                "\(name) is \(header.format.name), and nothing that is installed reads that. \(header.format.advice)"
            )
        }
        if let error = try await failure(within: timeout) {
            guard error.code != .missingPlugin else { throw error }
            guard header.format.needsLoader else {
                throw FramegrepError(
                    .sourceDamaged, "\(name) is damaged or cut short: it begins like \(header.format.name).")
            }
            let help = header.format.package.map { "Install the Debian package \($0), or convert it" } ?? "Convert it"
            throw FramegrepError(
                .missingPlugin,
                "\(name) is \(header.format.name), which nothing that is installed reads, or is damaged. \(help), to PNG for one."
            )
        }
        return .still(header)
    }

    /// Why it cannot be decoded; nil if it can.
    private func failure(within timeout: Duration) async throws -> FramegrepError? {
        let pipeline = try Pipeline(
            parsing: "\(PixbufDecoding.elements(source.text)) ! appsink name=\(Pipeline.framesName)")
        do {
            _ = try await pipeline.prepare(timeout: timeout)
            await pipeline.stop()
            return pipeline.bus.firstFailure
        } catch let error as FramegrepError {
            await pipeline.stop()
            return error
        } catch {
            await pipeline.stop()
            throw error
        }
    }
}

/// How gdk-pixbuf is asked to decode.
public enum PixbufDecoding {
    /// The element has the caps of few formats, but looks at the bytes itself: any of its caps will do.
    ///
    /// - Parameter uri: of a file; an address has no character that a description takes for something else.
    public static func elements(_ uri: String) -> String {
        // What has no signature stops the usual source, which looks for one.
        let source = uri.lowercased().hasSuffix(".tga") ? "giosrc location" : "urisourcebin uri"
        return "\(source)=\"\(uri)\" ! capssetter join=false replace=true caps=image/bmp ! gdkpixbufdec"
    }
}
