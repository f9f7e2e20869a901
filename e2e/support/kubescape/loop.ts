/**
 * Stands in for the loop of Kubescape's operator, by what it does and not by its code: a DaemonSet for each label value of the Ready nodes, from the template in
 * the cluster, put again in each cycle, with the operator's marks, as the operator's ServiceAccount; what has no nodes any more is deleted.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { parse } from 'yaml'
import { Api } from '../fleets/api.ts'

// biome-ignore lint/suspicious/noExplicitAny: Kubernetes objects, read back
type Any = any

const NAMESPACE = 'kubescape'
const AT = `/apis/apps/v1/namespaces/${NAMESPACE}/daemonsets`
const CYCLE_MILLISECONDS = 700
const MANAGED_BY = 'kubescape.io/managed-by'
const GROUP = 'kubescape.io/node-group'
const [KI, MI, GI] = [1024, 1024 ** 2, 1024 ** 3]
const UNITS: Record<string, number> = { Ki: KI, Mi: MI, Gi: GI }

export class Loop {
  /** What the API server did not let it do. */
  readonly refused: string[] = []
  readonly #reader: Api
  readonly #operator: Api
  #isRunning = true
  #cycles = 0
  #error: unknown
  readonly #turning: Promise<void>

  constructor(folder: string) {
    this.#reader = new Api(folder)
    const user = `system:serviceaccount:${NAMESPACE}:operator`
    // an API server takes the manager of fields from the first word
    this.#operator = new Api(folder, { 'impersonate-user': user, 'user-agent': 'operator/stand-in' })
    this.#turning = this.#turn().catch((error: unknown) => {
      this.#error = error
    })
  }

  /** Waits for a whole cycle that began after this call. */
  async cycle(): Promise<void> {
    for (const wanted = this.#cycles + 2; this.#cycles < wanted; ) {
      if (this.#error !== undefined) throw this.#error
      await pause(100)
    }
  }

  async stop(): Promise<void> {
    this.#isRunning = false
    await this.#turning
    this.#reader.close()
    this.#operator.close()
    if (this.#error !== undefined) throw this.#error
  }

  async #turn(): Promise<void> {
    for (; this.#isRunning; this.#cycles++) {
      const config = await this.#config()
      if (config?.enabled === true) await this.#reconcile(config)
      await pause(CYCLE_MILLISECONDS)
    }
  }

  /** The part of the operator's configuration that is about the loop; undefined before there is one. */
  async #config(): Promise<Any> {
    const path = `/api/v1/namespaces/${NAMESPACE}/configmaps/operator`
    const read = await this.#find(path)
    return read === undefined ? undefined : JSON.parse(read.data['config.json']).nodeAgentAutoscaler
  }

  async #find(path: string): Promise<Any> {
    try {
      return await this.#reader.get(path)
    } catch (error) {
      if (/: 404 /.test((error as Error).message)) return undefined
      throw error
    }
  }

  async #reconcile(config: Any): Promise<void> {
    const map = await this.#find(`/api/v1/namespaces/${NAMESPACE}/configmaps/node-agent-daemonset-template`)
    const deployment = await this.#find(`/apis/apps/v1/namespaces/${NAMESPACE}/deployments/operator`)
    if (map === undefined || deployment === undefined) return
    const text: string = map.data['daemonset-template.yaml']
    const { items: nodes } = await this.#reader.get('/api/v1/nodes')
    const groups = groupsOf(nodes, config.nodeGroupLabel, text.includes('.IsDefaultGroup'))
    const selector = encodeURIComponent(`${MANAGED_BY}=operator-autoscaler`)
    const { items: present }: { items: Any[] } = await this.#reader.get(`${AT}?labelSelector=${selector}`)
    for (const group of groups) {
      const wanted = daemonSetOf(group, text, config, deployment)
      const live = present.find(({ metadata }) => metadata.labels[GROUP] === group.value)
      await this.#try(() => (live === undefined ? this.#operator.create(wanted) : this.#put(wanted, live)))
    }
    const values = groups.map(({ value }) => value)
    for (const { metadata } of present)
      if (!values.includes(metadata.labels[GROUP]))
        await this.#try(() => this.#operator.delete(`${AT}/${metadata.name}`))
  }

  #put(wanted: Any, { metadata }: Any): Promise<unknown> {
    const { resourceVersion, uid, creationTimestamp } = metadata
    return this.#operator.replace({
      ...wanted,
      metadata: { ...wanted.metadata, resourceVersion, uid, creationTimestamp },
    })
  }

  async #try(write: () => Promise<unknown>): Promise<void> {
    try {
      await write()
    } catch (error) {
      // a conflict is tried again in the next cycle
      const { message } = error as Error
      if (/: 409 /.test(message)) return
      // a cycle that began before the loop was switched off may end after it has lost its rights
      if ((await this.#config())?.enabled === true) this.refused.push(message)
    }
  }
}

