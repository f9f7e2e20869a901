/** Generated from fn-config/ by npm run generate. Do not edit. */

export const SYNC_CONFIG_DEFAULTS = {
  "collect": ["nodes"],
  "usage": {
    "schedule": "0 9 * * 2",
    "timeZone": "UTC"
  },
  "labels": [],
  "inventory": {
    "exact": false,
    "uid": false,
    "counts": false
  },
  "packages": [],
  "mode": "inventory",
  "review": {
    "prefix": "nodefit/",
    "pushOptions": []
  },
  "dryRun": false,
  "suspend": false,
  "git": {
    "branch": "main",
    "credentials": "/etc/nodefit/git",
    "cache": "/var/cache/nodefit",
    "author": {
      "name": "nodefit sync",
      "email": "sync@nodefit.dev"
    },
    "signOff": false,
    "signing": {
      "format": "ssh"
    },
    "pushVia": "git",
    "pushOptions": [],
    "timeout": "2m"
  },
  "quietWindow": "15s",
  "maxWindow": "45s",
  "minPushInterval": "30s",
  "reconcileInterval": "5m",
  "readyDebounce": "2m",
  "retainShapes": "336h",
  "pageSize": 500,
  "relistInterval": "10m",
  "guards": {
    "settle": "10m",
    "maxGroupsAdded": 10,
    "maxNodesReplaced": "50%"
  },
  "limits": {
    "file": "8Mi",
    "packages": "64Mi"
  },
  "leaderElection": {
    "enabled": true,
    "name": "nodefit-sync"
  },
  "actions": {
    "namespace": "nodefit-actions"
  },
  "health": {
    "address": ":8080",
    "readyWithin": "15m"
  },
  "hook": {
    "address": ":8081",
    "secret": "/etc/nodefit/hook"
  }
} as const

export const SYNC_CONFIG_FIELDS: Record<string, readonly string[]> = {
  "": ["apiVersion", "kind", "metadata", "spec"],
  "spec": ["cluster", "collect", "usage", "labels", "inventory", "packages", "mode", "output", "review", "dryRun", "suspend", "git", "quietWindow", "maxWindow", "minPushInterval", "reconcileInterval", "maxAge", "readyDebounce", "retainShapes", "pageSize", "relistInterval", "guards", "limits", "leaderElection", "actions", "health", "hook"],
  "spec.usage": ["schedule", "timeZone"],
  "spec.inventory": ["exact", "uid", "counts"],
  "spec.review": ["prefix", "pushOptions"],
  "spec.git": ["url", "branch", "folder", "credentials", "cache", "author", "committer", "messageTemplate", "signOff", "signing", "pushVia", "pushOptions", "timeout"],
  "spec.git.author": ["name", "email"],
  "spec.git.committer": ["name", "email"],
  "spec.git.signing": ["format", "key"],
  "spec.guards": ["settle", "maxGroupsAdded", "maxNodesReplaced"],
  "spec.limits": ["file", "packages"],
  "spec.leaderElection": ["enabled", "namespace", "name", "identity"],
  "spec.actions": ["trust", "keyring", "namespace"],
  "spec.health": ["address", "readyWithin"],
  "spec.hook": ["address", "secret"]
}

export const SYNC_CONFIG_ONE_OF: Record<string, readonly string[]> = {}
