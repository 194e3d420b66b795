import Errors
import Testing
import TextSpotting

@testable import Spotter

@Suite struct RegionOfInterestTests {
    private func rect(_ text: String, _ width: Int = 640, _ height: Int = 360) throws -> Rect {
        try RegionOfInterest(parsing: text).rect(width: width, height: height)
    }

    @Test func pixelsAndPercentMayBeMixed() throws {
        #expect(try rect("10,20,100,50") == Rect(x: 10, y: 20, width: 100, height: 50))
        #expect(try rect("0,50%,100%,50%") == Rect(x: 0, y: 180, width: 640, height: 180))
        #expect(try rect(" 25% , 0 , 320 , 100% ") == Rect(x: 160, y: 0, width: 320, height: 360))
        #expect(try rect("33.3%,0,33.4%,1") == Rect(x: 213, y: 0, width: 214, height: 1))
    }

    @Test func whatReachesOutsideIsCut() throws {
        #expect(try rect("-10,-10,30,30") == Rect(x: 0, y: 0, width: 20, height: 20))
        #expect(try rect("600,300,1e9,1e9") == Rect(x: 600, y: 300, width: 40, height: 60))
    }

    @Test(arguments: ["640,0,10,10", "0,400,10,10", "-50,0,20,20", "0,0,0.1,10"])
    func whatLiesOutsideIsAnError(text: String) {
        let error = #expect(throws: FramegrepError.self) { try rect(text) }
        #expect(error?.code == .badArgument)
        #expect(error?.message.contains("640×360") == true)
    }

    @Test(arguments: [
        "", ",", "1,2,3", "1,2,3,4,5", "a,b,c,d", "1,2,3,", "0,0,0,10", "0,0,10,-1", "nan,0,1,1", "0,0,inf,1",
        "0,0,%,1",
        "0x10,0,nan%,1", "1;2;3;4",
    ])
    func nonsenseIsAnError(text: String) {
        let error = #expect(throws: FramegrepError.self) { try RegionOfInterest(parsing: text) }
        #expect(error?.code == .badArgument)
        #expect(error?.message.hasSuffix(".") == true)
    }
}
