-- Deletes what has lapsed, some at a time. The server removes the document itself at its expiry, or has done so; what still
-- names it is removed here. An error stops nothing: it is a shard on its way to another node, and is purged there.
local function purge(most)
  for _, id in ipairs(redis.call('ZRANGEBYSCORE', shard .. ':e', '-inf', now, 'LIMIT', 0, most)) do
    local colon = string.find(id, ':', 1, true)
    local bytes = tonumber(string.sub(id, 1, colon - 1))
    local partition = string.sub(id, colon + 1, colon + bytes)
    redis.pcall('UNLINK', shard .. ':d:' .. id)
    redis.pcall('ZREM', shard .. ':k:' .. partition, string.sub(id, colon + bytes + 1))
    redis.pcall('ZREM', shard .. ':w', id)
    redis.pcall('ZREM', shard .. ':e', id)
  end
end
