/** The thirteen agents of a first hour: DaemonSets made of the facts in `testdata/first-hour/agents` (tools/agent-facts.ts). */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { ROOT } from '../support/hosts.ts'
import type { Container, DaemonSet, PodSpec } from './kubernetes.ts'

export const AGENTS = [
  'promtail',
  'kured',
  'tetragon',
  'ingress-nginx',
  'filebeat',
  'calico',
  'nvidia-device-plugin',
  'metallb',
  'longhorn',
  'secrets-store-csi',
  'splunk',
  'node-local-dns',
  'linkerd-cni',
] as const
export type AgentName = (typeof AGENTS)[number]

interface ContainerFacts extends Omit<Container, 'env' | 'volumeMounts' | 'securityContext'> {
  readonly privileged?: boolean
  /** Variables that a runtime takes its heap from: a literal, or a field. */
  readonly heap?: Readonly<Record<string, string | object | null>>
  readonly hostPaths?: ReadonlyArray<{ readonly path: string; readonly mountPath: string; readonly readOnly?: true }>
}

interface AgentFacts {
  readonly name: string
  readonly namespace?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly selector: object
  readonly podLabels: Readonly<Record<string, string>>
  readonly updateStrategy?: object
  readonly nodeSelector?: PodSpec['nodeSelector']
  readonly affinity?: PodSpec['affinity']
  readonly tolerations?: PodSpec['tolerations']
  readonly hostNetwork?: boolean
  readonly priorityClassName?: string
  readonly resources?: PodSpec['resources']
  readonly initContainers?: readonly ContainerFacts[]
  readonly containers: readonly ContainerFacts[]
}

/** The DaemonSet of an agent. */
export function agentDaemonSet(agent: AgentName): DaemonSet {
  const facts = parse(readFileSync(join(ROOT, `testdata/first-hour/agents/${agent}.yaml`), 'utf8')) as AgentFacts
  const { name, namespace, labels, selector, podLabels, updateStrategy, initContainers, containers, ...pod } = facts
  const { nodeSelector, affinity, tolerations, hostNetwork, priorityClassName, resources } = pod
  const all = [...(initContainers ?? []), ...containers]
  const paths = [...new Set(all.flatMap(({ hostPaths = [] }) => hostPaths.map(({ path }) => path)))]
  const container = ({ privileged, heap = {}, hostPaths = [], ...rest }: ContainerFacts): Container => ({
    ...rest,
    ...(privileged === undefined ? {} : { securityContext: { privileged } }),
    ...listIn(
      'env',
      Object.entries(heap).map(([variable, value]) => variableOf(variable, value)),
    ),
    ...listIn(
      'volumeMounts',
      hostPaths.map(({ path, ...mount }) => ({ name: `host-${paths.indexOf(path)}`, ...mount })),
    ),
  })
  return {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name, ...definedIn({ namespace, labels }) },
    spec: {
      selector,
      ...definedIn({ updateStrategy }),
      template: {
        metadata: { labels: podLabels },
        spec: {
          ...definedIn({ nodeSelector, affinity, tolerations, hostNetwork, priorityClassName, resources }),
          ...listIn('initContainers', (initContainers ?? []).map(container)),
          containers: containers.map(container),
          ...listIn(
            'volumes',
            paths.map((path, index) => ({ name: `host-${index}`, hostPath: { path } })),
          ),
        },
      },
    },
  }
}

function variableOf(name: string, value: string | object | null): object {
  if (typeof value === 'object' && value !== null) return { name, valueFrom: value }
  return { name, value: value ?? '' }
}

function definedIn<T extends object>(map: T): T {
  return Object.fromEntries(Object.entries(map).filter(([, value]) => value !== undefined)) as T
}

function listIn(key: string, list: readonly object[]): object {
  return list.length === 0 ? {} : { [key]: list }
}
