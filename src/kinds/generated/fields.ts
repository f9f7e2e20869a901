/** Generated from fn-config/ by npm run generate. Do not edit. */

import type { Kind } from './types.ts'

export const SIZING_POLICY_DEFAULTS = {
  "enabled": true,
  "targetRef": {
    "apiVersion": "apps/v1",
    "kind": "DaemonSet"
  },
  "nodeGroupLabel": "node.kubernetes.io/instance-type",
  "usage": {
    "updateMode": "Off",
    "controlledValues": "RequestsAndLimits",
    "marginPercent": 15
  },
  "defaultNodeGroup": "default",
  "remainder": true,
  "labels": {
    "managedBy": "nodefit.dev/managed-by=nodefit",
    "nodeGroup": "nodefit.dev/node-group"
  },
  "retainGroups": "336h",
  "startupTaints": [
    {
      "key": "node.cilium.io/agent-not-ready"
    },
    {
      "key": "ebs.csi.aws.com/agent-not-ready"
    },
    {
      "key": "efs.csi.aws.com/agent-not-ready"
    },
    {
      "key": "fsx.csi.aws.com/agent-not-ready"
    },
    {
      "key": "s3.csi.aws.com/agent-not-ready"
    },
    {
      "key": "cni.istio.io/not-ready"
    },
    {
      "key": "karpenter.sh/unregistered"
    },
    {
      "key": "node.cloudprovider.kubernetes.io/uninitialized"
    },
    {
      "key": "startup-taint.cluster-autoscaler.kubernetes.io/*"
    },
    {
      "key": "ignore-taint.cluster-autoscaler.kubernetes.io/*"
    }
  ],
  "basis": "smallest",
  "hysteresisPercent": 0,
  "suspend": false
} as const

export const CONFIG_MAP_DEFAULTS = {
  "targetRef": {
    "apiVersion": "v1",
    "key": "daemonset-template.yaml"
  },
  "resourcePercentages": {
    "requestCPU": 2,
    "requestMemory": 2,
    "limitCPU": 5,
    "limitMemory": 5
  },
  "minResources": {
    "cpu": "100m",
    "memory": "180Mi"
  },
  "maxResources": {
    "cpu": "2000m",
    "memory": "4Gi"
  },
  "labels": {
    "managedBy": "kubescape.io/managed-by=operator-autoscaler",
    "nodeGroup": "kubescape.io/node-group"
  },
  "goMemLimitPercentage": 0.8,
  "seLinuxType": "spc_t",
  "bottlerocketAutoDetect": true
} as const

export const RENDER_CONFIG_DEFAULTS = {
  "failOn": "error",
  "check": false,
  "guards": {
    "maxGroupsRemoved": "50%",
    "maxNodesLost": "50%",
    "maxShrinkPercent": 50,
    "deletion": false,
    "maxPodsRestarted": "any"
  },
  "korder": {
    "pin": "affinity",
    "nodeIdentity": "name",
    "keep": false,
    "claimed": "renew"
  }
} as const

export const ORDER_DEFAULTS = {
  "paused": false,
  "strategy": {
    "refreshPolicy": "OnClaim",
    "type": "OneTime"
  },
  "refreshPolicy": "OnClaim",
  "template": {
    "spec": {
      "lifecycle": {
        "cleanupPolicy": "Delete",
        "ttlSecondsAfterFinished": 3600
      },
      "duration": "24h",
      "window": {
        "timeZone": "UTC",
        "duration": "24h"
      },
      "schedulerName": "default-scheduler",
      "resources": {
        "requests": {
          "cpu": "100m",
          "memory": "128Mi"
        }
      }
    }
  }
} as const

export const POOL_POLICY_DEFAULTS = {
  "enabled": true,
  "choice": "first",
  "sizing": "Fixed",
  "architecture": "amd64",
  "reserved": {
    "cpu": "0",
    "memory": "0"
  },
  "overhead": {
    "cpu": "0",
    "memory": "0",
    "pods": 0
  },
  "priority": 0,
  "requireTargeting": false,
  "scaleUp": {
    "batchSize": 0
  },
  "scaleDown": {
    "maxConcurrent": 1,
    "drainTimeout": "10m"
  },
  "times": {
    "settle": "5m",
    "trust": "10m",
    "provision": "15m"
  },
  "headroom": {
    "cpu": "0",
    "memory": "0",
    "pods": 0
  },
  "output": {
    "kind": "NodeSmithClaim",
    "mode": "dynamic"
  }
} as const

export const NODE_SMITH_POOL_DEFAULTS = {
  "poolLabelKey": "topology.kubenodesmith.io/pool"
} as const

