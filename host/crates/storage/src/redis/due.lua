-- What is due within ARGV[3] ms, at most ARGV[4], and the next wake time after that. Before it looks it purges at most ARGV[5]
-- lapsed documents: a shard that nobody writes to is cleaned here.

purge(tonumber(ARGV[5]))
local till = now + tonumber(ARGV[3])
local most = tonumber(ARGV[4])
local awake, offset = {}, 0

while #awake < 3 * most do
  local some = redis.call('ZRANGEBYSCORE', shard .. ':w', '-inf', till, 'WITHSCORES', 'LIMIT', offset, most)
  for i = 1, #some, 2 do
    local head = redis.call('GETRANGE', shard .. ':d:' .. some[i], 0, 63)
    if #awake < 3 * most and lives(head, till) then
      local colon = string.find(some[i], ':', 1, true)
      local bytes = tonumber(string.sub(some[i], 1, colon - 1))
      awake[#awake + 1] = string.sub(some[i], colon + 1, colon + bytes)
      awake[#awake + 1] = string.sub(some[i], colon + bytes + 1)
      awake[#awake + 1] = tonumber(some[i + 1])
    end
  end
  if #some < 2 * most then break end
  offset = offset + most
end

-- A document is among the wake times only if it will be there then.
local after = redis.call('ZRANGEBYSCORE', shard .. ':w', '(' .. string.format('%.0f', till), '+inf', 'WITHSCORES', 'LIMIT', 0, 1)
return { now, awake, after[2] and tonumber(after[2]) or false }
