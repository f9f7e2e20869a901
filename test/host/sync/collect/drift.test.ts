/** What nodefit sync reads of Kubescape's chart now and then, and what it says of it. */
import * as assert from 'uvu/assert'
import type { Request } from '../../../../src/host/cluster/connection.ts'
import { ApiError } from '../../../../src/host/cluster/errors.ts'
import { DriftWatch } from '../../../../src/host/sync/collect/drift.ts'
import type { Meter } from '../../../../src/host/sync/context.ts'
import type { Finding } from '../../../../src/krm/finding.ts'
import type { KubernetesObject } from '../../../../src/krm/types.ts'
import { engineContext, silentLog, silentMeter } from '../../../support/engine-context.ts'
import { FakeClock } from '../../../support/fake-clock.ts'
import { suite } from '../../../support/suite.ts'

const MINUTE = 60_000
const signal = new AbortController().signal
const found = (code: string): Finding => ({ code, severity: 'warning', sentence: code, message: code })

/** A watch of a cluster that has an operator and a DaemonSet in namespace ns, and nothing else. */
function watchOf({ status }: { status?: number } = {}) {
  const paths: string[] = []
  const warned: string[] = []
  const up: boolean[] = []
  let failing = status
  const json = async ({ path }: Request): Promise<unknown> => {
    paths.push(path)
    if (failing !== undefined) throw new ApiError(failing, '', 'refused')
    if (path.endsWith('/daemonsets')) return { items: [{ metadata: { name: 'agent', namespace: 'ns' } }] }
    if (path.endsWith('/configmaps/operator')) return { metadata: { name: 'operator', namespace: 'ns' }, data: {} }
    throw new ApiError(404, 'NotFound', 'there is none')
  }
  const clock = new FakeClock()
  const meter: Meter = { ...silentMeter, component: (_, isUp) => up.push(isUp) }
  const log = { ...silentLog, warn: (message: string) => warned.push(message) }
  const watch = new DriftWatch({
    connection: { json: json as <T>(request: Request) => Promise<T> },
    context: engineContext({ clock, meter, log }),
  })
  return {
    watch,
    clock,
    paths,
    warned,
    up,
    fail: (status?: number) => {
      failing = status
    },
  }
}

suite('the comparison with the cluster', (test) => {
  test('reads three ConfigMaps by name and the DaemonSets of the namespace, once for all policies, and nothing else', async () => {
    const { watch, paths, up } = watchOf()
    const seen: KubernetesObject[][] = []
    const findings = (live: readonly KubernetesObject[]) => {
      seen.push([...live])
      return []
    }
    const check = { namespace: 'ns', findings }
    assert.equal(await watch.findings([check, check], signal), [])
    assert.equal(paths, [
      ...['operator', 'node-agent', 'node-agent-daemonset-template'].map(
        (name) => `/api/v1/namespaces/ns/configmaps/${name}`,
      ),
      '/apis/apps/v1/namespaces/ns/daemonsets',
    ])
    assert.is(seen.length, 2)
    assert.equal(
      seen[0]?.map(({ apiVersion, kind, metadata }) => `${apiVersion} ${kind} ${metadata.name}`),
      ['v1 ConfigMap operator', 'apps/v1 DaemonSet agent'],
    )
    assert.equal(up, [true])
  })
  test('reads nothing without a policy for it', async () => {
    const { watch, paths } = watchOf()
    assert.equal(await watch.findings([], signal), [])
    assert.equal(paths, [])
  })
  test('reads once a minute', async () => {
    const { watch, clock, paths } = watchOf()
    const check = { namespace: 'ns', findings: () => [found('LiveLoopOn')] }
    assert.is((await watch.findings([check], signal))?.length, 1)
    await clock.advance(MINUTE - 1)
    assert.is(await watch.findings([check], signal), undefined)
    await clock.advance(1)
    assert.is((await watch.findings([check], signal))?.length, 1)
    assert.is(paths.length, 8)
  })
  test('a group has ten minutes to be applied; a break begins them anew', async () => {
    const { watch, clock } = watchOf()
    let codes = ['LiveGroupDiffers', 'LiveLoopOn', 'LiveNotShown']
    const check = { namespace: 'ns', findings: () => codes.map(found) }
    const next = async (minutes: number) => {
      await clock.advance(minutes * MINUTE)
      return (await watch.findings([check], signal))?.map(({ code }) => code)
    }
    assert.equal(await next(0), ['LiveLoopOn'])
    assert.equal(await next(9), ['LiveLoopOn'])
    assert.equal(await next(1), ['LiveGroupDiffers', 'LiveLoopOn'])
    codes = []
    assert.equal(await next(1), [])
    codes = ['LiveGroupDiffers']
    assert.equal(await next(1), [])
    assert.equal(await next(10), ['LiveGroupDiffers'])
  })
  test('without the right it says so once, and nothing of the cluster; it goes on when the right is there', async () => {
    const { watch, clock, warned, up, fail } = watchOf({ status: 403 })
    const check = { namespace: 'ns', findings: () => [found('LiveLoopOn')] }
    assert.is(await watch.findings([check], signal), undefined)
    await clock.advance(MINUTE)
    assert.is(await watch.findings([check], signal), undefined)
    assert.is(warned.length, 1)
    fail()
    await clock.advance(MINUTE)
    assert.is((await watch.findings([check], signal))?.length, 1)
    assert.equal(up, [false, false, true])
  })
})
