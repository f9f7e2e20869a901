/** The alerts of deploy/sync and of the chart, held against Prometheus' own tools. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { stringify } from 'yaml'
import { suite } from '../../test/support/suite.ts'
import { inFolder, run } from '../support/hosts.ts'
import { has } from '../support/program.ts'
import { CONFIG, charted, kustomized, overlay, PACKAGE } from '../support/sync-deploy.ts'

// biome-ignore lint/suspicious/noExplicitAny: Kubernetes objects of any kind
type Any = any

/** Series by name and labels, in promtool's notation: a value, then how often it repeats. */
const UP = { 'up{job="nodefit-sync"}': '1x60', 'nodefit_ready{job="nodefit-sync"}': '1x60' }
const component = (name: string, instance = 'a') =>
  `nodefit_component_up{job="nodefit-sync", component="${name}", instance="${instance}"}`

/** What is measured for an hour, and the alerts that fire after so many minutes. */
const CASES: Array<[name: string, series: Record<string, string>, minutes: number, alerts: string[]]> = [
  ['all is well', { ...UP, [component('leader')]: '1x60', [component('git')]: '1x60' }, 60, []],
  [
    'the nodes may not be listed',
    {
      ...UP,
      'nodefit_ready{job="nodefit-sync"}': '0x60',
      [component('leader')]: '1x60',
      [component('watch-nodes')]: '0x60',
    },
    11,
    ['NodefitSyncNotReady'],
  ],
  [
    'the nodes may not be listed, a quarter of an hour later',
    {
      ...UP,
      'nodefit_ready{job="nodefit-sync"}': '0x60',
      [component('leader')]: '1x60',
      [component('watch-nodes')]: '0x60',
    },
    16,
    ['NodefitSyncComponentDown', 'NodefitSyncNotReady'],
  ],
  ['a standby beside a leader', { ...UP, [component('leader')]: '1x60', [component('leader', 'b')]: '0x60' }, 60, []],
  [
    'no leader',
    { ...UP, [component('leader')]: '0x60', [component('leader', 'b')]: '0x60' },
    12,
    ['NodefitSyncNoLeader'],
  ],
  [
    'a change that waits',
    { ...UP, 'nodefit_queue_age_seconds{job="nodefit-sync"}': '0+60x60' },
    18,
    ['NodefitSyncChangeWaits'],
  ],
  ['a guard that holds', { ...UP, 'nodefit_guard_holds{job="nodefit-sync"}': '1x60' }, 2, ['NodefitSyncGuardHolds']],
  [
    'Kubescape’s loop is on again',
    { ...UP, 'nodefit_cluster_differs{job="nodefit-sync", code="LiveLoopOn"}': '0x3 1x60' },
    20,
    ['NodefitSyncClusterDiffers'],
  ],
  [
    'a template that was mended in time',
    { ...UP, 'nodefit_cluster_differs{job="nodefit-sync", code="LiveTemplateDiffers"}': '1x10 0x50' },
    20,
    [],
  ],
  ['nothing is scraped', { 'up{job="other"}': '1x60' }, 6, ['NodefitSyncDown']],
  ['the only replica does not respond', { 'up{job="nodefit-sync"}': '0x60' }, 6, ['NodefitSyncDown']],
]

suite('the alerts of nodefit sync', (test) => {
  const hasAll = ['promtool', 'kubectl'].map(has).every((found) => found)
  test('what they need is here, or said', () => assert.ok(hasAll || process.env.CI !== 'true'))
  if (!hasAll) return
  const rule = (objects: readonly Any[]): Any => objects.find(({ kind }) => kind === 'PrometheusRule').spec
  const built = inFolder((folder) => {
    run('cp', ['-r', PACKAGE, join(folder, 'sync')])
    mkdirSync(join(folder, 'overlay'))
    writeFileSync(join(folder, 'overlay/kustomization.yaml'), overlay(['prometheusrule']))
    return rule(kustomized(join(folder, 'overlay')))
  })
  const names: string[] = built.groups[0].rules.map(({ alert }: Any) => alert)
  const checked = (spec: Any, tests?: Any) =>
    inFolder((folder) => {
      writeFileSync(join(folder, 'rules.yaml'), stringify(spec))
      if (tests === undefined)
        return run('promtool', ['check', 'rules', '--lint=all', '--lint-fatal', join(folder, 'rules.yaml')])
      writeFileSync(join(folder, 'test.yaml'), stringify({ rule_files: ['rules.yaml'], ...tests }))
      return run('promtool', ['test', 'rules', join(folder, 'test.yaml')])
    })
  test('are rules that Prometheus takes, as kustomize and helm give them', () => {
    const chart = has('helm') ? [rule(charted({ config: CONFIG, prometheusRule: { enabled: true } }))] : []
    for (const spec of [built, ...chart]) {
      const { status, stdout, stderr } = checked(spec)
      assert.is(status, 0, stdout + stderr)
      assert.match(stdout, `${names.length} rules found`)
    }
  })
  for (const [name, series, minutes, alerts] of CASES)
    test(`${name}, after ${minutes} minutes: ${alerts.join(', ') || 'none'}`, () => {
      // which labels an alert has is Prometheus' own; whether it fires is asked as a query
      const fired = names.map((alert) => ({
        expr: `count(ALERTS{alertname="${alert}", alertstate="firing"}) > bool 0 or vector(0)`,
        eval_time: `${minutes}m`,
        exp_samples: [{ labels: '{}', value: alerts.includes(alert) ? 1 : 0 }],
      }))
      const input = Object.entries(series).map(([key, values]) => ({ series: key, values }))
      const { status, stdout, stderr } = checked(built, {
        evaluation_interval: '1m',
        tests: [{ interval: '1m', input_series: input, promql_expr_test: fired }],
      })
      assert.is(status, 0, stdout + stderr)
    })
  test('every alert is fired by one of these cases', () =>
    assert.equal([...new Set(CASES.flatMap(([, , , alerts]) => alerts))].sort(), [...names].sort()))
})
