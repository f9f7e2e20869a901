/** Signed actions that `kpt live apply` applies: fields of nodes are held, shared, given back, and no node is pruned. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { suite } from '../../test/support/suite.ts'
import { CONTROL_PLANE, startCluster } from '../support/cluster.ts'
import { functionsIn, run as start } from '../support/hosts.ts'
import { leaseCourse } from '../support/lease-course.ts'
import { does } from '../support/objects.ts'
import { has } from '../support/program.ts'

const isHere = [...CONTROL_PLANE, 'kpt'].map(has).every((found) => found)
const cluster = isHere ? await startCluster() : undefined

suite('signed actions that kpt applies', (test) => {
  test('what it needs is here, or said', () => assert.ok(isHere || cluster === undefined))
  if (cluster === undefined) return
  const { folder, kubectl } = cluster
  const bin = functionsIn(folder)
  const source = join(folder, 'actions')
  const kpt = (...args: string[]) => does(start('kpt', args, { bin, cwd: folder }))
  const live = (...args: string[]) => kpt('live', ...args, '--kubeconfig', join(folder, 'kubeconfig'))

  for (const { what, run } of leaseCourse(cluster))
    test(what, () =>
      run(async () => {
        kpt('fn', 'render', '--allow-exec', '--truncate-output=false', source)
        if (!existsSync(join(source, 'resourcegroup.yaml'))) {
          live('install-resource-group')
          live('init', source, '--namespace', 'default')
        }
        live(...['apply', source, '--server-side', '--force-conflicts'], '--inventory-policy=adopt')
      }),
    )
  test('in the end the package has no document of a node, and kpt has pruned nothing', () => {
    assert.not(existsSync(join(source, 'nodes.yaml')))
    does(kubectl(['get', 'configmap', 'beside', '-n', 'default']))
  })
  test('the control plane is stopped', () => cluster.stop())
})
