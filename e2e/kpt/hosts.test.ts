/**
 * The same packages through every host: the manifests are the same, except for the differences that
 * e2e/differences.json lists with their reasons. With `--sample` each package is rendered by every third host, other
 * ones for another commit.
 */
import * as assert from 'uvu/assert'
import { suite } from '../../test/support/suite.ts'
import { differencesOf, listedDifferences, writtenAllTheSame } from '../support/differences.ts'
import { inFolder } from '../support/hosts.ts'
import { has } from '../support/program.ts'
import { RENDERERS, type Rendered, type Renderer } from '../support/renderers.ts'
import { isSampled, sampled } from '../support/sampled.ts'
import { leftOut, type Sample, type SampleStep, samples } from '../support/samples.ts'

/** Steps that only a host with earlier output can render; the others have to say so. */
const NEED_EARLIER = [
  'golden/rollout-paced, step 1',
  'golden/steady, step 1',
  'reservation/claimed, step 2',
  'reservation/keep, step 1',
  'reservation/paced, step 1',
  'reservation/paused, step 2',
  'reservation/renewed, step 1',
]

const SAMPLES = samples()
const isWhole = sampled(true, false)
const titleOf = ({ name }: Sample, index: number) => `${name}, step ${index + 1}`

suite('every host renders the same', (test) => {
  test('the packages, and those that are about kpt alone', () => {
    assert.ok(SAMPLES.length >= 40, String(SAMPLES.length))
    assert.equal(leftOut(), [
      'golden/child-and-parent',
      'golden/config-path',
      'golden/namespace-before',
      'golden/selectors',
      'golden/set-labels',
      'golden/set-namespace',
      'golden/two-clusters',
    ])
    const titles = SAMPLES.flatMap((sample) => sample.steps.map((_, index) => titleOf(sample, index)))
    for (const title of NEED_EARLIER) assert.ok(titles.includes(title), title)
  })
  test('what is no difference that may be listed', () => {
    const object = (name: string, spec: object, annotations?: object) => ({
      apiVersion: 'apps/v1',
      kind: 'DaemonSet',
      metadata: { name, annotations },
      spec,
    })
    const [a, b] = [object('a', { x: 1, y: 2 }), object('b', {})]
    const found = (...objects: object[]) => [...differencesOf([a, b], objects)]
    assert.equal(found(a, b), [])
    assert.equal(found(b, a), ['order'])
    assert.equal(found(object('a', { y: 2, x: 1 }), b), ['order of fields'])
    assert.equal(found(object('a', { x: 1, y: 2 }, { k: 'v' }), b), ['annotation k'])
    assert.equal(found(object('a', { x: 1, y: '2' }), b), ['apps/v1 DaemonSet /a has other fields'])
    assert.equal(found(a), ['apps/v1 DaemonSet /b is missing'])
    assert.equal(found(a, b, b), ['an object comes twice'])
    assert.equal(found(a, b, object('c', {})), ['apps/v1 DaemonSet /c is there'])
  })
  for (const [number, renderer] of RENDERERS.entries()) {
    const { name, needs, takesFlat = true } = renderer
    const tried = SAMPLES.filter(({ flat }, index) => isSampled(index + number) && (takesFlat || flat.length === 0))
    if (!needs.every(has)) continue
    test(name, () => {
      const listed = listedDifferences(
        name,
        RENDERERS.map((one) => one.name),
      )
      const seen = new Set<string>()
      const wrong = tried.flatMap((sample) =>
        stepsOn(renderer, sample).flatMap(({ title, step, rendered }) => {
          const differences = isExpected(renderer, title, step, rendered)
          for (const one of differences) seen.add(one)
          return [
            ...differences.filter((one) => !listed.includes(one)),
            ...writtenAllTheSame(listed, rendered.objects),
          ].map((one) => `${title}: ${one}`)
        }),
      )
      assert.equal(wrong, [])
      if (isWhole) assert.equal([...seen].sort(), listed, 'a difference that is listed occurs')
    })
  }
})

/** What a host makes of a package: each step on the last one where it keeps what it rendered, else those that need no other. */
function stepsOn(renderer: Renderer, sample: Sample): { title: string; step: SampleStep; rendered: Rendered }[] {
  return inFolder((folder) =>
    sample.steps.flatMap((step, index) => {
      const title = titleOf(sample, index)
      const isTried = index === 0 || renderer.goesOn || (!renderer.seesEarlier && NEED_EARLIER.includes(title))
      return isTried ? [{ title, step, rendered: renderer.render(sample, step.source, folder) }] : []
    }),
  )
}

/** How what a host rendered differs from what it has to; a failure is one as well, save where it has to fail. */
function isExpected(
  { seesEarlier, refusesNothing }: Renderer,
  title: string,
  { applied, expected, errors }: SampleStep,
  { objects, said, failed, leaked, files }: Rendered,
): string[] {
  const codes = !seesEarlier && NEED_EARLIER.includes(title) ? ['NeedsEarlierOutput'] : errors
  const isNothing = codes.length === 0 && applied.length === 0 && refusesNothing
  const expectedWords = isNothing ? ['no object is rendered'] : codes.map((code) => `${code}: `)
  if (leaked) return ['it failed, and put something out']
  if (failed !== expectedWords.length > 0) return [failed ? `it failed: ${said}` : `it did not fail: ${codes}`]
  if (failed) return expectedWords.some((words) => said.includes(words)) ? [] : [`it failed otherwise: ${said}`]
  const changed = Object.keys({ ...expected, ...files }).filter((path) => files?.[path] !== expected[path])
  const ofFiles = files === undefined ? [] : changed.map((path) => `${path} is another file`)
  return [...differencesOf(applied, objects), ...ofFiles]
}
