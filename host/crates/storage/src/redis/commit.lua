-- One batch: ARGV[3] the partition, ARGV[4] the commit's id, ARGV[5] the channel of nudges, ARGV[6] who sends them, ARGV[7]
-- how far ahead one is worth it (ms), ARGV[8..11] how many expectations, puts, deletes and appends follow.
--
-- Every expectation is checked before anything is written, and nothing fails after the first write but by a bug: what the
-- server refuses (memory, role, disk) it refuses before a script with this first line begins.

local partition, commit = ARGV[3], ARGV[4]
local prefix = #partition .. ':' .. partition
local documents, index = shard .. ':d:' .. prefix, shard .. ':k:' .. partition
local wakes, ends = shard .. ':w', shard .. ':e'
local at = 12

local function take()
  at = at + 1
  return ARGV[at - 1]
end

local conflicts, heads = {}, {}
for _ = 1, tonumber(ARGV[8]) do
  local key, expected = take(), take()
  local head = redis.call('GETRANGE', documents .. key, 0, 63)
  heads[key] = head
  local there = lives(head, now) and string.sub(head, 1, 16) or ''
  if there ~= expected then
    conflicts[#conflicts + 1] = key
    conflicts[#conflicts + 1] = there ~= '' and redis.call('GET', documents .. key)
  end
end
if #conflicts > 0 then return { now, 0, conflicts } end

local number = micros
if number <= last then number = last + 1 end
local version = string.format('%016.0f', number)
redis.call('SET', shard, version)

-- The shard's earliest wake time before the first that is worth a nudge, and the earliest of those.
local before, soonest = nil, nil

local function wake_up(id, time)
  if time < now + tonumber(ARGV[7]) then
    before = before or tonumber(redis.call('ZRANGE', wakes, 0, 0, 'WITHSCORES')[2] or math.huge)
    if not soonest or time < soonest then soonest = time end
  end
  redis.call('ZADD', wakes, time, id)
end

local function delete(key)
  redis.call('UNLINK', documents .. key)
  redis.call('ZREM', index, key)
  redis.call('ZREM', wakes, prefix .. key)
  redis.call('ZREM', ends, prefix .. key)
end

-- What is there already, lapsed or not, is named where it has to be; of what the server has removed, anything may be left.
local function write(key, ending, wake, value)
  local expiry, waking = tonumber(ending), tonumber(wake)
  if expiry and expiry <= now then return delete(key) end
  local old = heads[key] or redis.call('GETRANGE', documents .. key, 0, 63)
  local content = version .. commit .. ending .. wake .. value
  if expiry then
    redis.call('SET', documents .. key, content, 'PXAT', expiry)
    redis.call('ZADD', ends, expiry, prefix .. key)
  else
    redis.call('SET', documents .. key, content)
    if old == '' or expires(old) then redis.call('ZREM', ends, prefix .. key) end
  end
  if old == '' then redis.call('ZADD', index, 0, key) end
  if waking and not (expiry and expiry <= waking) then
    wake_up(prefix .. key, waking)
  elseif old == '' or tonumber(string.sub(old, 49, 64)) then
    redis.call('ZREM', wakes, prefix .. key)
  end
end

local puts, deletes, appends = tonumber(ARGV[9]), tonumber(ARGV[10]), tonumber(ARGV[11])
for _ = 1, puts do
  write(take(), take(), take(), take())
end
for _ = 1, deletes do
  delete(take())
end
local numbers = {}
for _ = 1, appends do
  local beginning = take()
  local appended = redis.call('HINCRBY', shard .. ':n:' .. partition, beginning, 1)
  numbers[#numbers + 1] = appended
  write(beginning .. string.format('%020.0f', appended), take(), take(), take())
end

-- More than are written, so that lapsed documents cannot gather; not every time, since looking costs as much as a write.
if number % 8 == 0 then purge(8 * (puts + appends + 8)) end

-- Last, and without an error: a user of the server who may not publish loses punctuality, not the commit.
if soonest and soonest < before then
  redis.pcall('PUBLISH', ARGV[5], string.format('%.0f ', soonest) .. ARGV[6])
end
return { now, 1, number, numbers }
