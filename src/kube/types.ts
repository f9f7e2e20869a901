/** The parts of Kubernetes objects that this folder reads, in Kubernetes' JSON shape. */

export type Labels = Record<string, string>

export interface Taint {
  key: string
  value?: string
  effect: string
  timeAdded?: unknown
}

export interface Toleration {
  key?: string
  operator?: string
  value?: string
  effect?: string
  tolerationSeconds?: number
}

export interface LabelSelectorRequirement {
  key: string
  operator: string
  values?: string[] | null
}

export interface LabelSelector {
  matchLabels?: Labels
  matchExpressions?: LabelSelectorRequirement[]
}

export interface NodeSelectorRequirement {
  key: string
  operator: string
  values?: string[] | null
}

export interface NodeSelectorTerm {
  matchExpressions?: NodeSelectorRequirement[]
  matchFields?: NodeSelectorRequirement[]
}

export interface NodeSelector {
  nodeSelectorTerms?: NodeSelectorTerm[]
}

export interface Affinity {
  nodeAffinity?: {
    requiredDuringSchedulingIgnoredDuringExecution?: NodeSelector
    preferredDuringSchedulingIgnoredDuringExecution?: unknown[]
  }
  podAffinity?: unknown
  podAntiAffinity?: unknown
}

export type ResourceQuantities = Record<string, string | number>

export interface ResourceRequirements {
  requests?: ResourceQuantities
  limits?: ResourceQuantities
}

export interface EnvVar {
  name: string
  value?: string
  valueFrom?: unknown
}

export interface Container {
  name: string
  restartPolicy?: string
  resources?: ResourceRequirements
  env?: EnvVar[]
  volumeMounts?: Array<{ name?: string; mountPath?: string }>
  securityContext?: { seLinuxOptions?: object }
}

export interface PodSpec {
  nodeName?: string
  nodeSelector?: Labels
  affinity?: Affinity
  tolerations?: Toleration[]
  hostNetwork?: boolean
  containers?: Container[]
  initContainers?: Container[]
  overhead?: ResourceQuantities
  resources?: ResourceRequirements
  [field: string]: unknown
}

export interface PodTemplateSpec {
  metadata?: { labels?: Labels; annotations?: Record<string, string>; [field: string]: unknown }
  spec?: PodSpec
}

export interface Node {
  metadata: { name: string; labels?: Labels; [field: string]: unknown }
  spec?: { taints?: Taint[]; unschedulable?: boolean; [field: string]: unknown }
  status?: { [field: string]: unknown }
}
