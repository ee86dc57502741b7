-- Posts one photo after the other, for wrk: wrk -s service.lua URL -- FOLDER [form]
local photos = {}
local next_photo = 0
local kind = "image/jpeg"

function init(arguments)
    local list = io.popen("ls '" .. arguments[1] .. "'/*.jpg")
    for path in list:lines() do
        local file = io.open(path, "rb")
        local photo = file:read("*a")
        if arguments[2] == "form" then
            kind = "multipart/form-data; boundary=thaw-boundary"
            photo = '--thaw-boundary\r\nContent-Disposition: form-data; name="file"; filename="a.jpg"\r\n'
                .. "Content-Type: image/jpeg\r\n\r\n" .. photo .. "\r\n--thaw-boundary--\r\n"
        end
        photos[#photos + 1] = photo
        file:close()
    end
    list:close()
end

function request()
    next_photo = next_photo % #photos + 1
    return wrk.format("POST", nil, { ["Content-Type"] = kind }, photos[next_photo])
end

function done(summary, latency, requests)
    local errors = summary.errors
    io.write(string.format(
        'RESULT {"requests": %d, "seconds": %.3f, "p50": %.3f, "p99": %.3f, "refused": %d, "broken": %d}\n',
        summary.requests, summary.duration / 1e6, latency:percentile(50) / 1e3, latency:percentile(99) / 1e3,
        errors.status, errors.connect + errors.read + errors.write + errors.timeout))
end
