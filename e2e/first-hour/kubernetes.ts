/** What the recomputation reads of DaemonSets and nodes. It shares nothing with `src/`, types included. */

export type Amounts = Readonly<Record<string, string | number>>

export interface Resources {
  readonly requests?: Amounts
  readonly limits?: Amounts
}

export interface Container {
  readonly name: string
  readonly image: string
  readonly restartPolicy?: string
  readonly resources?: Resources
  readonly ports?: readonly object[]
  readonly env?: readonly object[]
  readonly volumeMounts?: readonly object[]
  readonly securityContext?: object
}

export interface Expression {
  readonly key: string
  readonly operator: string
  readonly values?: readonly string[]
}

export interface Term {
  readonly matchExpressions?: readonly Expression[]
  readonly matchFields?: readonly Expression[]
}

export interface Toleration {
  readonly key?: string
  readonly operator?: string
  readonly value?: string
  readonly effect?: string
}

export interface PodSpec {
  readonly nodeName?: string
  readonly nodeSelector?: Readonly<Record<string, string>>
  readonly affinity?: {
    readonly nodeAffinity?: {
      readonly requiredDuringSchedulingIgnoredDuringExecution?: { readonly nodeSelectorTerms: readonly Term[] }
    }
  }
  readonly tolerations?: readonly Toleration[]
  readonly hostNetwork?: boolean
  readonly priorityClassName?: string
  readonly overhead?: Amounts
  readonly resources?: Resources
  readonly initContainers?: readonly Container[]
  readonly containers: readonly Container[]
}

export interface DaemonSet {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: {
    readonly name: string
    readonly namespace?: string
    readonly labels?: Readonly<Record<string, string>>
  }
  readonly spec: {
    readonly selector: object
    readonly template: {
      readonly metadata: { readonly labels: Readonly<Record<string, string>> }
      readonly spec: PodSpec
    }
  }
}

export interface Taint {
  readonly key: string
  readonly value?: string
  readonly effect: string
}

export interface Node {
  readonly metadata: { readonly name: string; readonly labels: Readonly<Record<string, string>> }
  readonly spec: { readonly taints?: readonly Taint[]; readonly unschedulable?: boolean }
  readonly status: {
    readonly allocatable: Amounts
    readonly conditions?: ReadonlyArray<{ readonly type: string; readonly status: string }>
  }
}
