import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import * as assert from 'uvu/assert'
import { parse } from 'yaml'
import { NAMESPACE } from './argocd.ts'
import type { Cluster } from './cluster.ts'
import { Api } from './fleets/api.ts'
import { ROOT } from './hosts.ts'
import type { Repository } from './repository.ts'

// biome-ignore lint/suspicious/noExplicitAny: Kubernetes objects of any kind
type Any = any

const SETTLED_MILLISECONDS = 120_000
const POLL_MILLISECONDS = 100
const REFRESH = 'argocd.argoproj.io/refresh'
const FORGOTTEN_MILLISECONDS = 20_000
/** How much of what Argo CD says a failure quotes, and how many objects it names. */
const [MOST_CHARACTERS, MOST_OBJECTS] = [200, 6]
const APPLICATIONS = `/apis/argoproj.io/v1alpha1/namespaces/${NAMESPACE}/applications`

/** Applications of a running Argo CD, read and written at the API server. */
export class Applications {
  readonly api: Api
  readonly #cluster: Cluster

  constructor(cluster: Cluster) {
    this.#cluster = cluster
    this.api = new Api(cluster.folder)
  }

  /** Creates one from the Application that is shipped, for a folder of a repository. */
  create(name: string, repository: Repository, path: string, change: (spec: Any) => Any = (spec) => spec): void {
    const shipped = parse(readFileSync(join(ROOT, 'deploy/argocd/application.yaml'), 'utf8'))
    const { spec } = shipped
    // the parameters are about the folder that is shipped
    const { name: plugin } = spec.source.plugin
    const source = { ...spec.source, repoURL: repository.url, path, plugin: { name: plugin } }
    // no second attempt at a revision that somebody has mended already
    const syncPolicy = { ...spec.syncPolicy, retry: { limit: 0 } }
    const application = {
      ...shipped,
      metadata: { name, namespace: NAMESPACE },
      spec: change({ ...spec, source, syncPolicy }),
    }
    const { status, stderr } = this.#cluster.kubectl(['create', '-f', '-'], JSON.stringify(application))
    assert.is(status, 0, stderr)
  }

  get(name: string): Promise<Any> {
    return this.api.get(`${APPLICATIONS}/${name}`)
  }

  patch(name: string, change: object): Promise<Any> {
    return this.api.patch(`${APPLICATIONS}/${name}`, change)
  }

  /**
   * Has Argo CD look at the repository now; `hard` renders anew what it has rendered already. One that is asked while it writes another status
   * may forget it, and is asked again.
   */
  async refresh(name: string, how: 'normal' | 'hard' = 'normal'): Promise<void> {
    const ask = (asked: typeof how | null) => this.patch(name, { metadata: { annotations: { [REFRESH]: asked } } })
    await ask(how)
    let since = Date.now()
    await this.until(name, 'the refresh', async ({ metadata }) => {
      if (metadata.annotations?.[REFRESH] === undefined) return true
      if (Date.now() - since > FORGOTTEN_MILLISECONDS) {
        await ask(null)
        await ask(how)
        since = Date.now()
      }
      return false
    })
  }

  /**
   * Waits until a revision is applied, everything that is gone is deleted, and what is there is healthy. When Argo CD has applied something it
   * takes the newest revision: where others push, a later one of their repository counts, too.
   */
  async followed(name: string, revision: string, repository?: Repository): Promise<Any> {
    const isThere = new Map([[revision, true]])
    const isFollowed = (found: string) => {
      const is = isThere.get(found) ?? repository?.isSince(found, revision) ?? false
      isThere.set(found, is)
      return is
    }
    return this.refreshedUntil(
      name,
      `${revision.slice(0, 8)}`,
      ({ status }) =>
        typeof status?.sync?.revision === 'string' &&
        isFollowed(status.sync.revision) &&
        status.sync.status === 'Synced' &&
        status.health?.status === 'Healthy' &&
        hasEnded(status.operationState) &&
        !errorOf(status),
    )
  }

  /** Waits until Argo CD says, in these words, that it cannot tell what a revision is to be; gives all that it says. */
  async failed(name: string, words: string | RegExp): Promise<string> {
    const isSaid = (text: string) => (typeof words === 'string' ? text.includes(words) : words.test(text))
    const { status } = await this.refreshedUntil(name, `failure: ${words}`, (one) => isSaid(errorOf(one.status) ?? ''))
    assert.is(status.sync.status, 'Unknown')
    return errorOf(status) ?? ''
  }

  /**
   * Has Argo CD look at the repository until something holds. A look that has begun before a push may end the asking for the one after it, so
   * that it is asked again now and then.
   */
  async refreshedUntil(name: string, what: string, is: (application: Any) => boolean | Promise<boolean>): Promise<Any> {
    await this.refresh(name)
    let since = Date.now()
    return this.until(name, what, async (application) => {
      if (await is(application)) return true
      if (Date.now() - since > FORGOTTEN_MILLISECONDS) {
        await this.refresh(name)
        since = Date.now()
      }
      return false
    })
  }

  async until(name: string, what: string, is: (application: Any) => boolean | Promise<boolean>): Promise<Any> {
    let last: Any
    for (const until = Date.now() + SETTLED_MILLISECONDS; Date.now() < until; await pause(POLL_MILLISECONDS)) {
      last = await this.get(name)
      if (await is(last)) return last
    }
    throw new Error(`${name}: no ${what} within ${SETTLED_MILLISECONDS / 1000} s\n${stateText(last.status)}`)
  }
}

/**
 * Whether the last operation has done what was to do. One that heals may begin while an object that is pruned is still seen, and then fails since
 * it is gone; Argo CD says that the Application is synced all the same, and makes no further one.
 */
export function hasEnded(state: Any): boolean {
  if (state?.phase === 'Succeeded') return true
  const isHealing = state?.operation?.sync?.autoHealAttemptsCount > 0
  return isHealing && state.phase === 'Failed' && /not found$/.test(state.message ?? '')
}

/** The state of an Application in a few lines, with the objects that are not as they should be; then all of it. */
function stateText(status: Any): string {
  const { sync, health, operationState, conditions = [], resources = [] } = status ?? {}
  const clipped = (text: unknown) => String(text ?? '').slice(0, MOST_CHARACTERS)
  const wrong: Any[] = resources.filter(
    (one: Any) => one.status !== 'Synced' || (one.health?.status ?? 'Healthy') !== 'Healthy',
  )
  return [
    `${sync?.status} at ${clipped(sync?.revision).slice(0, 8)}, ${health?.status}`,
    `operation: ${operationState?.phase} ${clipped(operationState?.message)}`,
    ...conditions.map(({ type, message }: Any) => `${type}: ${clipped(message)}`),
    ...wrong.slice(0, MOST_OBJECTS).map((one) => `${one.kind} ${one.name}: ${one.status} ${one.health?.status ?? ''}`),
    JSON.stringify(status, undefined, 1).slice(0, 6000),
  ].join('\n')
}

function errorOf(status: Any): string | undefined {
  const conditions: Any[] = status?.conditions ?? []
  return conditions.find(({ type }) => type === 'ComparisonError')?.message
}
