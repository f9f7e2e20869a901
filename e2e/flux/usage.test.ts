/** Sizes from usage through Flux: the golden package, step by step, as the real kustomize-controller applies it, with what the server then has. */
import { cpSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { parseAllDocuments, stringify } from 'yaml'
import { suite } from '../../test/support/suite.ts'
import { CONTROL_PLANE, startCluster } from '../support/cluster.ts'
import { established } from '../support/established.ts'
import { FLUX, fluxDefinitions, kustomizationDefinition, startFlux } from '../support/flux.ts'
import { COMMAND, ROOT, run } from '../support/hosts.ts'
import { does } from '../support/objects.ts'
import { has } from '../support/program.ts'

// biome-ignore lint/suspicious/noExplicitAny: Kubernetes objects of any kind, read back
type Any = any

const GOLDEN = join(ROOT, 'testdata/golden/usage')
/** What each step copies over the package. */
const STEPS = ['package', 'auto', 'killed', 'stop']
const isHere = [...CONTROL_PLANE, ...FLUX].map(has).every((found) => found)
const cluster = isHere ? await startCluster() : undefined

suite('sizes from usage, and Flux', (test) => {
  test('the golden package has these steps', () => {
    const { steps } = JSON.parse(readFileSync(join(GOLDEN, 'case.json'), 'utf8')) as { steps: Any[] }
    assert.equal(
      steps.map(({ overlay }) => overlay ?? 'package'),
      STEPS,
    )
  })
  if (cluster === undefined) return
  const { folder, kubectl } = cluster
  const work = join(folder, 'work')
  const repo = join(work, 'repo')
  let flux: Awaited<ReturnType<typeof startFlux>>
  const stored = (): Any[] => JSON.parse(does(kubectl(['get', 'daemonsets', '-n', 'logging', '-o', 'json']))).items
  const sizesOf = (all: readonly Any[]) =>
    Object.fromEntries(
      all.map(({ metadata, spec }) => [metadata.name, spec.template.spec.containers[0].resources]).sort(),
    )
  const generations = () =>
    new Map(stored().map(({ metadata: { name, uid, generation } }) => [name as string, `${uid} ${generation}`]))
  const wanted = (step: number) =>
    sizesOf(
      parseAllDocuments(readFileSync(join(GOLDEN, `expected-${step}/fluent-bit-groups.yaml`), 'utf8')).map((document) =>
        document.toJS(),
      ),
    )

  test('Flux runs', async () => {
    mkdirSync(join(repo, 'rendered'), { recursive: true })
    const definitions = [kustomizationDefinition(), ...fluxDefinitions().map((one) => stringify(one))]
    does(kubectl(['apply', '--server-side', '-f', '-'], definitions.join('\n---\n')))
    await established(kubectl)
    for (const name of ['flux-system', 'logging']) does(kubectl(['create', 'namespace', name]))
    does(kubectl(['apply', '-f', '-'], readFileSync(join(ROOT, 'deploy/flux/agents.yaml'), 'utf8')))
    flux = await startFlux(cluster)
  })
  for (const [index, overlay] of STEPS.entries())
    test(`${overlay}: the server has the sizes of the step, and groups of which none changed stay`, async () => {
      const [before, was] = [generations(), sizesOf(stored())]
      cpSync(join(GOLDEN, overlay), join(work, 'package'), { recursive: true })
      does(run(process.execPath, [COMMAND, 'build', 'package', '--output-dir', 'repo/rendered'], { cwd: work }))
      const { ready, message } = await flux.publish(repo)
      assert.is(ready, 'True', message)
      const sizes = wanted(index + 1)
      assert.equal(sizesOf(stored()), sizes)
      assert.is(Object.keys(sizes).length, 6)
      const changed = Object.keys(sizes).filter((name) => JSON.stringify(sizes[name]) !== JSON.stringify(was[name]))
      const after = generations()
      assert.equal(
        [...after.keys()].filter((name) => after.get(name) !== before.get(name)),
        changed,
      )
    })
  test('what was started is stopped', async () => {
    await flux.stop()
    await cluster.stop()
  })
})
