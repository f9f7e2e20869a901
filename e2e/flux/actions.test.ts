/** Signed actions that Flux applies: fields of nodes are held, shared, given back, and no node is pruned. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { stringify } from 'yaml'
import { suite } from '../../test/support/suite.ts'
import { CONTROL_PLANE, startCluster } from '../support/cluster.ts'
import { established } from '../support/established.ts'
import { FLUX, fluxDefinitions, kustomizationDefinition, startFlux } from '../support/flux.ts'
import { ROOT } from '../support/hosts.ts'
import { buildOutput, leaseCourse } from '../support/lease-course.ts'
import { does } from '../support/objects.ts'
import { has } from '../support/program.ts'

const isHere = [...CONTROL_PLANE, ...FLUX].map(has).every((found) => found)
const cluster = isHere ? await startCluster() : undefined

suite('signed actions that Flux applies', (test) => {
  test('what it needs is here, or said', () => assert.ok(isHere || cluster === undefined))
  if (cluster === undefined) return
  const { folder, kubectl } = cluster
  const repo = join(folder, 'repo')
  let flux: Awaited<ReturnType<typeof startFlux>>

  test('Flux runs', async () => {
    const kinds = [kustomizationDefinition(), ...fluxDefinitions().map((one) => stringify(one))].join('\n---\n')
    does(kubectl(['apply', '--server-side', '-f', '-'], kinds))
    await established(kubectl)
    does(kubectl(['create', 'namespace', 'flux-system']))
    does(kubectl(['apply', '-f', '-'], readFileSync(join(ROOT, 'deploy/flux/agents.yaml'), 'utf8')))
    flux = await startFlux(cluster)
  })
  for (const { what, run } of leaseCourse(cluster))
    test(what, () =>
      run(async (source) => {
        buildOutput(source, join(repo, 'rendered'))
        const { ready, message } = await flux.publish(repo)
        assert.is(ready, 'True', message)
      }),
    )
  test('in the end no document of a node is rendered, and Flux has pruned nothing', () => {
    assert.not(readdirSync(join(repo, 'rendered')).some((name) => name.includes('node')))
    does(kubectl(['get', 'configmap', 'beside', '-n', 'default']))
  })
  test('what was started is stopped', async () => {
    await flux?.stop()
    await cluster.stop()
  })
})