interface Group {
  readonly value: string
  readonly isDefault: boolean
  readonly nodes: readonly Any[]
}

function groupsOf(nodes: readonly Any[], key: string, hasDefault: boolean): Group[] {
  const ready = nodes.filter(({ status }) =>
    (status.conditions ?? []).some(({ type, status: is }: Any) => type === 'Ready' && is === 'True'),
  )
  const values = new Set<string | undefined>(ready.map(({ metadata }) => metadata.labels[key]))
  return [...values].flatMap((value) =>
    value === undefined && !hasDefault
      ? []
      : [
          {
            value: value ?? 'default',
            isDefault: value === undefined,
            nodes: ready.filter(({ metadata }) => metadata.labels[key] === value),
          },
        ],
  )
}

/** The DaemonSet of a group, sized by its first node. */
function daemonSetOf(group: Group, text: string, config: Any, { metadata }: Any): Any {
  const { resourcePercentages: percent, minResources: least, maxResources: most } = config
  const { allocatable } = group.nodes[0].status
  const cpu = (share: number) =>
    `${clamped(Math.floor((cores(allocatable.cpu) * share) / 100), cores(least.cpu), cores(most.cpu))}m`
  const memory = (share: number) =>
    clamped(Math.floor((bytes(allocatable.memory) * share) / 100), bytes(least.memory), bytes(most.memory))
  const limit = memory(percent.limitMemory)
  const isBottlerocket = group.nodes.some(({ status }) => /bottlerocket/i.test(status.nodeInfo.osImage))
  const fields: Record<string, string> = {
    Name: `node-agent-${group.value.toLowerCase().replace(/[^a-z0-9]+/g, '-')}`,
    NodeGroupLabel: group.value,
    NodeGroupLabelKey: config.nodeGroupLabel,
    'Resources.Requests.CPU': cpu(percent.requestCPU),
    'Resources.Requests.Memory': sizeText(memory(percent.requestMemory)),
    'Resources.Limits.CPU': cpu(percent.limitCPU),
    'Resources.Limits.Memory': sizeText(limit),
    GoMemLimit: `${Math.floor((limit * (config.goMemLimitPercentage ?? 0.8)) / MI)}MiB`,
    SELinuxType: isBottlerocket && config.bottlerocketAutoDetect === true ? 'super_t' : (config.seLinuxType ?? 'spc_t'),
  }
  const chosen = text
    .replace(/\s*\{\{- if not \.IsDefaultGroup \}\}([\s\S]*?)\{\{- end \}\}/g, group.isDefault ? '' : '$1')
    .replace(
      /\s*\{\{- if \.IsDefaultGroup \}\}([\s\S]*?)\{\{- else \}\}([\s\S]*?)\{\{- end \}\}/g,
      group.isDefault ? '$1' : '$2',
    )
  const object = parse(chosen.replace(/\{\{ \.([\w.]+) \}\}/g, (_, name: string) => fields[name] ?? `unknown ${name}`))
  const owner = { apiVersion: 'apps/v1', kind: 'Deployment', name: metadata.name, uid: metadata.uid }
  return {
    ...object,
    metadata: {
      ...object.metadata,
      labels: { ...object.metadata.labels, [MANAGED_BY]: 'operator-autoscaler', [GROUP]: group.value },
      annotations: {
        'argocd.argoproj.io/compare-options': 'IgnoreExtraneous',
        'argocd.argoproj.io/sync-options': 'Prune=false',
      },
      ownerReferences: [{ ...owner, controller: true, blockOwnerDeletion: true }],
    },
  }
}

const clamped = (value: number, least: number, most: number) => Math.min(Math.max(value, least), most)
const cores = (text: string) => (text.endsWith('m') ? Number(text.slice(0, -1)) : Number(text) * 1000)
const bytes = (text: string) => Number.parseInt(text, 10) * (UNITS[text.replace(/^\d+/, '')] ?? 1)
const sizeText = (size: number) => (size % GI === 0 ? `${size / GI}Gi` : `${Math.floor(size / MI)}Mi`)
