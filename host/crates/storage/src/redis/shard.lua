-- What every script begins with: where a shard's things are, and what time it is.
--
-- KEYS[1], "<namespace>:{<number>}", holds the version of the shard's last commit. Below it, all in its slot:
--   :d:<bytes of partition>:<partition><key>   a document: version, commit, expiry, wake time (64 bytes), then its value
--   :k:<partition>                             its keys, a sorted set read by their bytes
--   :n:<partition>                             the last number of every appended prefix
--   :w, :e                                     documents by wake time, by expiry
-- The other KEYS are those of these names that are known before: with them a cluster refuses the script while some of a
-- shard is on its way to another node, instead of running it on half of what there is.
--
-- A version is the server's time in microseconds, and more than the last: it rises also when the server's clock goes back,
-- and after a failover that lost the newest commits theirs do not come again. ARGV[1] is the latest time that this host has
-- read (ms); time does not go back behind it or the last commit, so that what had expired does not come alive. A clock that
-- went back by more than BACK was wrong before and is believed now, or nothing would ever be due again.

local BACK = 600000000

local shard = KEYS[1]
local time = redis.call('TIME')
local micros = time[1] * 1000000 + time[2] + tonumber(ARGV[2]) * 1000
local last = tonumber(redis.call('GET', shard) or 0)
local now = micros
for _, known in ipairs({ last, tonumber(ARGV[1]) * 1000 }) do
  if known > now and known - micros < BACK then now = known end
end
now = math.floor(now / 1000)

-- Times and versions have 16 digits; a time that is not there is 16 dashes, which is no number.
local function expires(head)
  return tonumber(string.sub(head, 33, 48))
end

local function lives(head, at)
  local ends = expires(head)
  return head ~= '' and (not ends or at < ends)
end
