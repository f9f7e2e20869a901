/** What forges and git say, and what it means. */
import * as assert from 'uvu/assert'
import { classify, REASONS, type Reason, WORDINGS } from '../../../../src/host/sync/git/failure.ts'
import { SAID } from '../../../support/forge-wordings.ts'
import { suite } from '../../../support/suite.ts'

suite('the table of rejections', (test) => {
  for (const [name, { text, reason }] of Object.entries(SAID))
    test(name, () => {
      assert.is(classify(text), reason)
    })
  test('each row is met by a wording, before any other row', () => {
    const met = new Set(Object.values(SAID).map(({ text }) => WORDINGS.findIndex(([pattern]) => pattern.test(text))))
    const unmet = WORDINGS.filter((_, at) => !met.has(at)).map(([, reason]) => reason)
    assert.equal(unmet, [])
  })
  test('each reason that a text can have is met', () => {
    const own: readonly Reason[] = ['no-branch', 'credentials', 'stopped', 'unknown']
    const met = new Set<Reason>([...own, ...Object.values(SAID).map(({ reason }) => reason)])
    assert.equal(
      Object.keys(REASONS).filter((reason) => !met.has(reason as Reason)),
      [],
    )
  })
  test('what nobody knows is refused, so that a human looks', () => {
    assert.is(classify('the moon is full'), 'unknown')
    assert.is(REASONS.unknown.kind, 'refused')
  })
  test('a branch, a path or a host with a telling name tells nothing', () => {
    const telling = ['quota', 'rate-limit-config', 'timeout', 'archived', 'read-only', 'secret', 'signing']
    for (const name of telling)
      assert.is(
        classify(`To https://example.com/${name}/${name}.git\n!\tabc:refs/heads/${name}\t[rejected] (fetch first)`),
        'fetch-first',
        name,
      )
  })
  test('each has a sentence that helps', () => {
    for (const [reason, { mend }] of Object.entries(REASONS)) assert.match(mend, /^[A-Z].*\.$/, reason)
  })
})
