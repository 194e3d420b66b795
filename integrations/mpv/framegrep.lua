-- Ctrl+F in mpv: asks for a word, marks where it is on screen (chapters on the seek bar, a box on the picture), n and N go on, Escape
-- takes it away. Starts the program framegrep and reads its JSON lines; what is in its index is there at once.
--
-- Goes into ~/.config/mpv/scripts (scripts/install puts it where mpv looks). Needs mpv 0.33 or later. Options in
-- ~/.config/mpv/script-opts/framegrep.conf: program=, key=, arguments= (for `framegrep find`, by spaces), seek=no.
-- From outside: script-message-to framegrep search WORD; script-message-to framegrep clear; next; previous.

local utils = require "mp.utils"
local options = { program = "framegrep", key = "Ctrl+f", arguments = "", seek = true }
require("mp.options").read_options(options, "framegrep")

local overlay = mp.create_osd_overlay("ass-events")
local prompt = nil      -- what is being typed; nil while nothing is
local last_word = ""    -- what was searched for before
local search = nil      -- the search whose results are shown
local drawn = nil       -- what the overlay shows, so that it is not drawn anew for nothing

-- ASS gives a meaning to braces and backslashes; control characters have none here. The text comes from pictures.
local function escaped(text)
    text = text:gsub("[%z\1-\31\127]", " ")
    text = text:gsub("\\", "\\\226\129\160"):gsub("{", "\\{"):gsub("}", "\\}")
    return text
end

local function shortened(text, most)
    if #text <= most then return text end
    local cut = text:sub(1, most)
    -- Not within a character.
    while #cut > 0 and text:byte(#cut + 1) and text:byte(#cut + 1) >= 0x80 and text:byte(#cut + 1) < 0xC0 do cut = cut:sub(1, -2) end
    return cut .. "…"
end

-- Where framegrep's pixels are on the window: framegrep counts pixels as displayed, width first corrected for their shape.
local function picture_place()
    local size, video = mp.get_property_native("osd-dimensions"), mp.get_property_native("video-params")
    if not size or not video or not video.w or size.w <= 0 or size.h <= 0 then return nil end
    local shape = video.par and video.par > 0 and video.par or 1
    local w, h = video.w * shape, video.h
    if (video.rotate or 0) % 180 == 90 then w, h = video.h / shape, video.w end
    local turned = (mp.get_property_number("video-rotate") or 0) % 360
    if turned ~= 0 then return nil end
    return {
        x = size.ml, y = size.mt, sx = (size.w - size.ml - size.mr) / w, sy = (size.h - size.mt - size.mb) / h,
        width = size.w, height = size.h,
    }
end

-- The place of a sighting at a time: the last one before, as framegrep followed it.
local function place_at(sighting, time)
    local boxes = search.boxes[sighting.id]
    if not boxes or #boxes == 0 then return sighting.peak.quad end
    local first, last = 1, #boxes
    while first < last do
        local middle = math.floor((first + last + 1) / 2)
        if boxes[middle].t <= time + 0.001 then first = middle else last = middle - 1 end
    end
    return boxes[first].quad
end

