/**
 * How long it takes from the second kill of a container to its larger limit in Git, with the default windows: nodefit sync as a process, a
 * stand-in for the API server, a bare repository. One group after the other is killed, now and then while another commit waits. Takes minutes.
 * npm run build && node --import tsx bench/usage-kills.ts; KILLS=5 makes it shorter
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parse } from 'yaml'
import { BY_USAGE, firstAgents } from '../e2e/support/first-agents.ts'
import { nodeOf } from '../e2e/support/node-objects.ts'
import { RENDERED_FROM_USAGE, scriptedRoom } from '../e2e/support/scripted-room.ts'
import { startSync } from '../e2e/support/sync-process.ts'

const KILLS = Number(process.env.KILLS ?? 20)
const MOST_SECONDS = 60
/** Seconds between two groups: some of them are killed while a push has to wait. */
const BETWEEN = [5, 30, 12, 45, 20]
const [AGENT, NAMESPACE] = ['fluent-bit', 'logging']

const folder = mkdtempSync(join(tmpdir(), 'nodefit-usage-kills-'))
const { remote, api, args } = await scriptedRoom(folder, firstAgents(BY_USAGE), RENDERED_FROM_USAGE)

const groupOf = (index: number) => `type-${index}`
function pod(index: number, restartCount: number) {
  const finishedAt = new Date().toISOString()
  const ownerReferences = [{ kind: 'DaemonSet', name: groupOf(index), uid: `uid-${index}`, controller: true }]
  const lastState = restartCount === 0 ? {} : { terminated: { reason: 'OOMKilled', exitCode: 137, finishedAt } }
  const status = { name: AGENT, restartCount, state: { running: { startedAt: finishedAt } }, lastState }
  const labels = { 'nodefit.dev/node-group': groupOf(index) }
  return {
    metadata: { name: `pod-${index}`, namespace: NAMESPACE, uid: `pod-${index}`, labels, ownerReferences },
    spec: { nodeName: `node-${index}`, containers: [{ name: AGENT, resources: { limits: { memory: '256Mi' } } }] },
    status: { containerStatuses: [status] },
  }
}
for (let index = 0; index < KILLS; index++) {
  api.put('/api/v1/nodes', nodeOf(`node-${index}`, groupOf(index)))
  api.put('/api/v1/pods', pod(index, 0))
  const annotations = { 'nodefit.dev/owner': `SizingPolicy/${AGENT}`, 'nodefit.dev/group': `value:${groupOf(index)}` }
  api.put('/apis/apps/v1/daemonsets', {
    metadata: { name: groupOf(index), namespace: NAMESPACE, uid: `uid-${index}`, annotations },
    spec: { selector: { matchLabels: { 'nodefit.dev/node-group': groupOf(index) } } },
    status: { desiredNumberScheduled: 1 },
  })
}

/** The groups whose limit was raised in Git. */
function raised(): Set<string> {
  try {
    const rows: Array<{ group: string; settled?: object }> =
      parse(remote.git('show', 'main:clusters/prod/nodes/workload.yaml')).spec.usage ?? []
    return new Set(rows.filter(({ settled }) => settled !== undefined).map(({ group }) => group))
  } catch {
    return new Set()
  }
}

const sync = startSync(args)
const killedAt = new Map<string, number>()
const seconds = new Map<string, number>()
let isOver = false
const watching = (async () => {
  for (let head = ''; !isOver; await pause(200)) {
    const now = remote.head('main') ?? ''
    if (now === head) continue
    head = now
    for (const group of raised()) {
      const from = killedAt.get(group)
      if (from !== undefined && !seconds.has(group)) seconds.set(group, (Date.now() - from) / 1000)
    }
  }
})()
try {
  await sync.said(({ message }) => message.startsWith('pushed'), 0, 300_000)
  for (let index = 0; index < KILLS; index++) {
    await pause((BETWEEN[index % BETWEEN.length] ?? 0) * 1000)
    api.put('/api/v1/pods', pod(index, 1))
    await pause(1500)
    killedAt.set(`value:${groupOf(index)}`, Date.now())
    api.put('/api/v1/pods', pod(index, 2))
  }
  for (const until = Date.now() + 180_000; seconds.size < KILLS && Date.now() < until; ) await pause(500)
  const sorted = [...seconds.values()].sort((a, b) => a - b)
  const of = (share: number) => sorted[Math.ceil(share * sorted.length) - 1]?.toFixed(1)
  process.stdout.write(
    `${sorted.length} of ${KILLS} second kills in Git: median ${of(0.5)} s, p95 ${of(0.95)} s (at most ${MOST_SECONDS}), longest ${of(1)} s\n`,
  )
} finally {
  isOver = true
  await watching
  await sync.stop()
  await api.close()
  rmSync(folder, { recursive: true, force: true })
}
