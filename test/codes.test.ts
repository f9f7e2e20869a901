/** Every code has a smallest input that brings it about; a code without one fails here. */
import * as assert from 'uvu/assert'
import { messageOf } from '../src/face/explain.ts'
import { type Finding, hasRole } from '../src/krm/finding.ts'
import { CODES, type Code } from '../src/rules/all-codes.ts'
import { plan } from '../src/rules/run.ts'
import { codeCases, LINUX, LIVE_CASES, OF_TOYS, SEEDED } from './support/code-cases.ts'
import { listOf } from './support/objects.ts'
import { pluralFaults } from './support/plurals.ts'
import { suite } from './support/suite.ts'
import { kubescapePolicy, templateMap } from './support/template.ts'
import { unitFaults } from './support/units.ts'

/** Holds a finding against its code: what a reader must be able to answer is what is wrong, where, and what to do next. */
function checkFinding(found: Finding): void {
  const { severity, meaning, mend } = CODES[found.code as Code]
  assert.is(found.severity, severity)
  assert.match(meaning, /^[A-Z].*\.$/)
  if (mend !== '') assert.ok(found.message.endsWith(mend), 'the sentence ends with the mend')
  const text = messageOf(found)
  assert.ok(found.sentence.split(' ').length >= 3 && found.sentence !== meaning, `what: ${text}`)
  const { subject, field } = found
  const places = [subject?.metadata.name, subject?.kind, field?.path.split('.').at(-1)].filter((place) => place)
  const isPlaced = places.some((place) => text.includes(String(place)))
  assert.ok(hasRole(found, 'package') || places.length === 0 || isPlaced, `where: ${text}`)
  if (severity !== 'info') assert.ok(found.message.length > found.sentence.length + 5, `next step: ${text}`)
}

suite('codes', (test) => {
  test('every code has a case', () =>
    assert.equal(
      [...codeCases().map(({ code }) => code), ...Object.keys(LIVE_CASES), ...SEEDED, ...OF_TOYS].sort(),
      Object.keys(CODES).sort(),
    ))
  for (const { code, list, options } of codeCases())
    test(code, () => {
      const result = plan(list, options)
      const found = result.findings.find((one) => one.code === code)
      assert.ok(found, `found ${result.findings.map(({ code: other, message }) => `${other}: ${message}`).join('\n')}`)
      checkFinding(found)
      assert.equal(result.findings.flatMap(unitFaults), [], 'amounts in one unit')
      assert.equal(result.findings.flatMap(pluralFaults), [], 'one is counted in the singular')
      assert.is(result.failed, found.severity === 'error')
      if (found.severity === 'error') assert.equal(result.items, list.items, 'items are unchanged')
    })
  for (const [code, live] of Object.entries(LIVE_CASES))
    test(code, () => {
      const template = { ...templateMap(), metadata: { ...templateMap().metadata, labels: { 'helm.sh/chart': 'v1' } } }
      const { packages, failed } = plan(listOf([LINUX, template, kubescapePolicy()]))
      assert.not(failed)
      const found = packages.flatMap(({ planned }) => planned.flatMap(({ drift }) => drift?.(live) ?? []))
      const [one] = found.filter((each) => each.code === code)
      assert.ok(one, found.map(({ code: other, message }) => `${other}: ${message}`).join('\n'))
      checkFinding(one)
    })
})
