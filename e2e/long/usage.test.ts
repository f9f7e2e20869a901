/**
 * Sixty days of ten agents on 333 nodes, sized by what they use: as much as a simulation of the same rules in another language
 * asked for, and few kills. The sample tries two agents.
 */
import * as assert from 'uvu/assert'
import { suite } from '../../test/support/suite.ts'
import { AGENTS, type AgentName, agentOf } from '../usage/agents.ts'
import { courseOf } from '../usage/course.ts'
import { Draw, Fleet } from '../usage/fleet.ts'
import { TABLE } from '../usage/table.ts'

const SEED = 1
const SAMPLE: readonly AgentName[] = ['shipper', 'heap']
const names = process.env.SAMPLE === 'true' ? SAMPLE : AGENTS
/** Of the sum over the agents: one agent alone differs by more from seed to seed. */
const TOLERANCE = 0.1
/** Kills are rare and come together: as many as the table has, and these beside. */
const MORE_KILLS = 60

suite('sixty days of usage', (test) => {
  const fleet = new Fleet(SEED)
  const courses = names.map((name, index) => ({
    name,
    ...courseOf(fleet, agentOf(name, new Draw(1000 * SEED + index))),
  }))
  const sumOf = (of: 'cores' | 'gibibytes') => ({
    is: courses.reduce((sum, course) => sum + course[of], 0),
    want: names.reduce((sum, name) => sum + TABLE[name][of], 0),
  })
  for (const of of ['cores', 'gibibytes'] as const)
    test(`${of} requested are those of the table, within a tenth`, () => {
      const { is, want } = sumOf(of)
      assert.ok(Math.abs(is - want) <= TOLERANCE * want, `${is.toFixed(1)}, ${want.toFixed(1)} in the table`)
    })
  for (const { name, kills, aboveRequest, restartsPerPod } of courses)
    test(`${name}: few kills, few restarts, requests that hold`, () => {
      assert.ok(kills <= TABLE[name].kills + MORE_KILLS, `${kills.toFixed(0)} kills`)
      assert.ok(restartsPerPod <= TABLE[name].restartsPerPod + 2, `${restartsPerPod.toFixed(1)} restarts a pod`)
      assert.ok(aboveRequest < 0.08, `${(100 * aboveRequest).toFixed(1)} % of the time above the request`)
    })
  test('one commit a week, and one for each outage', () => {
    const weekly = new Set(courses.flatMap(({ commits }) => commits.filter((hour) => (hour + 1) % (7 * 24) === 0)))
    assert.ok(weekly.size >= 1 && weekly.size <= 8, `${weekly.size} regular commits`)
    const urgent = new Set(courses.flatMap(({ commits }) => commits.filter((hour) => (hour + 1) % (7 * 24) !== 0)))
    assert.ok(urgent.size <= 25, `${urgent.size} urgent commits`)
    process.stdout.write(`${courses.length} agents: ${weekly.size} regular and ${urgent.size} urgent commits\n`)
  })
})
