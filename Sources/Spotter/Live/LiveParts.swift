import Errors
import GStreamerMedia
import TextSpotting
import Threads

/// The parts of one run of a live job, put together: each gets the others that it needs, and no more.
///
/// Only ``LiveJob`` knows all of them; no part sees this.
struct LiveParts: Sendable {
    let settings: LiveSettings
    let life = JobLife()
    let report: LiveReport
    let measurements = LiveMeasurements()
    let source: SourceState
    let words: SearchedWords
    let slot = LatestSlot<LiveFrame>()
    let snapshots: Snapshots
    /// Nil where no pictures of sightings are wanted.
    let pictures: SightingPictureWriter?
    private let reader: any TextReader
    private let trail = LiveTrail()
    private let board = BoxBoard()
    private let text = LatestText()
    private let notices = PictureNotices()
    private let window = WindowState()
    private let closely: CloseReading
    private let turns: CameraTurns
    /// Plays the source; nil where that is no recording, or nobody is there to play it.
    let player: RecordingPlayer?
    private let search: String?

    init(
        _ settings: LiveSettings, _ reader: any TextReader, _ words: SearchedWords, _ task: LiveTask,
        _ controls: SourceControls?, _ zoom: DigitalZoom, _ report: LiveReport
    ) {
        let policy = task.policy
        search = settings.playsRecordings ? task.search : nil
        player = search == nil ? nil : RecordingPlayer(words, zoom)
        self.settings = settings
        self.reader = reader
        self.words = words
        self.report = report
        source = SourceState(SourceLife(policy: policy, stallTime: settings.stallTime), report)
        closely = CloseReading(settings.closeReader, notices, measurements, report)
        snapshots = Snapshots(folder: settings.snapshotFolder, notices, report, measurements)
        pictures = settings.pictures.map { [life] pictures in
            SightingPictureWriter(pictures, report) { life.end(.error, failure: $0) }
        }
        turns = CameraTurns(camera: controls, notices: notices)
    }

    // MARK: The display

    /// Shows frames on the calling thread until the stream ends or the job is stopped.
    ///
    /// - Parameter latency: how much later than their time the output shows all frames.
    func display(
        _ frames: SourceFrames, on output: LiveOutput?, _ latency: StreamTime,
        _ sightings: SightingReport
    ) {
        let isShown = output?.overlay != nil
        let hasWindow = isShown && output?.pipeline.hasWindow == true
        // Whatever the display looks at rings its bell; the reader does too.
        let (sign, bell) = (WindowSign(), frames.bell)
        if hasWindow {
            output?.pipeline.whenWindowHasShown {
                sign.set()
                bell.ring()
            }
        }
        life.whenStopping { bell.ring() }
        source.listen { bell.ring() }
        var loop = DisplayLoop(
            DisplayLoop.Settings(
                timing: settings.overlay, maximumAge: settings.maximumAge, hasWindow: hasWindow),
            frames,
            FrameIntake(
                slot, trail, source, measurements, words, region: settings.region, isShown: isShown
            ) { [player] in
                player?.leavesUnread($0) ?? true
            },
            frameOutput(output, latency, sightings), settings.viewer, board, life, report, player, text, sightings
        ) { [source, life, measurements, player] in
            ShowSchedule.Situation(
                isLive: frames.isLive, isRunning: source.isRunning, isFrozen: source.isFrozen,
                isStopping: life.isStopping, hasRead: measurements.hasRead, hasWindowShown: sign.isThere,
                connection: frames.connectionNumber, isAtEnd: player?.isAtEnd ?? false)
        }
        loop.run()
    }

    /// Where frames are shown; nil for nowhere.
    private func frameOutput(
        _ output: LiveOutput?, _ latency: StreamTime, _ sightings: SightingReport
    ) -> FrameOutput? {
        guard let output, let overlay = output.overlay else { return nil }
        let painter = WindowPainter(
            WindowPainter.Settings(
                showsStatus: settings.showsStatus, marksFrames: output.marksFrames, maximumAge: settings.maximumAge),
            window, notices, text, trail, snapshots, report, on: output.canvas
        ) { [words, source, measurements, player] in
            var status = OverlayStatus(
                searched: words.texts, matches: 0, state: source.shown,
                readingsPerSecond: player == nil ? measurements.readingsPerSecond : nil)
            status.isFirstReading = !(player?.isRead ?? measurements.hasRead)
            return status
        } player: { [player] in
            player?.overlay
        }
        return FrameOutput(
            output.pipeline, overlay, output.sound, painter, FramePacer(latency: latency, held: settings.overlay.delay),
            sightings,
            measurements, settings.rightOfWay)
    }

    // MARK: The reader and the window

    /// The player as whoever keeps the source open knows it.
    var keptPlayer: SourceKeeper.Player? {
        player.map { player in
            SourceKeeper.Player {
                player.open($0)
            } reachEnd: {
                player.reachEnd()
            }
        }
    }

    /// Reads a recording ahead of the picture; nil where the picture itself is read.
    ///
    /// - Parameter frames: are shown meanwhile.
    func aheadReader(showing frames: SourceFrames) -> AheadReader? {
        guard let player, let search else { return nil }
        let glimpses = Glimpses(words: words, board: board, minimumScore: settings.minimumScore, bell: frames.bell)
        return AheadReader(
            player: player, description: search,
            settings: AheadReader.Settings(
                sourceName: settings.sourceName, region: settings.region, minimumScore: settings.minimumScore,
                maximumAge: settings.maximumAge), reader: reader, words: words, glimpses: glimpses,
            notices: notices, report: report)
    }

    /// What is found in what is read.
    func findings(_ sightings: SightingReport) -> LiveFindings {
        let texts =
            settings.reportsAllText ? TextFindings(report, eachChange: settings.reportsEachChange) : nil
        return LiveFindings(
            words, trail, board, sightings, texts: texts, pictures: pictures, keepReading: settings.keepReading,
            bestPicture: settings.bestPicture,
            minimumScore: settings.minimumScore)
    }

    /// Reads frames until they end or the task is cancelled; an engine that fails ends the job.
    func read(into findings: LiveFindings, showing frames: SourceFrames) async {
        let frameReader = FrameReader(
            FrameReader.Settings(
                region: settings.region, maximumAge: settings.maximumAge,
                keepsPictures: pictures != nil || settings.bestPicture != nil), reader, closely, trail,
            source, measurements)
        let judge = PictureJudge(trail, notices, report) { [turns] in turns.hasLight }
        let glimpses = Glimpses(words: words, board: board, minimumScore: settings.minimumScore, bell: frames.bell)
        var loop = ReadingLoop(slot, frameReader, findings, text, judge, glimpses) { [bell = frames.bell] in
            bell.ring()
        }
        do throws(FramegrepError) { try await loop.run() } catch { life.end(.error, failure: error) }
    }

    /// What keys, clicks and messages of an output lead to.
    func control(_ output: LiveOutput) -> WindowControl {
        WindowControl(
            player: player, canvas: output.canvas, pipeline: output.pipeline, sourceName: settings.sourceName,
            words: words, window: window, notices: notices, text: text, trail: trail, turns: turns,
            closely: closely,
            source: source, history: settings.history, life: life, report: report)
    }
}