export const ACTION_TRUST_DEFAULTS = {
  "requireSignature": true,
  "maxLifetime": "24h",
  "maxReplicas": 50,
  "maxConcurrent": 1,
  "allowControlPlane": false,
  "allowLabels": [],
  "maxClockSkew": "1m",
  "job": {
    "namespace": "nodefit-actions"
  },
  "pools": true
} as const

export const ACTION_POLICY_DEFAULTS = {
  "requireSignature": true,
  "suspend": false,
  "maxLifetime": "24h",
  "maxReplicas": 50,
  "maxConcurrent": 1,
  "allowControlPlane": false,
  "allowLabels": [],
  "partialDeployments": false,
  "drain": {
    "as": "Job",
    "hold": "cordon"
  },
  "job": {
    "namespace": "nodefit-actions"
  }
} as const

export const FLAT_KEYS: Record<string, { path: string; type: string }> = {
  "name": {
    "path": "metadata.name",
    "type": "string"
  },
  "namespace": {
    "path": "metadata.namespace",
    "type": "string"
  },
  "target": {
    "path": "spec.targetRef.name",
    "type": "string"
  },
  "nodeGroupLabel": {
    "path": "spec.nodeGroupLabel",
    "type": "string"
  },
  "requestCPU": {
    "path": "spec.resourcePercentages.requestCPU",
    "type": "percentage"
  },
  "requestMemory": {
    "path": "spec.resourcePercentages.requestMemory",
    "type": "percentage"
  },
  "limitCPU": {
    "path": "spec.resourcePercentages.limitCPU",
    "type": "percentage"
  },
  "limitMemory": {
    "path": "spec.resourcePercentages.limitMemory",
    "type": "percentage"
  },
  "minCPU": {
    "path": "spec.minResources.cpu",
    "type": "string"
  },
  "minMemory": {
    "path": "spec.minResources.memory",
    "type": "string"
  },
  "minLimitCPU": {
    "path": "spec.minResources.limitCPU",
    "type": "string"
  },
  "minLimitMemory": {
    "path": "spec.minResources.limitMemory",
    "type": "string"
  },
  "maxCPU": {
    "path": "spec.maxResources.cpu",
    "type": "string"
  },
  "maxMemory": {
    "path": "spec.maxResources.memory",
    "type": "string"
  },
  "maxLimitCPU": {
    "path": "spec.maxResources.limitCPU",
    "type": "string"
  },
  "maxLimitMemory": {
    "path": "spec.maxResources.limitMemory",
    "type": "string"
  },
  "defaultNodeGroup": {
    "path": "spec.defaultNodeGroup",
    "type": "string"
  },
  "remainder": {
    "path": "spec.remainder",
    "type": "boolean"
  },
  "containers": {
    "path": "spec.containers",
    "type": "shares"
  }
}

export const NOT_BUILT: Record<Kind, readonly string[]> = {
  "SizingPolicy": [],
  "NodeInventory": [],
  "RenderConfig": [],
  "WorkloadSnapshot": [],
  "Order": [],
  "NodeAction": [],
  "ActionPolicy": [],
  "ActionKeyring": [],
  "ActionRecord": [],
  "ActionTrust": [],
  "PoolPolicy": [],
  "NodeSmithPool": []
}

export const NO_EFFECT: Record<string, string> = {
  "templatePath": "targetRef names the template",
  "operatorDeploymentName": "what is rendered has no owner references"
}

