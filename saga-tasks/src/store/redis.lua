-- One task is a hash. `due`, `over` and `created` are sorted sets of ids, by when they are due, by when they need not be kept, and
-- by when they were created; `open` is a set of an owner's ids. Each of these is one step for Redis, which is what makes the writes conditional.

local function now()
    local time = redis.call('TIME')
    return tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
end

local function key(prefix, kind, name)
    return prefix .. ':' .. kind .. ':' .. name
end

-- Puts a task where its columns say that it belongs.
local function index(prefix, id)
    local task = key(prefix, 'task', id)
    local columns = redis.call('HMGET', task, 'due', 'expires', 'owner', 'created')
    local due, expires, owner = columns[1], columns[2], columns[3]
    redis.call('ZADD', prefix .. ':created', columns[4], id)
    if due and due ~= '' then
        redis.call('ZADD', prefix .. ':due', due, id)
        redis.call('ZREM', prefix .. ':over', id)
        redis.call('SADD', key(prefix, 'open', owner), id)
    else
        redis.call('ZREM', prefix .. ':due', id)
        redis.call('SREM', key(prefix, 'open', owner), id)
        if expires and expires ~= '' then
            redis.call('ZADD', prefix .. ':over', expires, id)
        else
            redis.call('ZREM', prefix .. ':over', id)
        end
    end
end

