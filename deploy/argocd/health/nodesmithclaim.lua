-- The way of a NodeSmithClaim: Launched, Registered, Initialized, Ready; or Failed.
local met = {}
for _, condition in ipairs((obj.status or {}).conditions or {}) do
  if condition.status == "True" then
    met[condition.type] = condition.message or ""
  end
end
if met.Failed ~= nil then
  return { status = "Degraded", message = met.Failed }
end
if met.Ready ~= nil then
  return { status = "Healthy", message = "node " .. (obj.status.nodeName or "") .. " is ready" }
end
for _, step in ipairs({ "Initialized", "Registered", "Launched" }) do
  if met[step] ~= nil then
    return { status = "Progressing", message = step .. ", not ready yet" }
  end
end
return { status = "Progressing", message = "waits for its machine" }
