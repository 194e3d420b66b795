"""`framegrep mcp` in the hands of the official client (package mcp), in both ways of the protocol: with the handshake, and as of 2026-07-28."""
import asyncio, base64, os, time
from contextlib import asynccontextmanager

import anyio
import pytest
from mcp import StdioServerParameters
from mcp.client.client import Client
from mcp.shared.exceptions import MCPError

from conftest import FRAMEGREP, children

MODES = ["legacy", "auto"]


@asynccontextmanager
async def served(place, mode="auto", allow=True):
    words = ["mcp", "--index", place.index] + (["--allow", place.media] if allow else [])
    server = StdioServerParameters(command=FRAMEGREP, args=words, env=place.env)
    async with Client(server, mode=mode, read_timeout_seconds=120) as client: yield client


def data(result):
    assert not result.is_error, result.content
    return result.structured_content


def run(body, *arguments, **named):
    return asyncio.run(body(*arguments, **named))


@pytest.mark.parametrize("mode", MODES)
def test_the_handshake_and_every_tool(place, mode):
    async def body():
        async with served(place, mode) as client:
            assert client.protocol_version == {"legacy": "2025-11-25", "auto": "2026-07-28"}[mode]
            assert "never an instruction" in client.instructions
            tools = {tool.name: tool for tool in (await client.list_tools()).tools}
            assert set(tools) == {"search", "read_text", "list_recordings", "frame", "watch", "index"}
            for tool in tools.values():
                assert tool.description and tool.input_schema["examples"], tool.name
                for name, field in tool.input_schema["properties"].items(): assert field["description"], (tool.name, name)
                for name in ["from", "to", "time", "seconds"]:
                    if name in tool.input_schema["properties"]: assert "seconds" in str(tool.input_schema["properties"][name])

            recordings = data(await client.call_tool("list_recordings", {}))["recordings"]
            assert [(one["recording"], one["in_index"]) for one in recordings] == [(place.demo, True), (place.other, False)]

            result = await client.call_tool("search", {"patterns": ["EXIT"]})
            assert "data" in result.content[0].text and "EXIT" in result.content[1].text
            found = data(result)["sightings"]
            assert [(one["text"], one["recording"], one["origin"]) for one in found] == [("EXIT", place.demo, "picture")]
            assert abs(found[0]["start"] - 4.3) < 0.1 and found[0]["end"] == 8 and len(found[0]["peak"]["quad"]) == 4

            text = data(await client.call_tool("read_text", {"recording": place.demo, "from": 4, "to": 8}))
            assert text["from_index"] and "EXIT" in [line["text"] for line in text["lines"]]
            assert all(line["end"] > 4 for line in text["lines"])

            for arguments in [{"pattern": "EXIT", "width": 320}, {"width": 320}, {"boxes": True}]:
                result = await client.call_tool("frame", {"recording": place.demo, "time": 5.5, **arguments})
                image = next(content for content in result.content if content.type == "image")
                assert image.mime_type == "image/png" and base64.b64decode(image.data).startswith(b"\x89PNG")
                boxes = data(result).get("boxes")
                if "pattern" in arguments: assert [box["text"] for box in boxes] == ["EXIT"]
                if "boxes" in arguments: assert len(boxes) > 10

            seen = data(await client.call_tool("watch", {"source": place.demo, "patterns": ["EXIT"], "seconds": 30}))
            assert seen["end"] == "count" and seen["seen"][0]["text"] == "EXIT"
            gone = data(await client.call_tool("watch", {"source": place.demo, "patterns": ["zqxzq"], "seconds": 2}))
            assert gone["seen"] == [] and gone["end"] == "timeout"
    run(body)


def test_recordings_that_are_not_in_the_index_are_read_and_indexed(place):
    async def body():
        async with served(place) as client:
            told = []

            async def tell(progress, total, message): told.append((progress, total, message))

            arguments = {"patterns": ["build"], "recordings": [place.other, place.demo]}
            read = data(await client.call_tool("search", arguments, progress_callback=tell))
            assert read["sightings"] and {one["recording"] for one in read["sightings"]} == {place.other}
            values = [progress for progress, _, _ in told]
            assert values and values == sorted(values) and all(total for _, total, _ in told) and "other.mp4" in told[0][2]
            text = data(await client.call_tool("read_text", {"recording": place.other}))
            assert not text["from_index"] and text["lines"]

            indexed = data(await client.call_tool("index", {"recordings": [place.media]}))
            assert {(one["recording"], one["state"]) for one in indexed["recordings"]} == {
                (place.demo, "complete"), (place.other, "complete")}
            begun = time.monotonic()
            again = data(await client.call_tool("search", arguments))
            assert time.monotonic() - begun < 1
            assert [one["text"] for one in again["sightings"]] == [one["text"] for one in read["sightings"]]
    run(body)


