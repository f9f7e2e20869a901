/** nodefit takeover before a real Argo CD applies, on the server side and on its own. */
import * as assert from 'uvu/assert'
import { stringify } from 'yaml'
import { suite } from '../../test/support/suite.ts'
import { ARGOCD_WORLD, startWorld } from '../support/argocd-world.ts'
import { onLoopbackOnly } from '../support/loopback.ts'
import { has } from '../support/program.ts'
import { FORMER, inGit, TakenOver } from '../support/taken-over.ts'

// biome-ignore lint/suspicious/noExplicitAny: Kubernetes objects of any kind
type Any = any

await onLoopbackOnly()

const world = [...ARGOCD_WORLD, 'helm'].map(has).every((is) => is) ? await startWorld() : undefined
const MANAGER = 'argocd-controller'
const APPLICATION = 'taken-over'
const KEPT = 'kept'
const AS_MADE = ['sbom-scanner', 'node-agent']

suite('nodefit takeover and Argo CD', (test) => {
  if (world === undefined) return
  const { cluster, applications, repository } = world
  const agents = new TakenOver(cluster)
  const pushes = (names: readonly string[], folder = 'agents'): string => {
    for (const name of names) repository.write(`${folder}/${name}.yaml`, stringify(inGit(name)))
    return repository.push(names.join())
  }
  /** A folder of plain manifests, applied as the options say. */
  const create = (name: string, folder: string, syncOptions: readonly string[]) =>
    applications.create(name, repository, folder, (spec: Any) => ({
      ...spec,
      source: { repoURL: repository.url, path: folder, targetRevision: 'main' },
      syncPolicy: { ...spec.syncPolicy, syncOptions },
    }))

  test('without it a server-side apply keeps what the operator owns and Git lacks', async () => {
    agents.byOperator(KEPT, false)
    const revision = pushes([KEPT])
    create(APPLICATION, 'agents', ['ServerSideApply=true'])
    await applications.followed(APPLICATION, revision)
    assert.equal(agents.read(KEPT).containers, AS_MADE)
  })
  test('after it Argo CD drops it, of Helm’s and of the operator’s', async () => {
    agents.byOperator('operator')
    agents.byHelm('helm')
    const names = [KEPT, ...FORMER]
    agents.handOver(MANAGER, names.map(inGit))
    const revision = pushes(FORMER)
    await applications.followed(APPLICATION, revision)
    for (const name of names) agents.isAsInGit(name, MANAGER)
  })
  test('what Argo CD applies on its own keeps it, after takeover too', async () => {
    const name = 'own'
    agents.byOperator(name, false)
    agents.handOver(MANAGER, [inGit(name)])
    const revision = pushes([name], 'own')
    create('own', 'own', [])
    await applications.followed('own', revision)
    assert.equal(agents.read(name).containers, AS_MADE)
  })
  test('what was started is stopped', () => world.stop())
})
