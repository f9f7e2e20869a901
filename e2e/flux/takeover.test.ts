/** nodefit takeover before Flux' kustomize-controller applies: the real one, on a real API server. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { stringify } from 'yaml'
import { suite } from '../../test/support/suite.ts'
import { CONTROL_PLANE, startCluster } from '../support/cluster.ts'
import { established } from '../support/established.ts'
import { FLUX, type Flux, fluxDefinitions, kustomizationDefinition, startFlux } from '../support/flux.ts'
import { does } from '../support/objects.ts'
import { has } from '../support/program.ts'
import { FORMER, inGit, TakenOver } from '../support/taken-over.ts'

const isHere = [...CONTROL_PLANE, ...FLUX, 'helm'].map(has).every((is) => is)
const cluster = isHere ? await startCluster() : undefined
const MANAGER = 'kustomize-controller'
const KEPT = 'kept'
const object = (group: string, kind: string, spec: object) => ({
  apiVersion: `${group}.toolkit.fluxcd.io/v1`,
  kind,
  metadata: { name: 'agents', namespace: 'flux-system' },
  spec,
})
const SOURCE = object('source', 'GitRepository', { interval: '1m', url: 'https://git.example.com/cluster.git' })
const KUSTOMIZATION = object('kustomize', 'Kustomization', {
  interval: '10m',
  path: './agents',
  prune: true,
  sourceRef: { kind: 'GitRepository', name: 'agents' },
})

suite('nodefit takeover and Flux', (test) => {
  if (cluster === undefined) return
  const { folder, kubectl } = cluster
  const agents = new TakenOver(cluster)
  const repo = join(folder, 'repo')
  let flux: Flux
  const publishes = async (names: readonly string[]) => {
    mkdirSync(join(repo, 'agents'), { recursive: true })
    for (const name of names) writeFileSync(join(repo, 'agents', `${name}.yaml`), stringify(inGit(name)))
    return flux.publish(repo)
  }
  test('Flux runs', async () => {
    const definitions = [kustomizationDefinition(), ...fluxDefinitions().map((one) => stringify(one))]
    does(kubectl(['apply', '--server-side', '-f', '-'], definitions.join('\n---\n')))
    await established(kubectl)
    does(kubectl(['create', 'namespace', 'flux-system']))
    for (const one of [SOURCE, KUSTOMIZATION]) does(kubectl(['create', '-f', '-'], JSON.stringify(one)))
    flux = await startFlux(cluster)
  })
  test('without it Flux keeps what the operator owns and Git lacks', async () => {
    agents.byOperator(KEPT, false)
    const { ready, message } = await publishes([KEPT])
    assert.is(ready, 'True', message)
    assert.equal(agents.read(KEPT).containers, ['sbom-scanner', 'node-agent'])
  })
  test('after it Flux drops it, of Helm’s and of the operator’s', async () => {
    agents.byOperator('operator')
    agents.byHelm('helm')
    const names = [KEPT, ...FORMER]
    agents.handOver(MANAGER, names.map(inGit))
    const { ready, message } = await publishes(FORMER)
    assert.is(ready, 'True', message)
    for (const name of names) agents.isAsInGit(name, MANAGER)
  })
  test('what was started is stopped', async () => {
    await flux.stop()
    await cluster.stop()
  })
})
