/** Signed actions that Argo CD applies: fields of nodes are held, shared, given back, and no node is pruned. */
import { readdirSync } from 'node:fs'
import * as assert from 'uvu/assert'
import { suite } from '../../test/support/suite.ts'
import { ARGOCD_WORLD, startWorld } from '../support/argocd-world.ts'
import { buildOutput, leaseCourse } from '../support/lease-course.ts'
import { onLoopbackOnly } from '../support/loopback.ts'
import { does } from '../support/objects.ts'
import { has } from '../support/program.ts'

await onLoopbackOnly()

const OUTPUT = 'rendered'
const isHere = ARGOCD_WORLD.map(has).every((is) => is)
const world = isHere ? await startWorld() : undefined

suite('signed actions that Argo CD applies', (test) => {
  test('what it needs is here, or said', () => assert.ok(isHere || world === undefined))
  if (world === undefined) return
  const { cluster, repository, applications } = world
  let isCreated = false

  for (const { what, run } of leaseCourse(cluster))
    test(what, () =>
      run(async (source) => {
        buildOutput(source, repository.at(OUTPUT))
        const revision = repository.push(what)
        if (!isCreated) {
          applications.create('actions', repository, OUTPUT, ({ source: { plugin: _, ...rest }, ...spec }) => ({
            ...spec,
            source: rest,
            destination: { ...spec.destination, namespace: 'default' },
          }))
          isCreated = true
        }
        await applications.followed('actions', revision)
      }),
    )
  test('in the end no document of a node is rendered, and Argo CD has pruned nothing', () => {
    assert.not(readdirSync(repository.at(OUTPUT)).some((name) => name.includes('node')))
    does(cluster.kubectl(['get', 'configmap', 'beside', '-n', 'default']))
  })
  test('what was started is stopped', () => world.stop())
})
