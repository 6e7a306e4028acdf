-- Selections of one partition, ARGV[3], as one snapshot. Each is 'key' with a key, or 'up' or 'down' with a prefix and a limit.

local partition = ARGV[3]
local documents = shard .. ':d:' .. #partition .. ':' .. partition
local index = shard .. ':k:' .. partition
local found = {}

local function find(key)
  local document = redis.call('GET', documents .. key)
  if document and lives(document, now) then
    found[#found + 1] = key
    found[#found + 1] = document
  end
end

-- No UTF-8 text has a byte 0xff: it is after every name that begins with the prefix and before all others.
local function keys(order, prefix, offset, limit)
  local from, to = '[' .. prefix, '(' .. prefix .. '\255'
  if order == 'up' then return redis.call('ZRANGEBYLEX', index, from, to, 'LIMIT', offset, limit) end
  return redis.call('ZREVRANGEBYLEX', index, to, from, 'LIMIT', offset, limit)
end

-- What has lapsed takes no place: its keys are passed over, and more are asked for.
local function walk(order, prefix, limit)
  local offset = 0
  while #found < 2 * limit do
    local some = keys(order, prefix, offset, limit)
    for _, key in ipairs(some) do
      if #found < 2 * limit then find(key) end
    end
    if #some < limit then return end
    offset = offset + limit
  end
end

local reply, at = { now }, 4
while ARGV[at] do
  found = {}
  if ARGV[at] == 'key' then
    find(ARGV[at + 1])
    at = at + 2
  else
    walk(ARGV[at], ARGV[at + 1], tonumber(ARGV[at + 2]))
    at = at + 3
  end
  reply[#reply + 1] = found
end
return reply
