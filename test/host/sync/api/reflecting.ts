import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { ScriptedApi } from '../../../../e2e/support/scripted-api.ts'
import { type Connection, connect } from '../../../../src/host/cluster/connection.ts'
import type { KubeObject } from '../../../../src/host/cluster/list.ts'
import { Reflector, type ReflectorOptions } from '../../../../src/host/sync/api/reflector.ts'
import type { Fields, Log, Meter } from '../../../../src/host/sync/context.ts'
import { silentMeter } from '../../../support/engine-context.ts'
import { FakeClock } from '../../../support/fake-clock.ts'

export const NODES = '/api/v1/nodes'

/** A node with a label, and with what changes every few seconds. */
export const node = (name: string, label = 'a', heartbeat = 0) => ({
  metadata: { name, labels: { size: label } },
  status: { conditions: [{ type: 'Ready', lastHeartbeatTime: heartbeat }] },
})

/** A log that remembers. */
export function recordedLog(): { lines: string[]; log: Log } {
  const lines: string[] = []
  const say = (message: string, fields: Fields = {}) => void lines.push(`${message} ${JSON.stringify(fields)}`)
  const log: Log = { info: say, warn: say, error: say, with: () => log }
  return { lines, log }
}

/** A meter that remembers what this room counts. */
export function recordedMeter() {
  const counted = { restarts: [] as string[], missed: 0, received: 0, sent: 0, components: new Map<string, boolean>() }
  const meter: Meter = {
    ...silentMeter,
    watchRestarted: (_, reason) => void counted.restarts.push(reason),
    missedByWatch: (_, count) => {
      counted.missed += count
    },
    bytes: (_, direction, count) => {
      counted[direction] += count
    },
    component: (name, isUp) => void counted.components.set(name, isUp),
  }
  return { counted, meter }
}

/** A connection to a scripted server by a kubeconfig file, as anybody has one. */
export function connectTo(api: ScriptedApi, clock: FakeClock, meter: Meter = silentMeter): Connection {
  const folder = mkdtempSync(join(tmpdir(), 'nodefit-kubeconfig-'))
  try {
    writeFileSync(join(folder, 'config'), api.kubeconfig)
    return connect({ kubeconfig: join(folder, 'config') }, { clock, meter })
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Waits, without moving the clock, until something is so. */
export async function until(isSo: () => boolean, what = 'what was waited for'): Promise<void> {
  for (let attempt = 0; attempt < 2000; attempt++) {
    if (isSo()) return
    await pause(5)
  }
  throw new Error(`${what} did not happen`)
}

/** Moves the clock in steps until something is so; gives the milliseconds that it took. */
export async function pass(clock: FakeClock, isSo: () => boolean, step = 500, most = 3_600_000): Promise<number> {
  const began = clock.now()
  while (clock.now() - began < most) {
    if (isSo()) return clock.now() - began
    await clock.advance(step)
    for (let turn = 0; turn < 8 && !isSo(); turn++) await pause(1)
  }
  throw new Error('what was waited for did not happen')
}

/** A reflector of the label of each node, beside the server that it reads. */
export async function reflecting(
  body: (parts: {
    api: ScriptedApi
    clock: FakeClock
    reflector: Reflector<string>
    counted: ReturnType<typeof recordedMeter>['counted']
    lines: string[]
    changes: () => number
    labels: () => Record<string, string>
    stop: () => Promise<void>
  }) => Promise<void>,
  options: Partial<ReflectorOptions<string>> & { before?: (api: ScriptedApi) => void } = {},
): Promise<void> {
  const api = await ScriptedApi.start()
  for (const name of ['n1', 'n2', 'n3']) api.put(NODES, node(name))
  options.before?.(api)
  const clock = new FakeClock()
  const { counted, meter } = recordedMeter()
  const { lines, log } = recordedLog()
  let changes = 0
  const reflector = new Reflector<string>({
    connection: connectTo(api, clock, meter),
    path: NODES,
    resource: 'nodes',
    trim: labelOf,
    context: { clock, meter, log },
    onChange: () => {
      changes++
    },
    relistInterval: 0,
    random: () => 0.5,
    ...options,
  })
  const ending = new AbortController()
  const ended = reflector.start(ending.signal)
  const stop = async () => {
    ending.abort()
    await ended
  }
  const labels = () => Object.fromEntries([...reflector.items()].sort())
  try {
    await body({ api, clock, reflector, counted, lines, changes: () => changes, labels, stop })
  } finally {
    await stop()
    await api.close()
  }
}

function labelOf({ metadata }: KubeObject): string {
  return (metadata as unknown as { labels: { size: string } }).labels.size
}
