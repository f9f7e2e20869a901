/** A checkout that evaluations look at, and what their commits make of it. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { evaluate } from '../../src/host/sync/effect/evaluate.ts'
import {
  type EffectSettings,
  type Evaluation,
  newMemory,
  type SyncMemory,
} from '../../src/host/sync/effect/evaluation.ts'
import type { OwnCommit } from '../../src/host/sync/git/repository.ts'
import type { KubernetesObject } from '../../src/krm/types.ts'
import { writeYaml } from '../../src/krm/write-yaml.ts'
import { type ApiNode, projected, START } from './api-nodes.ts'

export const MINUTE = 60_000
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

export const SETTINGS: EffectSettings = {
  cluster: 'prod',
  folder: 'clusters/prod/nodes',
  packages: ['policies'],
  labels: [],
  exact: false,
  uid: false,
  counts: false,
  readyDebounce: 2 * MINUTE,
  retainShapes: 14 * DAY,
  version: '1.2.3',
}
export const INVENTORY = 'clusters/prod/nodes/inventory.yaml'

/** A repository in a folder, a fleet, and a time: all that an evaluation sees. */
export class Scene {
  readonly path = mkdtempSync(join(tmpdir(), 'nodefit-scene-'))
  readonly settings: EffectSettings
  readonly nodes = new Map<string, ApiNode>()
  memory: SyncMemory = newMemory()
  /** Nodes that the API server reports as deleted. */
  readonly deleted = new Set<string>()
  /** The message of the newest commit. */
  message = ''
  now = Date.parse(START)
  commits = 0
  /** The uid of the cluster; undefined where it may not be read. */
  clusterUid: string | undefined
  /** The newest commit of nodefit sync, where the head is another one. */
  own: OwnCommit | undefined
  isLook = false

  constructor(settings: Partial<EffectSettings> = {}, policies: readonly KubernetesObject[] = []) {
    this.settings = { ...SETTINGS, ...settings }
    if (policies.length > 0) this.write('policies/policies.yaml', policies.map((one) => writeYaml(one)).join('---\n'))
  }

  write(path: string, text: string): void {
    mkdirSync(dirname(join(this.path, path)), { recursive: true })
    writeFileSync(join(this.path, path), text)
    this.commits++
  }

  remove(path: string): void {
    rmSync(join(this.path, path), { recursive: true })
    this.commits++
  }

  read(path: string): string {
    return readFileSync(join(this.path, path), 'utf8')
  }

  /** Every file with its text. */
  files(): Record<string, string> {
    const names = readdirSync(this.path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    const paths = names.map(({ parentPath, name }) => join(parentPath, name).slice(this.path.length + 1)).sort()
    return Object.fromEntries(paths.map((path) => [path, this.read(path)]))
  }

  add(...nodes: ApiNode[]): this {
    for (const node of nodes) this.nodes.set(node.metadata.name, node)
    return this
  }

  change(name: string, change: (node: ApiNode) => ApiNode): void {
    const node = this.nodes.get(name)
    if (node === undefined) throw new Error(`no node ${name}`)
    this.nodes.set(name, change(structuredClone(node)))
  }

  evaluate(workload?: Record<string, unknown>): Evaluation {
    return evaluate({
      checkout: { commit: `commit-${this.commits}`, path: this.path, message: this.message },
      nodes: projected(this.nodes.values(), this.settings.labels),
      workload,
      isDeleted: (name) => this.deleted.has(name),
      now: new Date(this.now),
      memory: this.memory,
      settings: this.settings,
      isLook: this.isLook,
      ...(this.clusterUid === undefined ? {} : { clusterUid: this.clusterUid }),
      ...(this.own === undefined ? {} : { own: this.own }),
    })
  }

  /** Evaluates, and commits what comes of it. */
  turn(workload?: Record<string, unknown>): Evaluation {
    const evaluation = this.evaluate(workload)
    if (evaluation.kind !== 'commit') return evaluation
    const { write, remove } = evaluation.commit.changes
    for (const path of remove) this.remove(path)
    for (const [path, text] of write) this.write(path, text)
    return evaluation
  }

  /** Evaluates so much later, and says in a word what comes of it. */
  after(milliseconds: number, workload?: Record<string, unknown>): string {
    this.now += milliseconds
    return wordFor(this.turn(workload))
  }

  /** The same with nothing remembered. */
  restart(): void {
    this.memory = newMemory()
  }

  end(): void {
    rmSync(this.path, { recursive: true, force: true })
  }
}

export function wordFor(evaluation: Evaluation): string {
  switch (evaluation.kind) {
    case 'commit':
      return evaluation.effect
    case 'unchanged':
      return evaluation.failure === undefined ? 'unchanged' : 'unchanged, failing'
    case 'stopped':
      return `stopped: ${evaluation.sentence}`
  }
}
