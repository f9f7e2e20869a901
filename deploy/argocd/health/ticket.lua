-- The phase of a korder Ticket: Reserved in its first versions, Ready in later ones.
local status = obj.status or {}
local phase = status.phase
if phase == "Ready" or phase == "Reserved" then
  local node = status.nodeName
  if node == nil or node == "" then
    return { status = "Healthy", message = "reserved, on no node yet" }
  end
  return { status = "Healthy", message = "reserved on " .. node }
end
if phase == "Claimed" then
  return { status = "Healthy", message = "claimed by " .. (status.claimedPod or "a pod") }
end
if phase == "Expired" then
  return { status = "Degraded", message = status.message or "expired: nothing is reserved any more" }
end
if phase == nil or phase == "" or phase == "Pending" then
  return { status = "Progressing", message = status.message or "waits for its guardian pod" }
end
return { status = "Unknown", message = "korder says " .. phase }