-- The columns from `from` on, as names and values.
local function columns(from)
    local list = {}
    for at = from, #ARGV do
        list[#list + 1] = ARGV[at]
    end
    return list
end

-- What is listed of a task: what is sealed may be large.
local LISTED = { 'id', 'call', 'version', 'owner', 'tool', 'code', 'state', 'due', 'fence', 'worker', 'lease_until', 'attempts',
    'cancel', 'created', 'updated', 'expires', 'status_message' }
-- How many tasks are looked at in one step.
local LOOKED = 1000

-- Those columns, as names and values.
local function named(columns)
    local list = {}
    for at, name in ipairs(LISTED) do
        list[#list + 1] = name
        list[#list + 1] = columns[at] or ''
    end
    return list
end

-- Byte by byte, as a sorted set orders its members; `<` goes by the server's language.
local function is_less(one, other)
    for at = 1, math.min(#one, #other) do
        local left, right = one:byte(at), other:byte(at)
        if left ~= right then
            return left < right
        end
    end
    return #one < #other
end

local step, prefix = ARGV[1], ARGV[2]

if step == 'now' then
    return now()
end

if step == 'create' then
    local id, call = ARGV[3], ARGV[4]
    local known = redis.call('GET', key(prefix, 'call', call))
    if known then
        return known
    end
    redis.call('SET', key(prefix, 'call', call), id)
    redis.call('HSET', key(prefix, 'task', id), unpack(columns(5)))
    index(prefix, id)
    return false
end

-- A leg of a call: empty where it is consumed, `=` and its outcome where that is kept.
if step == 'consume' then
    local leg = key(prefix, 'leg', ARGV[3])
    local known = redis.call('GET', leg)
    if not known then
        redis.call('SET', leg, '', 'PXAT', ARGV[4])
    end
    return known
end

if step == 'keep' or step == 'release' then
    local leg = key(prefix, 'leg', ARGV[3])
    if redis.call('GET', leg) == '' then
        if step == 'keep' then
            redis.call('SET', leg, ARGV[4], 'KEEPTTL')
        else
            redis.call('DEL', leg)
        end
    end
    return false
end

if step == 'swap' then
    local id, version, fence = ARGV[3], ARGV[4], ARGV[5]
    local task = key(prefix, 'task', id)
    local held = redis.call('HMGET', task, 'version', 'fence', 'state', 'lease_until')
    if held[1] ~= version then
        return 0
    end
    if fence ~= '' and (held[2] ~= fence or held[3] ~= 'leased') then
        return 0
    end
    redis.call('HSET', task, unpack(columns(6)))
    local next = redis.call('HMGET', task, 'state', 'lease_until')
    if next[1] == 'leased' then
        -- A renewal has no version, and is not taken back.
        local lease = math.max(tonumber(next[2]) or 0, tonumber(held[4]) or 0)
        lease = string.format('%.0f', lease)
        redis.call('HSET', task, 'lease_until', lease, 'due', lease)
    end
    index(prefix, id)
    return 1
end

-- Gives the time, how many tasks it has left to others, and those that it has claimed. It stops after `LOOKED`, and says with a number
-- below zero that there are no more.
if step == 'claim' then
    local worker, limit, lease, stale = ARGV[3], tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6])
    local offset = tonumber(ARGV[7])
    local unknown = {}
    for at = 8, #ARGV do
        unknown[ARGV[at]] = true
    end
    local at = now()
    local claimed = { string.format('%.0f', at), '' }
    local looked = 0
    while #claimed - 2 < limit and looked < LOOKED do
        local due = redis.call('ZRANGEBYSCORE', prefix .. ':due', '-inf', at, 'LIMIT', offset, 100)
        if #due == 0 then
            offset = -1
            break
        end
        for _, id in ipairs(due) do
            if #claimed - 2 >= limit then
                break
            end
            looked = looked + 1
            local task = key(prefix, 'task', id)
            local seen = redis.call('HMGET', task, 'code', 'updated')
            if not seen[1] then
                redis.call('ZREM', prefix .. ':due', id)
            elseif unknown[seen[1]] and tonumber(seen[2]) > at - stale then
                offset = offset + 1
            else
                local until_ = string.format('%.0f', at + lease)
                redis.call('HINCRBY', task, 'fence', 1)
                redis.call('HINCRBY', task, 'attempts', 1)
                redis.call('HINCRBY', task, 'version', 1)
                redis.call('HSET', task, 'state', 'leased', 'worker', worker, 'lease_until', until_, 'due', until_)
                -- Later than now, so it is not found again.
                redis.call('ZADD', prefix .. ':due', until_, id)
                claimed[#claimed + 1] = redis.call('HGETALL', task)
                if lease <= 0 then
                    offset = offset + 1
                end
            end
        end
    end
    claimed[2] = string.format('%.0f', offset)
    return claimed
end

if step == 'renew' then
    local lease = tonumber(ARGV[3])
    local until_ = string.format('%.0f', now() + lease)
    local renewed = {}
    for at = 4, #ARGV, 2 do
        local id, fence = ARGV[at], ARGV[at + 1]
        local task = key(prefix, 'task', id)
        local held = redis.call('HMGET', task, 'fence', 'state', 'cancel')
        if held[1] == fence and held[2] == 'leased' then
            redis.call('HSET', task, 'lease_until', until_, 'due', until_)
            redis.call('ZADD', prefix .. ':due', until_, id)
            renewed[#renewed + 1] = held[3] == '1' and 2 or 1
        else
            renewed[#renewed + 1] = 0
        end
    end
    return renewed
end

if step == 'note' then
    local id, fence, message = ARGV[3], ARGV[4], ARGV[5]
    local task = key(prefix, 'task', id)
    local held = redis.call('HMGET', task, 'fence', 'state')
    if held[1] == fence and held[2] == 'leased' then
        redis.call('HSET', task, 'status_message', '=' .. message, 'updated', string.format('%.0f', now()))
    end
    return 0
end

if step == 'list' then
    local created, after, state, limit = ARGV[3], ARGV[4], ARGV[5], tonumber(ARGV[6])
    local last, found, offset, looked = {}, {}, 0, 0
    while looked < LOOKED and #found < limit do
        local page = redis.call('ZREVRANGEBYSCORE', prefix .. ':created', created, '-inf', 'WITHSCORES', 'LIMIT', offset, 100)
        if #page == 0 then
            return { {}, found }
        end
        offset = offset + #page / 2
        for at = 1, #page, 2 do
            local id, score = page[at], page[at + 1]
            -- Of those of one millisecond, the ones before are known.
            if #found < limit and (score ~= created or is_less(id, after)) then
                local task = key(prefix, 'task', id)
                last, looked = { score, id }, looked + 1
                if state == '' or redis.call('HGET', task, 'state') == state then
                    local columns = redis.call('HMGET', task, unpack(LISTED))
                    if columns[1] then
                        found[#found + 1] = named(columns)
                    end
                end
            end
        end
    end
    return { last, found }
end

if step == 'sweep' then
    local over = redis.call('ZRANGEBYSCORE', prefix .. ':over', '-inf', now(), 'LIMIT', 0, tonumber(ARGV[3]))
    for _, id in ipairs(over) do
        local task = key(prefix, 'task', id)
        local call = redis.call('HGET', task, 'call')
        if call then
            redis.call('DEL', key(prefix, 'call', call))
        end
        redis.call('DEL', task)
        redis.call('ZREM', prefix .. ':over', id)
        redis.call('ZREM', prefix .. ':created', id)
    end
    return #over
end

return redis.error_reply('an unknown step')
