import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { node, OS, TYPE } from '../../test/support/objects.ts'
import type { Cluster } from './cluster.ts'
import { eventually } from './eventually.ts'
import { Api } from './fleets/api.ts'
import { ROOT } from './hosts.ts'
import { nodeOf } from './pods-by-node.ts'
import type { Repository } from './repository.ts'

// biome-ignore lint/suspicious/noExplicitAny: Kubernetes objects of any kind, read back
type Any = any

const NAMESPACE = 'logging'
const PACKAGE = join(ROOT, 'testdata/quickstart')
const AGENT = 'fluent-bit'
const CPU: Record<string, string> = { 'm5.large': '2', 'm5.4xlarge': '16' }
const PATIENCE_SECONDS = 240

/** The agents of one policy in a cluster in which something applies what is in Git. */
export class Followed {
  readonly api: Api
  readonly #repository: Repository
  readonly #app: string

  /** `app` is the name of the agent, other than that of the package that is copied where there are several. */
  constructor(cluster: Cluster, repository: Repository, app: string) {
    this.api = new Api(cluster.folder)
    this.#repository = repository
    this.#app = app
  }

  /** Puts its policy and its template into the work tree, without any nodes. */
  copyPackage(folder: string): void {
    for (const file of ['policy.yaml', 'daemonset.yaml']) {
      const text = readFileSync(join(PACKAGE, file), 'utf8')
      this.#repository.write(`${folder}/${file}`, text.replaceAll(AGENT, this.#app))
    }
  }

  /** Has a node join. */
  async add(name: string, type: string): Promise<void> {
    const allocatable = { cpu: CPU[type] ?? '4', memory: '16Gi', pods: '110' }
    const conditions = [{ type: 'Ready', status: 'True', lastTransitionTime: '2026-11-20T12:00:00Z' }]
    const status = { allocatable, capacity: allocatable, conditions }
    await this.api.create(node(name, { [OS]: 'linux', [TYPE]: type }, '', '', { status }))
  }

  /** The names of the DaemonSets that groups of these types have. */
  groups(...types: readonly string[]): string[] {
    return [...types.map((type) => type.replace('.', '-')), 'default', 'remainder']
      .map((group) => `${this.#app}-${group}`)
      .sort()
  }

  async names(): Promise<string[]> {
    return Object.keys(await this.versions())
  }

  /** Its DaemonSets, each with what tells it from one that was deleted or changed since. */
  async versions(): Promise<Record<string, string>> {
    const { items }: { items: Any[] } = await this.api.get(`/apis/apps/v1/namespaces/${NAMESPACE}/daemonsets`)
    const own = items.filter(({ metadata }) => metadata.name.startsWith(`${this.#app}-`))
    return Object.fromEntries(
      own.map(({ metadata }) => [metadata.name, `${metadata.uid} ${metadata.generation}`]).sort(),
    )
  }

  /** Waits until these nodes have exactly one agent each, of the group that is named; with `areReady` one that is ready. */
  async served(groups: Readonly<Record<string, string>>, areReady = false): Promise<void> {
    const expected = JSON.stringify(Object.entries(groups).map(([name, group]) => [name, [`${this.#app}-${group}`]]))
    let last = ''
    const isSo = async () => {
      const pods = (await this.#pods()).filter((pod) => !areReady || isReady(pod))
      const owners = (name: string) =>
        pods.filter(({ spec }) => nodeOf(spec) === name).map(({ metadata }) => metadata.ownerReferences[0].name)
      last = JSON.stringify(Object.keys(groups).map((name) => [name, owners(name)]))
      return last === expected
    }
    try {
      await eventually(isSo, PATIENCE_SECONDS)
    } catch {
      throw new Error(`not within ${PATIENCE_SECONDS} s: agents by node are\n${last}\nand should be\n${expected}`)
    }
  }

  /** Says how long the parts of the way took, in milliseconds since the node was created. */
  say(who: string, parts: Readonly<Record<string, number>>): void {
    const texts = Object.entries(parts).map(([part, milliseconds]) => `${part} ${(milliseconds / 1000).toFixed(1)} s`)
    process.stdout.write(`\n${who}, from a new node: ${texts.join(', ')}\n`)
  }

  async #pods(): Promise<Any[]> {
    const { items }: { items: Any[] } = await this.api.get(`/api/v1/namespaces/${NAMESPACE}/pods`)
    return items.filter(
      ({ metadata }) =>
        metadata.deletionTimestamp === undefined && metadata.ownerReferences?.[0]?.name.startsWith(`${this.#app}-`),
    )
  }
}

function isReady({ status }: Any): boolean {
  return (status.conditions ?? []).some(({ type, status: is }: Any) => type === 'Ready' && is === 'True')
}
