-- A korder Order by its counts: its conditions Ready and Failure are both set once and never taken back.
local function tickets(count)
  return count .. (count == 1 and " Ticket" or " Tickets")
end
local spec = obj.spec or {}
local status = obj.status or {}
if spec.paused then
  return { status = "Suspended", message = "paused" }
end
if status.observedGeneration == nil or (obj.metadata.generation or 0) > status.observedGeneration then
  return { status = "Progressing", message = "waits for korder" }
end
-- in DaemonSet mode korder counts nodes, which the Order does not tell
local wanted = spec.replicas or 1
if spec.daemonSet then
  wanted = status.replicas or 0
end
local available = status.availableReplicas or 0
local pending = status.unavailableReplicas or 0
local expired = status.terminalReplicas or 0
if available >= wanted and pending == 0 then
  return { status = "Healthy", message = available .. " of " .. tickets(wanted) }
end
for _, condition in ipairs(status.conditions or {}) do
  if condition.type == "Failure" and condition.status == "True" and available < wanted then
    return { status = "Degraded", message = condition.message or "korder could not make its Tickets" }
  end
end
if expired > 0 and available < wanted then
  return { status = "Degraded", message = tickets(expired) .. (expired == 1 and " has" or " have") .. " expired, " .. available .. " of " .. wanted .. (available == 1 and " is left" or " are left") }
end
return { status = "Progressing", message = (available - pending) .. " of " .. tickets(wanted) }
