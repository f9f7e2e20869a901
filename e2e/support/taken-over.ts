/**
 * DaemonSets that Helm and an operator applied, as they are live, and what Git has in their place: without a sidecar and a variable, and with a value where
 * they have `valueFrom`. What a tool makes of them after `nodefit takeover` is judged here, whichever tool it is.
 */
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { stringify } from 'yaml'
import type { Cluster } from './cluster.ts'
import { COMMAND, ROOT, type Run, run } from './hosts.ts'
import { does } from './objects.ts'
import { programOf } from './program.ts'

// biome-ignore lint/suspicious/noExplicitAny: Kubernetes objects, read back
type Any = any

const NAMESPACE = 'agents'
/** Who applied them. */
export const FORMER = ['operator', 'helm'] as const
const READ_BACK = { name: 'GOMEMLIMIT', valueFrom: { resourceFieldRef: { resource: 'limits.memory', divisor: '1' } } }
const MARKS = { 'argocd.argoproj.io/sync-options': 'Prune=false' }
const GIT_ENV = [{ name: 'GOMEMLIMIT', value: '400MiB' }]

function daemonSet(name: string, containers: object[], metadata: object = {}): object {
  const labels = { app: name }
  return {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name, namespace: NAMESPACE, ...metadata },
    spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } } },
  }
}

/** As it is live: with the sidecar, OLD, and GOMEMLIMIT from the limit unless the case is about what is kept in silence. */
export const liveOf = (name: string, metadata: object = {}, withReadBack = true): object =>
  daemonSet(
    name,
    [
      { name: 'sbom-scanner', image: 'scanner:1' },
      {
        name: 'node-agent',
        image: 'agent:1',
        env: [...(withReadBack ? [READ_BACK] : []), { name: 'OLD', value: '1' }],
      },
    ],
    metadata,
  )

/** As Git has it. */
export const inGit = (name: string): object => daemonSet(name, [{ name: 'node-agent', image: 'agent:1', env: GIT_ENV }])

export class TakenOver {
  readonly #cluster: Cluster

  constructor(cluster: Cluster) {
    this.#cluster = cluster
    does(cluster.kubectl(['create', 'namespace', NAMESPACE]))
  }

  /** Has the operator create one: its entry is an Update, with an owner reference and Argo CD's mark. */
  byOperator(name: string, withReadBack = true): void {
    const owner = `${name}-operator`
    // an owner that exists, or the garbage collector deletes what it owns
    const uid = does(
      this.#cluster.kubectl(['create', 'configmap', owner, '-n', NAMESPACE, '-o', 'jsonpath={.metadata.uid}']),
    )
    const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: owner, uid }]
    const object = liveOf(name, { ownerReferences, annotations: MARKS }, withReadBack)
    does(this.#cluster.kubectl(['create', '--field-manager=operator', '-f', '-'], JSON.stringify(object)))
  }

  /** Has the operator write the whole object again, as its loop does. */
  againByOperator(name: string): void {
    const object = liveOf(name, { annotations: MARKS })
    does(this.#cluster.kubectl(['replace', '--field-manager=operator', '-f', '-'], JSON.stringify(object)))
  }

  /** Has the real helm install a chart with it. */
  byHelm(name: string): void {
    does(this.upgrade(name))
  }

  /** Has the real helm install the chart, or upgrade to the same one. */
  upgrade(name: string): Run {
    const chart = join(this.#cluster.folder, `chart-${name}`)
    mkdirSync(join(chart, 'templates'), { recursive: true })
    writeFileSync(join(chart, 'Chart.yaml'), stringify({ apiVersion: 'v2', name, version: '1.0.0' }))
    writeFileSync(join(chart, 'templates/agent.yaml'), stringify(liveOf(name)))
    return this.#shell(`${programOf('helm')} upgrade --install ${name} ${chart} --namespace ${NAMESPACE}`)
  }

  /** Runs the commands by which docs/daemonset/moving-over.md goes back to a release; gives the script that takeover printed. */
  backToHelm(name: string): string {
    const page = readFileSync(join(ROOT, 'docs/daemonset/moving-over.md'), 'utf8')
    const block = /```sh\n(helm get manifest RELEASE[\s\S]*?)```/.exec(page)?.[1] ?? 'exit 9'
    const bin = join(this.#cluster.folder, 'bin')
    mkdirSync(bin, { recursive: true })
    rmSync(join(bin, 'nodefit'), { force: true })
    symlinkSync(COMMAND, join(bin, 'nodefit'))
    const commands = block.replaceAll('RELEASE', name).replaceAll('NAMESPACE', NAMESPACE)
    does(this.#shell(`PATH=${bin}:$PATH\ncd ${bin}\n${commands}`))
    return readFileSync(join(bin, 'takeover.sh'), 'utf8')
  }

  /** Prints the script of `nodefit takeover` for DaemonSets, and runs it; gives its text. */
  handOver(manager: string, wanted: readonly object[]): string {
    const at = (file: string) => join(this.#cluster.folder, file)
    const all = ['get', 'daemonsets', '-n', NAMESPACE, '-o', 'json', '--show-managed-fields']
    writeFileSync(at('live.json'), does(this.#cluster.kubectl(all)))
    writeFileSync(at('groups.yaml'), wanted.map((object) => stringify(object)).join('---\n'))
    const args = [COMMAND, 'takeover', at('live.json'), '--groups', at('groups.yaml'), '--manager', manager]
    const script = does(run(process.execPath, args))
    does(this.#shell(script))
    return script
  }

  /** Server-side apply as the tool of this field manager does it. */
  apply(manager: string, object: object): ReturnType<Cluster['kubectl']> {
    const flags = ['apply', '--server-side', '--force-conflicts', `--field-manager=${manager}`, '-f', '-']
    return this.#cluster.kubectl(flags, JSON.stringify(object))
  }

  /** Containers, variables of the agent, managers and operations of what is not status, owner references and marks. */
  read(name: string) {
    const args = ['get', 'daemonset', name, '-n', NAMESPACE, '-o', 'json', '--show-managed-fields']
    const { metadata, spec } = JSON.parse(does(this.#cluster.kubectl(args))) as Any
    const containers: Any[] = spec.template.spec.containers
    const entries: Any[] = metadata.managedFields
    return {
      containers: containers.map((container) => container.name),
      env: containers.at(-1).env,
      managers: entries
        .filter(({ subresource }) => subresource === undefined)
        .map(({ manager, operation }) => `${manager} ${operation}`),
      owners: (metadata.ownerReferences ?? []).length as number,
      isMarked: metadata.annotations?.['argocd.argoproj.io/sync-options'] !== undefined,
    }
  }

  /** Holds that a DaemonSet is what Git has and nothing more, and its tool's alone. */
  isAsInGit(name: string, manager: string): void {
    assert.equal(
      this.read(name),
      { containers: ['node-agent'], env: GIT_ENV, managers: [`${manager} Apply`], owners: 0, isMarked: false },
      `${name}, applied by ${manager}`,
    )
  }

  #shell(script: string): Run {
    const home = join(this.#cluster.folder, 'home')
    const settings = `export KUBECONFIG=${join(this.#cluster.folder, 'kubeconfig')} HOME=${home}`
    return run('sh', ['-eu', '-c', `${settings}\n${script}`])
  }
}
