/** Generated from fn-config/ by npm run generate. Do not edit. */

export const NODEFIT_TEST_FIELDS: Record<string, readonly string[]> = {
  "": ["apiVersion", "kind", "metadata", "spec"],
  "metadata": ["name"],
  "spec": ["policy", "nodes", "inventory", "now", "objects", "earlier", "expect"],
  "spec.nodes[]": ["name", "count", "type", "cpu", "memory", "labels", "taints", "ready", "unschedulable"],
  "spec.nodes[].taints[]": ["key", "value", "effect"],
  "spec.objects[]": ["apiVersion", "kind", "metadata"],
  "spec.objects[].metadata": ["name"],
  "spec.expect": ["sizes", "groups", "without", "findings"],
  "spec.expect.sizes[]": ["node", "group", "container", "requests", "limits", "env"],
  "spec.expect.sizes[].requests": ["cpu", "memory"],
  "spec.expect.sizes[].limits": ["cpu", "memory"],
  "spec.expect.findings[]": ["code", "severity", "says"]
}

export const NODEFIT_TEST_ONE_OF: Record<string, readonly string[]> = {
  "spec.expect.sizes[]": ["node", "group"]
}
