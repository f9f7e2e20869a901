/** Who a cluster is, and what time it has, as its API server says. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { json, refuse, ScriptedApi } from '../../../e2e/support/scripted-api.ts'
import { systemClock } from '../../../src/host/cluster/clock.ts'
import { connect } from '../../../src/host/cluster/connection.ts'
import { readIdentity } from '../../../src/host/cluster/identity.ts'
import { IdentityWatch } from '../../../src/host/sync/engine-rounds.ts'
import { silentMeter } from '../../support/engine-context.ts'
import { suite } from '../../support/suite.ts'
import { recordedLog } from '../sync/api/reflecting.ts'

const UID = '6b1f0d0e-7f43-4c1b-9a55-0d1c2f3e4a5b'
const PATH = '/api/v1/namespaces/kube-system'
type Answer = (response: ServerResponse) => void
const namespace =
  (uid: unknown): Answer =>
  (response) => {
    response.setHeader('date', 'Fri, 20 Nov 2026 12:00:00 GMT')
    json(response, 200, { kind: 'Namespace', metadata: { name: 'kube-system', uid } })
  }
const forbidden: Answer = (response) => refuse(response, 403, 'Forbidden', 'namespaces "kube-system" is forbidden')
const broken: Answer = (response) => response.destroy()

async function asked(answers: readonly Answer[]) {
  const api = await ScriptedApi.start()
  const folder = mkdtempSync(join(tmpdir(), 'nodefit-identity-'))
  for (const answer of answers)
    api.next(
      ({ path }) => path === PATH,
      (_, response) => answer(response),
    )
  const kubeconfig = join(folder, 'config')
  writeFileSync(kubeconfig, api.kubeconfig)
  const connection = connect({ kubeconfig }, { clock: systemClock, meter: { bytes: () => undefined } })
  const end = async () => {
    rmSync(folder, { recursive: true })
    await api.close()
  }
  return { connection, end }
}

suite('the identity of a cluster', (test) => {
  for (const [name, answer, uid, problem] of [
    ['is the uid of the Namespace', namespace(UID), UID, undefined],
    ['is not known without the right', forbidden, undefined, /is forbidden/],
    ['is no other text', namespace('prod'), undefined, /has no uid/],
    ['is no number', namespace(7), undefined, /has no uid/],
  ] as const)
    test(name, async () => {
      const { connection, end } = await asked([answer])
      const identity = await readIdentity(connection)
      await end()
      assert.is(identity.uid, uid)
      if (problem === undefined) assert.is(identity.problem, undefined)
      else assert.match(identity.problem ?? '', problem)
      if (answer !== forbidden) assert.is(identity.time?.toISOString(), '2026-11-20T12:00:00.000Z')
    })
  test('is asked again, stays where the server is silent or refuses, and a refusal is said once', async () => {
    const other = UID.replace('6', '7')
    const { connection, end } = await asked([
      broken,
      forbidden,
      forbidden,
      namespace(UID),
      broken,
      forbidden,
      namespace(other),
    ])
    const { log, lines } = recordedLog()
    const states: Array<readonly [string, boolean]> = []
    const meter = { ...silentMeter, component: (name: string, isUp: boolean) => states.push([name, isUp]) }
    const watch = new IdentityWatch(connection, { log, meter })
    const seen: Array<string | undefined> = []
    for (let index = 0; index < 7; index++) {
      const identity = await watch.read(AbortSignal.timeout(10_000))
      seen.push(identity === 'unknown' ? identity : identity.uid)
    }
    await end()
    assert.equal(seen, ['unknown', undefined, undefined, UID, UID, UID, other])
    assert.equal(
      states.map(([, isUp]) => isUp),
      [false, false, true, false, true],
    )
    assert.is(
      lines.filter((line) => line.startsWith('cannot read the uid')).length,
      2,
      'before it was known, and after',
    )
  })
})
