/** The document's two examples under korder's controllers, through expiry; and what a render says of the Tickets that live. */

import { readFileSync } from 'node:fs'
import * as assert from 'uvu/assert'
import { parseAllDocuments, stringify } from 'yaml'
import type { KubernetesObject } from '../../src/krm/types.ts'
import type { Plan } from '../../src/rules/plan.ts'
import { plan } from '../../src/rules/run.ts'
import { config, listOf } from '../../test/support/objects.ts'
import { suite } from '../../test/support/suite.ts'
import { eventually } from '../support/eventually.ts'
import { hasKorder, type KorderTicket, startKorder } from '../support/korder.ts'
import { objectsOf } from '../support/objects.ts'

const korder = hasKorder() ? await startKorder('a', 'b', 'gpu') : undefined
const EXAMPLES = parseAllDocuments(
  readFileSync(new URL('../../testdata/reservation/document/package/orders.yaml', import.meta.url), 'utf8'),
).map((document) => document.toJS() as KubernetesObject)
const [daily, gpu] = EXAMPLES
const CODE = /^nodefit.dev/

suite('the document’s examples under korder’s controllers', (test) => {
  if (korder === undefined || daily === undefined || gpu === undefined) return
  const { apply, kubectl, tickets, exported, touch, settled } = korder
  const GPU = { accelerator: 'nvidia-tesla-k80' }
  kubectl('label', 'node', 'gpu', ...Object.entries(GPU).map(([key, value]) => `${key}=${value}`))
  const rendered = (...objects: KubernetesObject[]) => plan(listOf(objects))
  const ticketsIn = (result: Plan) => result.items.map(({ object }) => object).filter(({ kind }) => kind === 'Ticket')
  const ofOrder = (all: readonly KubernetesObject[], { metadata: { name } }: KubernetesObject) =>
    all.filter(({ metadata }) => metadata.annotations?.['korder.dev/ticket-group'] === name)
  const said = (result: Plan, code: string) =>
    result.findings.filter((one) => one.code === code).map(({ sentence }) => sentence)
  const errors = ({ findings }: Plan) =>
    findings.filter(({ severity }) => severity === 'error').map(({ sentence }) => sentence)
  const live = (namespace: string) =>
    tickets(namespace).filter(({ metadata }) =>
      CODE.test(Object.keys(metadata.annotations ?? {}).find((key) => CODE.test(key)) ?? ''),
    )
  const now = () => new Date().toISOString().replace(/\.\d+Z$/, 'Z')
  const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString().replace(/\.\d+Z$/, 'Z')
  const expired = async (namespace: string, names: readonly string[]) => {
    const isOver = ({ metadata, status }: KorderTicket) => !names.includes(metadata.name) || status?.phase === 'Expired'
    await eventually(() => {
      touch(namespace)
      return tickets(namespace).every(isOver)
    })
  }
  const without = (result: Plan) =>
    result.items.map(({ object }) => object).filter(({ kind }) => !['NodeInventory', 'WorkloadSnapshot'].includes(kind))

  test('through their end: each is renewed in the namespace where kubectl put it, and the emptied pool stops no other', async () => {
    const short = (one: KubernetesObject) => {
      const text = stringify(one).replace(/duration: \S+/, 'duration: 3s')
      return objectsOf(text)[0] as KubernetesObject
    }
    const first = rendered(...exported(now()), short(daily), short(gpu))
    assert.equal(errors(first), [])
    assert.equal([ofOrder(ticketsIn(first), daily).length, ofOrder(ticketsIn(first), gpu).length], [3, 1])
    apply(ticketsIn(first))
    await eventually(
      () => live('default').length === 4 && live('default').every(({ status }) => status?.phase !== undefined),
    )
    const before = ticketsIn(first).map(({ metadata }) => metadata.name)
    await expired('default', before)
    kubectl('cordon', 'gpu')
    const snapshot = exported(inSeconds(10))
    const second = rendered(...snapshot, ...without(first), config({ allow: ['NoEligibleNodes'] }))
    assert.equal(errors(second), [])
    const after = ticketsIn(second)
    assert.equal([ofOrder(after, daily).length, ofOrder(after, gpu).length], [2, 0])
    assert.not(
      after.some(({ metadata }) => before.includes(metadata.name)),
      'what has ended has another name',
    )
    apply(after)
    await eventually(() => live('default').filter(({ status }) => status?.phase === 'Reserved').length === 2)
    // the snapshot of the first export shows none of the new Tickets: it renews nothing a second time
    const third = rendered(...snapshot, ...without(second))
    assert.equal(
      ticketsIn(third).map(({ metadata }) => metadata.name),
      after.map(({ metadata }) => metadata.name),
    )
    kubectl('uncordon', 'gpu')
    kubectl('delete', 'tickets', '--all', '-n', 'default')
  })
  test('where pod security refuses guardian pods the run says so, with korder’s words', async () => {
    kubectl('label', 'namespace', 'infra', 'pod-security.kubernetes.io/enforce=restricted')
    const order = { ...daily, metadata: { ...daily.metadata, namespace: 'infra' } }
    const first = rendered(...exported(now()), order)
    apply(ticketsIn(first))
    await eventually(() => tickets().length === 3 && tickets().every(({ status }) => status?.reason === 'Failed'))
    const early = rendered(...exported(now()), ...without(first))
    assert.equal(
      [said(early, 'TicketsPending'), said(early, 'TicketsLive')],
      [[], ['infrastructure-reservation: in the cluster are 3 Pending']],
    )
    const [sentence = ''] = said(rendered(...exported(inSeconds(301)), ...without(first)), 'TicketsPending')
    assert.match(
      sentence,
      /3 Tickets reserve nothing since .*, on a, b, gpu: Failed to create guardian pod: .* violates PodSecurity "restricted/,
    )
    // the cause goes, the printed command runs, and the same files are applied again
    kubectl('label', 'namespace', 'infra', 'pod-security.kubernetes.io/enforce-')
    const command = /Once the cause is gone, run kubectl (.*)$/.exec(sentence)?.[1] ?? ''
    kubectl(...command.split(' '))
    assert.equal(tickets(), [])
    apply(ticketsIn(first))
    await eventually(() => tickets().length === 3 && tickets().every(({ status }) => status?.phase === 'Reserved'))
    kubectl('delete', 'tickets', '--all', '-n', 'infra')
    await settled()
  })
  test('what was started is stopped', korder.stop)
})
