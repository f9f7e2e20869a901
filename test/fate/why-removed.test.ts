/** Why a group is removed where nothing at all is rendered; the usual reasons are tested with whole runs. */
import * as assert from 'uvu/assert'
import type { Planned } from '../../src/core/index.ts'
import { renderedNow, whyRemoved } from '../../src/fate/change-findings.ts'
import { newItem } from '../../src/krm/index.ts'
import { daemonSet, policy, TYPE } from '../support/objects.ts'
import { suite } from '../support/suite.ts'

suite('a group of which nothing is left', (test) => {
  const before = daemonSet({ nodeSelector: { [TYPE]: 'm5' } }, { annotations: { 'nodefit.dev/group': 'value:m5' } })
  const by = { subject: newItem(policy()), isEnabled: true } as unknown as Planned
  test('where nothing is rendered nothing is said of labels', () => {
    assert.is(whyRemoved(before, by, renderedNow([], by, [])), 'no node or declared shape is in value:m5 any more')
  })
  test('where something is, by other labels, that is said', () => {
    const other = daemonSet({ nodeSelector: { pool: 'a' } })
    assert.is(whyRemoved(before, by, renderedNow([other], by, [])), `nodes are no longer grouped by ${TYPE}`)
  })
})
