/** docs/korder/reservations.md: its commands, as a reader would paste them, and the job as a cron job in CI would run it, again and again. */
import { chmodSync, cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { parse, parseAllDocuments, stringify } from 'yaml'
import type { KubernetesObject } from '../../src/krm/types.ts'
import { suite } from '../../test/support/suite.ts'
import { COMMAND, filesOf, functionsIn, inFolder, ROOT, run } from '../support/hosts.ts'
import { has } from '../support/program.ts'

const PAGE = readFileSync(join(ROOT, 'docs/korder/reservations.md'), 'utf8')
const blocks = [...PAGE.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = '']) => block)
/** Gives nodes or Tickets as they were put there. */
const KUBECTL = '#!/bin/sh\ncat "$(dirname "$0")/$2.json"\n'
const GPU = { accelerator: 'nvidia-tesla-k80', 'kubernetes.io/os': 'linux' }

/** The two examples of korder's document about its DaemonSet mode: they say no namespace. */
const EXAMPLES = [
  {
    metadata: { name: 'infrastructure-reservation' },
    spec: {
      daemonSet: true,
      strategy: { type: 'OneTime', refreshPolicy: 'OnClaim' },
      template: {
        spec: {
          duration: '24h',
          resources: { requests: { cpu: '100m', memory: '200Mi' }, limits: { cpu: '200m', memory: '400Mi' } },
          nodeSelector: { 'kubernetes.io/os': 'linux' },
          tolerations: [{ operator: 'Exists', effect: 'NoSchedule' }],
        },
      },
    },
  },
  {
    metadata: { name: 'gpu-node-buffer' },
    spec: {
      daemonSet: true,
      strategy: { type: 'Recurring', schedule: '0 */6 * * *', refreshPolicy: 'Always' },
      template: {
        spec: {
          duration: '8h',
          resources: { requests: { cpu: '500m', memory: '1Gi' }, limits: { cpu: '1000m', memory: '2Gi' } },
          nodeSelector: GPU,
          tolerations: [
            { key: 'nvidia.com/gpu', operator: 'Exists', effect: 'NoSchedule' },
            { key: 'dedicated', operator: 'Equal', value: 'gpu', effect: 'NoSchedule' },
          ],
        },
      },
    },
  },
].map((one) => ({ apiVersion: 'core.korder.dev/v1alpha1', kind: 'Order', ...one }))

interface NodeObject extends KubernetesObject {
  status: { conditions: Array<{ lastHeartbeatTime?: string }> }
}

/** A cluster for the stub of kubectl, and a folder to work in. */
function desk(folder: string) {
  const bin = functionsIn(folder)
  const work = join(folder, 'work')
  mkdirSync(join(work, 'infra'), { recursive: true })
  writeFileSync(join(bin, 'kubectl'), KUBECTL)
  chmodSync(join(bin, 'kubectl'), 0o755)
  symlinkSync(COMMAND, join(bin, 'nodefit'))
  const { items } = parse(readFileSync(join(ROOT, 'testdata/nodes/eks.yaml'), 'utf8')) as { items: NodeObject[] }
  const list = (all: object[]) => JSON.stringify({ apiVersion: 'v1', kind: 'List', items: all })
  /** The nodes, one of them with a GPU, as they were last heard of. */
  const nodes = (heard: string, count = items.length) =>
    writeFileSync(
      join(bin, 'nodes.json'),
      list(
        items.slice(0, count).map(({ metadata, status, ...node }, index) => ({
          ...node,
          metadata: { ...metadata, labels: { ...metadata.labels, ...(index === 0 ? GPU : {}) } },
          status: { ...status, conditions: status.conditions.map((one) => ({ ...one, lastHeartbeatTime: heard })) },
        })),
      ),
    )
  const tickets = (...all: object[]) => writeFileSync(join(bin, 'tickets.json'), list(all))
  tickets()
  const paste = (block = '') => {
    const { status, stderr } = run('sh', ['-eu', '-c', block], { bin, cwd: work })
    assert.is(status, 0, stderr)
  }
  const ticketsIn = (rendered = 'infra') =>
    Object.entries(filesOf(join(work, rendered)))
      .filter(([path]) => /^tickets?[-.]/.test(path))
      .flatMap(([, text]) => parseAllDocuments(text).map((document) => document.toJS() as KubernetesObject))
  return { work, nodes, tickets, paste, ticketsIn, count: items.length }
}

suite('the page about reservations', (test) => {
  test('it has a start, a job, and a way out', () => assert.is(blocks.length, 3))
  test('the job commits when what is rendered has changed, and only then', () =>
    inFolder((folder) => {
      const { work, nodes, tickets, paste, ticketsIn, count } = desk(folder)
      for (const file of ['Kptfile', 'order.yaml'])
        cpSync(join(ROOT, 'testdata/reservation/system-overhead/package', file), join(work, 'infra', file))
      const git = (...args: string[]) =>
        run('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: work })
      assert.is(git('init', '-q').status, 0)
      for (const [key, value] of [
        ['user.name', 'a'],
        ['user.email', 'a@b.example'],
      ])
        git('config', key ?? '', value ?? '')
      const job = () => {
        paste(blocks[1])
        assert.is(git('status', '--porcelain', '--', 'infra', 'rendered').stdout, '')
        return git('log', '--oneline').stdout.trim().split('\n').length
      }
      nodes('2026-11-20T13:07:00Z', count - 1)
      assert.is(job(), 1)
      assert.match(git('ls-files').stdout, /rendered\/ticket\.core\.korder\.dev_infra_infrastructure-reservation-/)
      assert.is(job(), 1, 'nothing new to commit')
      nodes('2026-11-20T14:07:00Z', count - 1)
      assert.is(job(), 1, 'only the time is new')
      nodes('2026-11-20T15:07:00Z', count)
      assert.is(job(), 2, 'a node has come')
      const expired = ticketsIn('rendered').map((ticket) => ({
        ...ticket,
        status: { phase: 'Expired', expirationTime: '2026-11-21T13:07:04Z' },
      }))
      const names = () => ticketsIn('rendered').map(({ metadata }) => metadata.name)
      const before = names()
      nodes('2026-11-21T14:07:00Z', count)
      tickets(...expired)
      assert.is(job(), 3, 'what has ended is renewed')
      assert.not(names().some((name) => before.includes(name)))
      assert.is(job(), 3)
    }))
  if (!has('kpt')) return
  test('both examples of the document work with the commands as printed', () =>
    inFolder((folder) => {
      const { work, nodes, paste, ticketsIn, count } = desk(folder)
      nodes('2026-11-20T13:07:00Z')
      for (const example of EXAMPLES)
        writeFileSync(join(work, 'infra', `${example.metadata.name}.yaml`), stringify(example))
      paste(blocks[0])
      const of = (name: string) =>
        ticketsIn().filter(({ metadata }) => metadata.annotations?.['korder.dev/ticket-group'] === name).length
      assert.is(of('gpu-node-buffer'), 1)
      assert.ok(of('infrastructure-reservation') > 1 && of('infrastructure-reservation') <= count)
    }))
})