export const KNOWN_FIELDS: Record<Kind, Record<string, readonly string[]>> = {
  "SizingPolicy": {
    "": ["apiVersion", "kind", "metadata", "spec"],
    "metadata": ["name", "namespace", "labels", "annotations"],
    "spec": ["enabled", "cluster", "targetRef", "nodeGroupLabel", "nodeGroupLabels", "nodeGroupRanges", "groups", "resourcePercentages", "minResources", "maxResources", "usage", "reconcileInterval", "defaultNodeGroup", "remainder", "nodeSelector", "affinity", "tolerations", "containers", "env", "overrides", "names", "labels", "goMemLimitPercentage", "gomemlimitPercentage", "seLinuxType", "bottlerocketAutoDetect", "templatePath", "operatorDeploymentName", "retainGroups", "startupTaints", "formerNames", "basis", "step", "hysteresisPercent", "classes", "suspend", "rollout"],
    "spec.targetRef": ["apiVersion", "kind", "name", "key"],
    "spec.nodeGroupRanges": ["label", "bounds"],
    "spec.groups[]": ["name", "nodeSelector", "resourcePercentages", "minResources", "maxResources", "usage"],
    "spec.groups[].resourcePercentages": ["requestCPU", "requestMemory", "limitCPU", "limitMemory"],
    "spec.groups[].minResources": ["cpu", "memory", "limitCPU", "limitMemory"],
    "spec.groups[].maxResources": ["cpu", "memory", "limitCPU", "limitMemory"],
    "spec.groups[].usage": ["updateMode", "controlledResources", "controlledValues", "marginPercent"],
    "spec.resourcePercentages": ["requestCPU", "requestMemory", "limitCPU", "limitMemory"],
    "spec.minResources": ["cpu", "memory", "limitCPU", "limitMemory"],
    "spec.maxResources": ["cpu", "memory", "limitCPU", "limitMemory"],
    "spec.usage": ["updateMode", "controlledResources", "controlledValues", "marginPercent"],
    "spec.affinity": ["nodeAffinity", "podAffinity", "podAntiAffinity"],
    "spec.affinity.nodeAffinity": ["requiredDuringSchedulingIgnoredDuringExecution", "preferredDuringSchedulingIgnoredDuringExecution"],
    "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution": ["nodeSelectorTerms"],
    "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[]": ["matchExpressions", "matchFields"],
    "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[].matchExpressions[]": ["key", "operator", "values"],
    "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[].matchFields[]": ["key", "operator", "values"],
    "spec.tolerations[]": ["key", "operator", "value", "effect", "tolerationSeconds"],
    "spec.containers[]": ["name", "share"],
    "spec.env[]": ["container", "name", "from", "fraction", "unit", "suffix"],
    "spec.overrides[]": ["groups", "resourcePercentages", "minResources", "maxResources", "usage"],
    "spec.overrides[].resourcePercentages": ["requestCPU", "requestMemory", "limitCPU", "limitMemory"],
    "spec.overrides[].minResources": ["cpu", "memory", "limitCPU", "limitMemory"],
    "spec.overrides[].maxResources": ["cpu", "memory", "limitCPU", "limitMemory"],
    "spec.overrides[].usage": ["updateMode", "controlledResources", "controlledValues", "marginPercent"],
    "spec.labels": ["managedBy", "nodeGroup"],
    "spec.startupTaints[]": ["key", "effect"],
    "spec.step": ["cpu", "memory"],
    "spec.classes": ["ratio"],
    "spec.rollout": ["maxNodes", "every", "waves"]
  },
  "NodeInventory": {
    "": ["apiVersion", "kind", "metadata", "spec"],
    "metadata": ["name"],
    "spec": ["cluster", "clusterUid", "observedAt", "labelKeys", "nodeCount", "shapes"],
    "spec.shapes[]": ["labels", "taints", "ready", "unschedulable", "osImage", "capacity", "allocatable", "nodes", "count", "uids", "emptySince"],
    "spec.shapes[].taints[]": ["key", "value", "effect"]
  },
  "RenderConfig": {
    "": ["apiVersion", "kind", "metadata", "spec"],
    "spec": ["cluster", "now", "allow", "severity", "failOn", "check", "expect", "guards", "korder", "holes", "autoscaler"],
    "spec.severity[]": ["code", "as", "reason"],
    "spec.expect": ["policies", "policyNames", "orders"],
    "spec.guards": ["maxGroupsRemoved", "maxNodesLost", "maxShrinkPercent", "deletion", "maxPodsRestarted"],
    "spec.korder": ["dialect", "pin", "nodeIdentity", "keep", "claimed", "orderLabel", "renewAfter", "rollout"],
    "spec.korder.rollout": ["maxNodes", "every"],
    "spec.holes[]": ["policy", "labels", "notInteger", "reason"],
    "spec.autoscaler": ["kind", "version"]
  },
  "WorkloadSnapshot": {
    "": ["apiVersion", "kind", "metadata", "spec"],
    "metadata": ["name"],
    "spec": ["cluster", "clusterUid", "observedAt", "metricsAvailable", "collected", "nodes", "daemonSets", "namespaces", "pending", "claims", "pools", "machines", "tickets", "usage", "events", "workloads", "capacity", "components", "targets", "outcomes"],
    "spec.collected": ["nodes", "namespaces", "pending", "claims", "pools", "machines", "tickets", "usage", "events", "workloads", "components"],
    "spec.nodes[]": ["name", "uid", "claim", "machine", "readySince", "idleSince", "blocking", "deleting", "annotations", "used", "daemons"],
    "spec.daemonSets[]": ["namespace", "name", "requests", "nodes", "nodesExcept"],
    "spec.namespaces[]": ["name", "pods"],
    "spec.pending[]": ["like", "pods"],
    "spec.pending[].like": ["requests", "nodeSelector", "affinity", "tolerations", "priority", "priorityClassName", "schedulerName", "controller", "gates", "limits"],
    "spec.pending[].pods[]": ["namespace", "name", "uid", "since", "reason", "nominated", "deleting"],
    "spec.claims[]": ["name", "namespace", "poolRef", "requirements", "deleting", "ready", "failed", "owner", "terminationGracePeriod", "nodeName", "createdAt", "openedAt", "idempotencyKey", "claims"],
    "spec.claims[].requirements": ["cpuCores", "memoryMiB"],
    "spec.claims[].claims[]": ["name", "nodeName", "createdAt", "openedAt", "idempotencyKey"],
    "spec.pools[]": ["namespace", "name", "limits", "lastScaleActivity", "nextClaimSequence", "deleting"],
    "spec.pools[].limits": ["minNodes", "maxNodes", "cpuCores", "memoryMiB"],
    "spec.machines[]": ["kind", "namespace", "name", "owner", "replicas", "nodeName", "createdAt", "failed", "deleting", "marked"],
    "spec.tickets[]": ["namespace", "name", "order", "node", "phase", "claimedAt", "expiresAt", "since", "reason", "pod", "podGone"],
    "spec.usage[]": ["policy", "container", "group", "node", "emptySince", "days", "newest", "pods", "seen", "kills", "follows", "ages", "settled"],
    "spec.usage[].seen": ["cpu", "memory", "peak", "peakAt"],
    "spec.usage[].kills": ["count", "pods", "limit", "last"],
    "spec.usage[].follows": ["median", "limit"],
    "spec.usage[].ages": ["firstDay", "weekOld"],
    "spec.usage[].settled": ["cpu", "memory", "limitCPU", "limitMemory", "at", "why", "evidence", "raisedAt"],
    "spec.events[]": ["uid", "reason", "object", "count", "lastSeen"],
    "spec.workloads[]": ["object", "policy", "group", "desired", "updated", "ready", "restarts", "waiting", "terminated", "containers"],
    "spec.workloads[].containers[]": ["name", "requests", "limits", "seen"],
    "spec.workloads[].containers[].seen": ["cpu", "memory", "peak", "peakAt"],
    "spec.capacity": ["nodes", "ready", "unschedulable", "capacity", "allocatable", "measured", "usage"],
    "spec.components[]": ["name", "healthy", "restarts"],
    "spec.targets[]": ["kind", "namespace", "name", "uid", "node", "controller", "mirror"],
    "spec.outcomes[]": ["action", "digest", "sequence", "fields", "state", "held", "proof", "message", "blocking", "observedAt", "keepUntil"],
    "spec.outcomes[].blocking[]": ["pod", "by"]
  },
  "Order": {
    "": ["apiVersion", "kind", "metadata", "status", "spec"],
    "metadata": ["name"],
    "spec": ["daemonSet", "paused", "replicas", "minReadySeconds", "selector", "strategy", "refreshPolicy", "template"],
    "spec.strategy": ["type", "schedule", "refreshPolicy"],
    "spec.template": ["metadata", "spec"],
    "spec.template.metadata": ["labels", "annotations", "creationTimestamp"],
    "spec.template.spec": ["lifecycle", "duration", "startTime", "window", "schedulerName", "priorityClassName", "nodeName", "resources", "nodeSelector", "affinity", "tolerations", "topologySpreadConstraints"],
    "spec.template.spec.lifecycle": ["cleanupPolicy", "ttlSecondsAfterFinished"],
    "spec.template.spec.window": ["startTime", "timeZone", "duration"],
    "spec.template.spec.resources": ["requests", "limits", "claims"],
    "spec.template.spec.affinity": ["nodeAffinity", "podAffinity", "podAntiAffinity"],
    "spec.template.spec.affinity.nodeAffinity": ["requiredDuringSchedulingIgnoredDuringExecution", "preferredDuringSchedulingIgnoredDuringExecution"],
    "spec.template.spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution": ["nodeSelectorTerms"],
    "spec.template.spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[]": ["matchExpressions", "matchFields"],
    "spec.template.spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[].matchExpressions[]": ["key", "operator", "values"],
    "spec.template.spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[].matchFields[]": ["key", "operator", "values"],
    "spec.template.spec.tolerations[]": ["key", "operator", "value", "effect", "tolerationSeconds"]
  },
  "NodeAction": {
    "": ["apiVersion", "kind", "metadata", "spec", "signature"],
    "spec": ["id", "cluster", "clusterUid", "type", "target", "parameters", "sequence", "issuedAt", "notBefore", "expiresAt", "reason", "requester"],
    "spec.target": ["kind", "namespace", "name", "uid"],
    "signature": ["alg", "keyId", "value"],
    "signature[]": ["alg", "keyId", "value"]
  },
  "ActionPolicy": {
    "": ["apiVersion", "kind", "metadata", "spec"],
    "spec": ["types", "requireSignature", "suspend", "maxLifetime", "maxReplicas", "maxConcurrent", "allowControlPlane", "allowLabels", "partialDeployments", "drain", "job"],
    "spec.drain": ["as", "hold"],
    "spec.job": ["namespace", "image", "evictImage"]
  },
  "ActionKeyring": {
    "": ["apiVersion", "kind", "metadata", "keys"],
    "keys[]": ["keyId", "alg", "public", "secretFile", "secret", "notBefore", "notAfter", "types"]
  },
  "ActionRecord": {
    "": ["apiVersion", "kind", "metadata", "spec"],
    "spec": ["sequences", "done", "setBackAt", "spentUntil", "keepUntil", "expiredUntil"]
  },
  "ActionTrust": {
    "": ["apiVersion", "kind", "metadata", "spec"],
    "spec": ["cluster", "clusterUid", "keys", "retired", "types", "requireSignature", "signatures", "maxLifetime", "maxReplicas", "maxConcurrent", "allowControlPlane", "allowLabels", "nodeSelector", "maxClockSkew", "images", "job", "pools"],
    "spec.keys[]": ["keyId", "alg", "public", "secretFile", "secret", "notBefore", "notAfter", "types"],
    "spec.signatures": ["cordonNode", "uncordonNode", "labelNode", "taintNode", "untaintNode", "drainNode", "evictPod", "scaleDeployment", "setImage", "labelDeployment"],
    "spec.job": ["namespace"]
  },
  "PoolPolicy": {
    "": ["apiVersion", "kind", "metadata", "spec"],
    "metadata": ["name", "namespace"],
    "spec": ["poolRef", "enabled", "cluster", "limits", "machines", "choice", "sizing", "architecture", "taints", "startupTaints", "reserved", "overhead", "priority", "requireTargeting", "scaleUp", "scaleDown", "expireAfter", "times", "headroom", "output"],
    "spec.limits": ["minNodes", "maxNodes", "cpuCores", "memoryMiB"],
    "spec.machines[]": ["cpuCores", "memoryMiB", "pods", "resources"],
    "spec.taints[]": ["key", "value", "effect"],
    "spec.startupTaints[]": ["key", "value", "effect"],
    "spec.reserved": ["cpu", "memory"],
    "spec.overhead": ["cpu", "memory", "pods"],
    "spec.scaleUp": ["batchSize"],
    "spec.scaleDown": ["maxConcurrent", "drainTimeout"],
    "spec.times": ["settle", "trust", "provision"],
    "spec.headroom": ["cpu", "memory", "pods"],
    "spec.output": ["kind", "namePrefix", "name", "namespace", "mode", "nodeClassRef", "requirements", "template", "forceDrainAfter"],
    "spec.output.nodeClassRef": ["group", "kind", "name"]
  },
  "NodeSmithPool": {
    "": ["apiVersion", "kind", "metadata", "status", "spec"],
    "metadata": ["name", "namespace"],
    "spec": ["providerRef", "poolLabelKey", "limits", "machineTemplate", "scaleUp", "scaleDown"],
    "spec.limits": ["minNodes", "maxNodes", "cpuCores", "memoryMiB"],
    "spec.machineTemplate": ["labels"],
    "spec.scaleUp": ["stabilizationWindow"],
    "spec.scaleDown": ["stabilizationWindow"]
  }
}

export const OWN_KINDS: readonly Kind[] = ["SizingPolicy", "NodeInventory", "RenderConfig", "WorkloadSnapshot", "NodeAction", "ActionPolicy", "ActionKeyring", "ActionRecord", "ActionTrust", "PoolPolicy"]

export const ONE_OF: Record<Kind, Record<string, readonly string[]>> = {
  "SizingPolicy": {},
  "NodeInventory": {
    "spec.shapes[]": ["nodes", "count"]
  },
  "RenderConfig": {},
  "WorkloadSnapshot": {},
  "Order": {},
  "NodeAction": {},
  "ActionPolicy": {},
  "ActionKeyring": {},
  "ActionRecord": {},
  "ActionTrust": {},
  "PoolPolicy": {},
  "NodeSmithPool": {}
}