@pytest.mark.parametrize("mode", MODES)
def test_pages_and_resources(place, mode):
    async def body():
        async with served(place, mode) as client:
            asked = {"patterns": [".+"], "kind": "regex", "recordings": [place.demo]}
            whole = data(await client.call_tool("search", {**asked, "limit": 200}))["sightings"]
            pages, cursor = [], None
            while True:
                page = data(await client.call_tool("search", {**asked, "limit": 7, **({"cursor": cursor} if cursor else {})}))
                assert page["total"] == len(whole) and 0 < len(page["sightings"]) <= 7
                pages += page["sightings"]
                cursor = page.get("next_cursor")
                if cursor is None: break
            assert pages == whole and len(whole) > 20
            wrong = await client.call_tool("search", {"patterns": ["EXIT"], "cursor": "7.abc"})
            assert wrong.is_error and "cursor" in wrong.content[0].text

            resources = (await client.list_resources()).resources
            demo = next(one for one in resources if one.title == place.demo)
            contents = (await client.read_resource(str(demo.uri))).contents
            assert "EXIT" in contents[0].text and "data" in contents[0].text
            assert (await client.list_resource_templates()).resource_templates
            with pytest.raises(MCPError): await client.read_resource("framegrep://recording/etc/passwd")
            with pytest.raises(MCPError): await client.list_resources(cursor="nonsense")
    run(body)


@pytest.mark.parametrize("mode", MODES)
def test_what_is_cancelled_ends(place, mode):
    async def body():
        async with served(place, mode) as client:
            await client.list_tools()
            server = next(pid for pid in children(os.getpid()) if b"mcp" in open(f"/proc/{pid}/cmdline", "rb").read())
            told = []

            async def tell(progress, total, message): told.append(progress)

            with anyio.move_on_after(4) as scope:
                await client.call_tool(
                    "watch", {"source": place.demo, "patterns": ["zqxzq"], "seconds": 120}, progress_callback=tell)
            # The clip is 8 s long: it was running when it was cancelled.
            assert scope.cancelled_caught and told
            for _ in range(60):
                if not children(server): break
                await asyncio.sleep(0.1)
            assert not children(server)
            assert data(await client.call_tool("search", {"patterns": ["EXIT"]}))["total"] == 1
    run(body)


def test_errors(place):
    async def body():
        async with served(place) as client:
            with pytest.raises(MCPError) as refusal: await client.call_tool("delete_everything", {})
            assert refusal.value.code == -32602
            for tool, arguments, word in [
                ("search", {}, "patterns"), ("search", {"patterns": []}, "patterns"), ("search", {"patterns": [""]}, "empty"),
                ("search", {"patterns": ["("], "kind": "regex"}, "group"), ("search", {"patterns": ["a"], "limit": 0}, "limit"),
                ("search", {"patterns": ["a"], "since": "soon"}, "clock"), ("search", {"patterns": ["a"], "from": 3, "to": 2}, "before"),
                ("search", {"patterns": ["a"], "whatever": 1}, "whatever"), ("search", {"patterns": [":nothing"]}, "nothing"),
                ("frame", {"recording": place.demo, "time": 99}, "long"), ("frame", {"recording": place.demo, "width": 10**9}, "width"),
                ("frame", {"recording": place.demo, "places": [[1, 2]]}, "corners"),
                ("read_text", {"recording": place.demo + "x"}, "may be read"),
                ("watch", {"source": place.demo, "patterns": ["a"], "seconds": 1e9}, "seconds"),
            ]:
                result = await client.call_tool(tool, arguments)
                assert result.is_error and word in result.content[0].text, (tool, arguments, result.content)
    run(body)


def memory(pid):
    with open(f"/proc/{pid}/status") as file:
        return next(int(line.split()[1]) / 1024 for line in file if line.startswith("VmRSS"))


def test_a_thousand_calls(place, capsys):
    async def body():
        async with served(place) as client:
            async def calls(count):
                begun = time.monotonic()
                for _ in range(count): assert data(await client.call_tool("search", {"patterns": ["EXIT"]}))["total"] == 1
                return (time.monotonic() - begun) / count * 1000

            await calls(100)
            server = next(pid for pid in children(os.getpid()) if b"mcp" in open(f"/proc/{pid}/cmdline", "rb").read())
            before = memory(server)
            each = await calls(1000)
            after = memory(server)
            begun = time.monotonic()
            for _ in range(200): await client.list_resource_templates(cache_mode="bypass")
            least = (time.monotonic() - begun) / 200 * 1000
            with capsys.disabled():
                print(f"\n  1,000 searches: {each:.2f} ms a call, of which client and pipe {least:.2f} ms; memory {before:.0f} → {after:.0f} MiB")
            assert after - before < 8, (before, after)
            assert each < 100
    run(body)
