-- Posts one photo after the other, for wrk: wrk -s service.lua URL -- FOLDER [form]
local requests = {}
local last = 0
local kind = "image/jpeg"

function init(arguments)
    -- Made in advance, so that the client takes as little of the processor as it can.
    local list = io.popen("find -L '" .. arguments[1] .. "' -maxdepth 1 -iname '*.jp*g' | sort")
    for path in list:lines() do
        local file = io.open(path, "rb")
        local photo = file:read("*a")
        if arguments[2] == "form" then
            kind = "multipart/form-data; boundary=thaw-boundary"
            photo = '--thaw-boundary\r\nContent-Disposition: form-data; name="file"; filename="a.jpg"\r\n'
                .. "Content-Type: image/jpeg\r\n\r\n" .. photo .. "\r\n--thaw-boundary--\r\n"
        end
        requests[#requests + 1] = wrk.format("POST", nil, { ["Content-Type"] = kind }, photo)
        file:close()
    end
    list:close()
end

function request()
    last = last % #requests + 1
    return requests[last]
end

function done(summary, latency, requests)
    local errors = summary.errors
    io.write(string.format(
        'RESULT {"requests": %d, "seconds": %.3f, "p50": %.3f, "p99": %.3f, "refused": %d, "broken": %d}\n',
        summary.requests, summary.duration / 1e6, latency:percentile(50) / 1e3, latency:percentile(99) / 1e3,
        errors.status, errors.connect + errors.read + errors.write + errors.timeout))
end
