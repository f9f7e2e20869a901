/**
 * The workflow of a release: its steps are scripts that are here, its targets are stages of the Dockerfile, and it may
 * do no more than it must.
 */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import * as assert from 'uvu/assert'
import { parse } from 'yaml'
import { suite } from './support/suite.ts'

const read = (file: string) => readFileSync(fileURLToPath(new URL(`../${file}`, import.meta.url)), 'utf8')
const workflow = parse(read('.github/workflows/release.yaml'))
const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }
interface Step {
  readonly uses?: string
  readonly run?: string
  readonly with?: Readonly<Record<string, unknown>>
}
const steps: readonly Step[] = workflow.jobs.release.steps
const commands = steps.map(({ run = '' }) => run).join('\n')

suite('the workflow of a release', (test) => {
  test('runs for a tag of a version, and everything before it publishes', () => {
    assert.equal(workflow.on, { push: { tags: ['v*'] } })
    const places = [
      '.ci/run',
      'npm run --silent audit',
      'npm run --silent executables',
      'npm run --silent assets',
      'docker buildx',
      'gh release create',
    ]
    const found = places.map((text) => commands.indexOf(text))
    assert.ok(
      found.every((place, index) => place >= 0 && place > (found[index - 1] ?? -1)),
      found.join(),
    )
  })
  test('its scripts are those of package.json', () => {
    const named = [...commands.matchAll(/npm run (?:--silent )?([\w:-]+)/g)].map(([, name = '']) => name)
    assert.ok(named.length >= 4)
    for (const name of named) assert.ok(Object.hasOwn(scripts, name), name)
  })
  test('its targets are stages of the Dockerfile', () => {
    const stages = [...read('Dockerfile').matchAll(/^FROM .* AS (\S+)$/gm)].map(([, name]) => name)
    const [, targets = ''] = /for target in ([^;]+);/.exec(commands) ?? []
    assert.equal(targets.split(' '), ['function', 'sync', 'jobs'])
    for (const target of targets.split(' ')) assert.ok(stages.includes(target), target)
    assert.is(stages.at(-1), 'sync')
  })
  test('nothing may be done but by its job, and the clone keeps no credential', () => {
    assert.equal(workflow.permissions, {})
    assert.equal(workflow.jobs.release.permissions, { contents: 'write', 'id-token': 'write', attestations: 'write' })
    assert.equal(steps[0]?.with, { 'persist-credentials': false })
  })
  test('each action is one commit, and says of which version', () => {
    const used = [...read('.github/workflows/release.yaml').matchAll(/^ *- uses: (.*)$/gm)].map(([, text = '']) => text)
    assert.is(used.length, steps.filter(({ uses }) => uses !== undefined).length)
    for (const text of used) assert.match(text, /^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/)
  })
  test('no text of the outside is put into a command', () => {
    const inserted = [...commands.matchAll(/\$\{\{ *([^}]+?) *\}\}/g)].map(([, name]) => name)
    assert.equal([...new Set(inserted)], ['steps.images.outputs.sync'])
  })
})
