import Errors
import Foundation
import GStreamerMedia
import TestSupport
import Testing
import TextSpotting

/// Still pictures of all kinds: read, or refused with the right reason.
@Suite(.serialized, .timeLimit(.minutes(5))) struct StillFormatsTests {
    private let find = ["find", "--engine", "tesseract", "--language", "eng"]
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try KnownClip(width: 400, height: 120, words: [KnownWord(text: "GATE", x: 40, y: 30, frames: 0..<1)])
            .picture(0).writePNG(to: folder.file("gate.png"))
    }

    private func make(_ name: String, _ options: String...) async throws {
        let ffmpeg = try #require(Tool("ffmpeg"))
        let made = try await ffmpeg.run(["-v", "error", "-i", folder.file("gate.png")] + options + [folder.file(name)])
        #expect(made.status == 0, "\(made)")
    }

    @Test(.enabled(if: Tool.exists("ffmpeg"))) func stillsThatPixbufReads() async throws {
        try #require(MediaRuntime.hasElement("gdkpixbufdec"))
        try await make("gate.bmp")
        try await make("gate.tiff")
        try await make("deep.tiff", "-pix_fmt", "rgb48le")
        try await make("deep.png", "-pix_fmt", "rgb48be")
        try await make("gate.jp2")
        try await make("gate.tga", "-rle", "0", "-pix_fmt", "bgr24")
        try await make("packed.tga", "-pix_fmt", "bgr24")
        let packed = try await Framegrep.run(find + ["GATE", "packed.tga"], in: folder.path)
        #expect(packed.status == 2 && packed.stderr.contains("compressed or gray TGA picture"), "\(packed)")
        let names = ["gate.bmp", "gate.tiff", "deep.tiff", "deep.png", "gate.jp2", "gate.tga"]
        let outcome = try await Framegrep.run(find + ["GATE"] + names, in: folder.path)
        #expect(outcome.status == 0 && outcome.stderr == "", "\(outcome)")
        // A still picture has no times.
        #expect(outcome.lines == names.map { "\($0): GATE" })
        let json = try await Framegrep.run(find + ["GATE", "gate.bmp", "--format", "jsonl"], in: folder.path)
        #expect(json.objects.first?["start"] as? Double == 0 && (json.objects.first?["end"] as? Double ?? 0) > 0)
        // From a server, where their headers cannot be examined.
        let server = try PageServer()
        for name in ["gate.bmp", "gate.tiff"] {
            let data = try Data(contentsOf: URL(fileURLWithPath: folder.file(name)))
            server.put(.data(data, type: "application/octet-stream"), at: "/" + name)
            let far = try await Framegrep.run(find + ["GATE", server.address("/" + name)])
            #expect(far.status == 0 && far.stderr == "", "\(far)")
        }
        let saved = try await Framegrep.run(find + ["GATE", "gate.bmp", "--save-frames", "found"], in: folder.path)
        #expect(saved.status == 0 && saved.stderr == "", "\(saved)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.file("found")).count == 1)
        let live = try await Framegrep.run(
            ["live", "--headless", "--engine", "tesseract", "GATE", folder.file("gate.bmp")])
        #expect(live.status == 0, "\(live)")
    }

    /// Colors are those of the file, even with 16 bits per channel, for which GStreamer's own decoder changes them.
    @Test(.enabled(if: Tool.exists("ffmpeg"))) func colorsOf16BitsStay() async throws {
        try #require(MediaRuntime.hasElement("gdkpixbufdec"))
        let color = "pad=iw:ih+40:0:40:color=0xC8281E"
        try await make("flat.png", "-vf", color)
        try await make("deep.png", "-vf", color, "-pix_fmt", "rgb48be")
        for name in ["flat.png", "deep.png"] {
            let saved = try await Framegrep.run(find + ["GATE", name, "--save-frames", "found"], in: folder.path)
            #expect(saved.status == 0 && saved.stderr == "", "\(saved)")
            let copy = "copy-" + name
            let hidden = try await Framegrep.run(
                ["redact", "--engine", "tesseract", "--language", "eng", "GATE", name, "-o", copy], in: folder.path)
            #expect(hidden.status == 0, "\(hidden)")
            try await expectRed(copy)
        }
        let pictures = try FileManager.default.contentsOfDirectory(atPath: folder.file("found"))
        #expect(pictures.count == 2)
        for picture in pictures {
            try await expectRed("found/" + picture)
        }
    }

    /// A pixel near the upper left is red, to one of 256 levels.
    private func expectRed(_ name: String) async throws {
        let ffmpeg = try #require(Tool("ffmpeg"))
        let raw = folder.file("corner.rgb")
        let made = try await ffmpeg.run([
            "-y", "-v", "error", "-i", folder.file(name), "-vf", "crop=1:1:4:4", "-pix_fmt", "rgb24", "-f", "rawvideo",
            raw,
        ])
        #expect(made.status == 0, "\(made)")
        let color = try Data(contentsOf: URL(fileURLWithPath: raw)).map(Int.init)
        #expect(zip(color, [0xC8, 0x28, 0x1E]).count { abs($0 - $1) <= 1 } == 3, "\(name): \(color)")
    }

    /// Transparent pictures are shown as usual: black text is laid on white. White text would be lost there, but is
    /// not.
    @Test(.enabled(if: Tool.exists("ffmpeg")), arguments: ["black", "white", "navy"])
    func textOnTransparentGround(color: String) async throws {
        let ffmpeg = try #require(Tool("ffmpeg"))
        for (name, options) in [
            ("through.png", ["-pix_fmt", "rgba"]), ("deep.png", ["-pix_fmt", "rgba64be"]),
            ("through.webp", ["-c:v", "libwebp", "-pix_fmt", "bgra"]),
        ] {
            let drawing = [
                "-v", "error", "-i", folder.file("gate.png"), "-filter_complex",
                "[0]format=gray,negate,lut=c0=if(lt(val\\,60)\\,0\\,val)[a];color=\(color):s=400x120,format=rgb24[c];"
                    + "[c][a]alphamerge", "-frames:v", "1",
            ]
            let made = try await ffmpeg.run(drawing + options + [folder.file(name)])
            #expect(made.status == 0, "\(made)")
            let outcome = try await Framegrep.run(find + ["GATE", name, "--save-frames", "seen"], in: folder.path)
            #expect(outcome.status == 0 && outcome.stdout == "\(name): GATE\n", "\(outcome)")
        }
    }

    /// Text that makes no sense as it is is also read upside down and mirrored, and is found at its place.
    @Test(.enabled(if: Tool.exists("ffmpeg")), arguments: [("head.png", "hflip,vflip"), ("mirror.png", "hflip")])
    func textThatIsTurned(name: String, filter: String) async throws {
        let clip = KnownClip(
            width: 600, height: 300,
            words: [
                KnownWord(text: "Platform closed", x: 40, y: 30, frames: 0..<1),
                KnownWord(text: "GATE DELAYED", x: 40, y: 160, frames: 0..<1),
            ])
        try clip.picture(0).writePNG(to: folder.file("sign.png"))
        let ffmpeg = try #require(Tool("ffmpeg"))
        let made = try await ffmpeg.run([
            "-v", "error", "-i", folder.file("sign.png"), "-vf", filter, folder.file(name),
        ])
        #expect(made.status == 0, "\(made)")
        let outcome = try await Framegrep.run(find + ["DELAYED", name, "--format", "jsonl"], in: folder.path)
        let sighting = try #require(outcome.objects.first, "\(outcome)")
        #expect(outcome.objects.count == 1 && sighting["text"] as? String == "DELAYED", "\(outcome)")
        let peak = try #require(sighting["peak"] as? [String: Any])
        let upright = try #require(try clip.place(of: "DELAYED", inFrame: 0))
        let y = filter.contains("vflip") ? 300 - upright.maxY : upright.minY
        let place = Rect(x: 600 - upright.maxX, y: y, width: upright.width, height: upright.height)
        #expect(try #require(boundsOf(peak["quad"])).overlap(place) > 0.6, "\(outcome)")
        // Upright text is found once, and is not read as another word.
        let whole = try await Framegrep.run(find + ["-c", "DELAYED", "sign.png"], in: folder.path)
        #expect(whole.stdout == "1\n", "\(whole)")
        let absent = try await Framegrep.run(find + ["elevator", name], in: folder.path)
        #expect(absent.status == 1 && absent.stdout == "", "\(absent)")
    }

    @Test(.enabled(if: Tool.exists("convert"))) func aPictureInTheColorsOfPrinting() async throws {
        let convert = try #require(Tool("convert"))
        let made = try await convert.run([folder.file("gate.png"), "-colorspace", "CMYK", folder.file("cmyk.jpg")])
        guard made.status == 0, PictureHeader(fileAt: folder.file("cmyk.jpg"))?.format == .cmykJPEG else { return }
        let outcome = try await Framegrep.run(find + ["GATE", "cmyk.jpg"], in: folder.path)
        #expect(outcome.status == 0 && outcome.stdout == "cmyk.jpg: GATE\n", "\(outcome)")
    }

    @Test(arguments: [
        ("photo.heic", "ftypheic", "heif-gdk-pixbuf"), ("photo.avif", "ftypavif", "libavif-gdk-pixbuf"),
    ])
    func whatIsMissingIsNamed(name: String, brand: String, package: String) async throws {
        // Nothing can decode it, so the answer is the same even if the package is installed.
        let head = Data([0, 0, 0, 20]) + Data(brand.utf8) + Data([0, 0, 0, 0]) + Data("mif1".utf8)
        _ = try folder.write(head + Data([0, 0, 0, 12]) + Data("meta".utf8) + Data(count: 200), to: name)
        let outcome = try await Framegrep.run(find + ["GATE", name], in: folder.path)
        #expect(outcome.status == 2 && outcome.stderr.contains(package), "\(outcome)")
        #expect(outcome.stderr.split(separator: "\n").count == 1)
    }

    @Test(.enabled(if: Tool.exists("ffmpeg"))) func whatNothingReadsIsNotCalledDamaged() async throws {
        try await make("gate.qoi")
        try await make("gate.pcx")
        for (name, kind) in [("gate.qoi", "QOI"), ("gate.pcx", "PCX")] {
            let outcome = try await Framegrep.run(find + ["GATE", name], in: folder.path)
            #expect(outcome.status == 2 && outcome.stderr.contains(kind), "\(outcome)")
            #expect(!outcome.stderr.contains("damaged"))
        }
        _ = try folder.write("%PDF-1.4\n1 0 obj\n<<>>\nendobj\ntrailer<<>>\n%%EOF\n", to: "scan.pdf")
        let document = try await Framegrep.run(find + ["GATE", "scan.pdf"], in: folder.path)
        #expect(document.status == 2 && document.stderr.contains("pdftoppm"), "\(document)")
        try await make("wide.png", "-vf", "scale=40000:1")
        let wide = try await Framegrep.run(find + ["GATE", "wide.png"], in: folder.path)
        #expect(wide.status == 2 && wide.stderr.contains("40000×1") && !wide.stderr.contains("videoconvert"), "\(wide)")
        // Damaged files are refused.
        let whole = try Data(contentsOf: URL(fileURLWithPath: folder.file("gate.png")))
        _ = try folder.write(
            Data("BM".utf8) + Data(count: 12) + Data([40, 0, 0, 0, 64, 0, 0, 0, 64, 0, 0, 0]) + whole, to: "bad.bmp")
        let bad = try await Framegrep.run(find + ["GATE", "bad.bmp"], in: folder.path)
        #expect(bad.status == 2 && bad.stderr.contains("damaged"), "\(bad)")
    }

    @Test func subtitlesOfSeveralInputsNameThem() async throws {
        let clip = try await cutsClip()
        for format in ["srt", "vtt"] {
            let outcome = try await Framegrep.run(find + ["GATE", clip, folder.file("gate.png"), "--format", format])
            #expect(outcome.lines.contains("\(clip): GATE"), "\(outcome)")
            #expect(outcome.lines.contains { $0.hasSuffix("gate.png: GATE") }, "\(outcome)")
            let one = try await Framegrep.run(find + ["GATE", clip, "--format", format])
            #expect(one.lines.contains("GATE"), "\(one)")
        }
    }
}