local function boxes_text(place, time)
    local parts = {}
    for _, sighting in ipairs(search.sightings) do
        if sighting.start <= time + 0.001 and time < sighting["end"] then
            local path = {}
            for index, corner in ipairs(place_at(sighting, time)) do
                path[#path + 1] = string.format(
                    "%s %.1f %.1f", index == 1 and "m" or "l", place.x + corner[1] * place.sx, place.y + corner[2] * place.sy)
            end
            parts[#parts + 1] = "{\\an7\\pos(0,0)\\bord3\\shad0\\1a&HFF&\\3c&H00E6FF&\\p1}" .. table.concat(path, " ") .. "{\\p0}"
        end
    end
    return parts
end

local function status_text(place)
    local text
    if prompt then
        text = "Find: " .. escaped(prompt) .. "▏"
    elseif search and search.note then
        text = escaped(search.note)
    elseif search then
        local count = #search.sightings
        text = string.format("'%s': %s%s", escaped(shortened(search.word, 60)), count == 0 and (search.is_running and "" or "not found")
            or (search.current and search.current .. " of " .. count or count .. " found"), search.is_running and " (reading …)" or "")
    end
    if not text then return nil end
    return string.format("{\\an1\\pos(%d,%d)\\fs%d\\bord2}%s", 20, place.height - 20, math.max(18, math.floor(place.height / 28)), text)
end

local function draw()
    if not prompt and not search then
        overlay:remove()
        drawn = nil
        return
    end
    local size = mp.get_property_native("osd-dimensions")
    if not size or size.w <= 0 then return end
    local place, parts = picture_place(), {}
    local time = mp.get_property_number("time-pos")
    if search and place and time then parts = boxes_text(place, time) end
    parts[#parts + 1] = status_text({ height = size.h })
    overlay.res_x, overlay.res_y = size.w, size.h
    local data = table.concat(parts, "\n")
    local state = size.w .. "x" .. size.h .. data
    if state ~= drawn then
        drawn, overlay.data = state, data
        overlay:update()
    end
end

-- Sightings among the file's own chapters.
local function show_chapters()
    local chapters = {}
    for _, chapter in ipairs(search.own_chapters) do chapters[#chapters + 1] = chapter end
    for _, sighting in ipairs(search.sightings) do
        chapters[#chapters + 1] = { time = sighting.start, title = shortened(sighting.line:gsub("%c", " "), 80) }
    end
    table.sort(chapters, function(a, b) return a.time < b.time end)
    mp.set_property_native("chapter-list", chapters)
end

local function go(step)
    if not search or #search.sightings == 0 then return end
    local time, count = mp.get_property_number("time-pos") or 0, #search.sightings
    local target = nil
    if step > 0 then
        for index = 1, count do
            if search.sightings[index].start > time + 0.05 then target = index break end
        end
        target = target or 1
    else
        for index = count, 1, -1 do
            if search.sightings[index].start < time - 0.5 then target = index break end
        end
        target = target or count
    end
    search.current = target
    mp.commandv("seek", string.format("%.3f", search.sightings[target].start + 0.001), "absolute+exact")
    draw()
end

local function read_lines(file, state, take)
    local handle = io.open(file, "rb")
    if not handle then return false end
    handle:seek("set", state.offset)
    local text = handle:read(4 * 1024 * 1024) or ""
    handle:close()
    -- Half a line waits for the rest.
    local whole = text:match("^.*\n")
    if not whole then return false end
    state.offset = state.offset + #whole
    for line in whole:gmatch("[^\n]+") do
        local value = utils.parse_json(line)
        if type(value) == "table" then take(value) end
    end
    return true
end

local function take_results()
    local is_new = false
    repeat
        local more = read_lines(search.output, search.read, function(value)
            if value.type == "sighting" then
                table.insert(search.sightings, value)
                is_new = true
            end
        end)
    until not more
    repeat
        local more = read_lines(search.boxes_file, search.boxes_read, function(value)
            if value.type ~= "box" then return end
            search.boxes[value.id] = search.boxes[value.id] or {}
            table.insert(search.boxes[value.id], value)
        end)
    until not more
    if is_new then
        table.sort(search.sightings, function(a, b) return a.start < b.start end)
        show_chapters()
        if options.seek and not search.has_jumped then
            search.has_jumped = true
            -- The word may be in view already.
            local time = mp.get_property_number("time-pos") or 0
            local is_seen = false
            for _, sighting in ipairs(search.sightings) do
                if sighting.start <= time and time < sighting["end"] then is_seen = true end
            end
            if not is_seen then go(1) end
        end
    end
    draw()
end

local function remove_files(done)
    for _, name in ipairs({ done.output, done.boxes_file }) do os.remove(name) end
    os.remove(done.folder)
end

local bindings = { n = function() go(1) end, N = function() go(-1) end }

-- Takes everything away: the results, the marks, and the program, if it still reads.
local function clear()
    if not search then return end
    local done = search
    search = nil
    if done.timer then done.timer:kill() end
    if done.command then mp.abort_async_command(done.command) end
    -- Also while it still runs: mpv does not wait for scripts when it ends.
    if done.folder then remove_files(done) end
    if done.is_shown then mp.set_property_native("chapter-list", done.own_chapters) end
    for key in pairs(bindings) do mp.remove_key_binding("framegrep-" .. key) end
    mp.remove_key_binding("framegrep-escape")
    draw()
end

local function note(text)
    search.note = text
    draw()
end

-- What framegrep is to open; nil and a sentence where it cannot.
local function input()
    local path = mp.get_property("path")
    if not path then return nil, "Nothing is playing." end
    local scheme = path:match("^(%a[%w+.-]*)://")
    if not scheme or scheme == "file" then
        if scheme then path = path:sub(8):gsub("%%(%x%x)", function(hex) return string.char(tonumber(hex, 16)) end) end
        if path == "-" then return nil, "What comes through a pipe cannot be read twice." end
        return utils.join_path(mp.get_property("working-directory") or "", path)
    end
    local opened = mp.get_property("stream-open-filename") or path
    local kind = opened:match("^(%a[%w+.-]*)://") or scheme
    if kind == "http" or kind == "https" or kind:match("^rtsp") then return opened end
    return nil, "framegrep does not open '" .. kind .. "://': only files, http, https and rtsp."
end

-- A folder of our own for what framegrep writes: mpv hands out a program's output only at its end.
local function scratch()
    local made = utils.subprocess({ args = { "mktemp", "-d", (os.getenv("TMPDIR") or "/tmp") .. "/framegrep-mpv.XXXXXX" } })
    local folder = made.status == 0 and made.stdout:gsub("%s+$", "") or nil
    return folder ~= "" and folder or nil
end

local function ended(done, is_success, result)
    done.is_running = false
    -- Taken away meanwhile, and its files with it; one that it made since goes now.
    if search ~= done then return remove_files(done) end
    done.command = nil
    take_results()
    done.timer:kill()
    local status = result and result.status
    if not is_success or status == nil or status < 0 or status > 1 then
        local said = result and result.stderr or ""
        local message = nil
        for line in said:gmatch("[^\n]+") do
            local value = utils.parse_json(line)
            if type(value) == "table" and value.type == "error" then message = value.message end
        end
        if status == -3 or status == 127 or (not message and #done.sightings == 0) then
            message = message or ("the program '" .. options.program .. "' cannot be started; is framegrep installed?")
        end
        if message then note(message) end
    end
    draw()
end

local function start(word)
    clear()
    if word == "" then return end
    last_word = word
    search = {
        word = word, sightings = {}, boxes = {}, read = { offset = 0 }, boxes_read = { offset = 0 },
        own_chapters = mp.get_property_native("chapter-list") or {}, is_running = false,
    }
    for key, action in pairs(bindings) do mp.add_forced_key_binding(key, "framegrep-" .. key, action) end
    mp.add_forced_key_binding("ESC", "framegrep-escape", clear)
    local path, reason = input()
    if not path then return note(reason) end
    search.folder = scratch()
    if not search.folder then return note("There is no room for temporary files.") end
    search.output, search.boxes_file = search.folder .. "/found", search.folder .. "/boxes"
    -- Its results go to a file that is read while it grows. Messages come through a pipe of mpv's: framegrep ends when mpv is gone.
    -- Reading takes all processors, and playing comes first.
    local words = {
        "sh", "-c", "FRAMEGREP_MESSAGES=jsonl exec nice -n 10 \"$@\" >\"$0\"", search.output, options.program, "find", "--format", "jsonl",
        "--boxes", search.boxes_file,
    }
    for extra in options.arguments:gmatch("%S+") do words[#words + 1] = extra end
    for _, more in ipairs({ "-e", word, "--", path }) do words[#words + 1] = more end
    local done = search
    done.is_running, done.is_shown = true, true
    done.command = mp.command_native_async(
        { name = "subprocess", args = words, playback_only = false, capture_stderr = true },
        function(is_success, result) ended(done, is_success, result) end)
    done.timer = mp.add_periodic_timer(0.2, function() if search == done then take_results() end end)
    draw()
end

-- The prompt: letters, Backspace, Ctrl+u, Up for the word before, Enter, Escape.

local prompt_keys = {}

local function close_prompt()
    prompt = nil
    for name in pairs(prompt_keys) do mp.remove_key_binding(name) end
    prompt_keys = {}
    draw()
end

local function bind(key, name, action)
    prompt_keys[name] = true
    mp.add_forced_key_binding(key, name, action, { repeatable = true, complex = key == "any_unicode" })
end

local function open_prompt()
    if prompt then return end
    prompt = ""
    bind("any_unicode", "framegrep-letter", function(event)
        if event.key_text and (event.event == "down" or event.event == "repeat" or event.event == "press") and #prompt < 500 then
            prompt = prompt .. event.key_text
            draw()
        end
    end)
    local function submit()
        local word = prompt
        close_prompt()
        if word ~= "" then start(word) end
    end
    bind("ENTER", "framegrep-enter", submit)
    bind("KP_ENTER", "framegrep-kp-enter", submit)
    bind("ESC", "framegrep-leave", close_prompt)
    bind("SPACE", "framegrep-space", function() prompt = prompt .. " " draw() end)
    bind("UP", "framegrep-up", function() prompt = last_word draw() end)
    bind("Ctrl+u", "framegrep-empty", function() prompt = "" draw() end)
    bind("BS", "framegrep-backspace", function()
        -- A character of UTF-8 may have several bytes.
        prompt = prompt:gsub("[%z\1-\127\194-\244][\128-\191]*$", "")
        draw()
    end)
    draw()
end

mp.add_key_binding(options.key, "find", open_prompt)
mp.register_script_message("search", start)
mp.register_script_message("clear", clear)
mp.register_script_message("next", function() go(1) end)
mp.register_script_message("previous", function() go(-1) end)
for _, name in ipairs({ "time-pos", "osd-dimensions", "video-params" }) do
    mp.observe_property(name, "native", function() if search or prompt then draw() end end)
end
mp.register_event("end-file", function()
    -- The next file has its own chapters.
    if search then search.is_shown = false end
    clear()
end)
mp.register_event("shutdown", function()
    clear()
    if prompt then close_prompt() end
end)
