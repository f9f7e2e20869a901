import * as assert from 'uvu/assert'
import { suite } from '../../../test/support/suite.ts'
import { SCHEDULED, startCluster } from '../cluster.ts'
import { Api } from '../fleets/api.ts'
import { has } from '../program.ts'
import { drawDay } from './days.ts'
import { Model, playDay, type Report } from './play.ts'
import { Real } from './real.ts'

/**
 * Plays days on the real DaemonSet controller and against the model that these confirm: nothing that passes takes an
 * agent away, gives it another size or restarts it, but what a render has said.
 */
export async function passing({ real, modelled }: { real: number; modelled: number }): Promise<void> {
  const cluster = real > 0 && SCHEDULED.every(has) ? await startCluster({ scheduler: true }) : undefined
  suite('what passes', (test) => {
    test('the same number draws the same day, with twenty quiet renders', () => {
      const shown = (number: number) => drawDay(number).map(({ minute, what }) => `${minute} ${what}`)
      assert.equal(shown(1), shown(1))
      assert.is.not(shown(1).join(), shown(2).join())
      assert.is(shown(1).filter((text) => text.endsWith('quiet')).length, 20)
    })
    test(`${modelled} days against the model`, async () => {
      const reports: Report[] = []
      for (let number = 1; number <= modelled; number++) reports.push(await playDay(number, new Model()))
      judge(reports, 'the model')
    })
    test('a policy that retains nothing and knows no start-up taints is found out', async () => {
      const { unsaid } = await playDay(1, new Model(), { retainGroups: '0s', startupTaints: [] })
      assert.ok(unsaid.length > 0)
    })
    if (cluster === undefined) return
    const api = new Api(cluster.folder)
    for (let number = 1; number <= real; number++)
      test(`day ${number} on the real controller`, async () => {
        const ground = new Real(api)
        judge([await playDay(number, ground)], 'the real controller')
        await ground.clear()
      })
    test('what was started is stopped', async () => {
      api.close()
      await cluster.stop()
    })
  })
}

function judge(reports: readonly Report[], where: string): void {
  const sum = (figure: 'steps' | 'renders' | 'looks') => reports.reduce((all, one) => all + one[figure], 0)
  const figures = `${reports.length} days, ${sum('steps')} steps, ${sum('renders')} renders, ${sum('looks')} looks at nodes`
  process.stdout.write(`what passes, ${where}: ${figures}\n`)
  assert.equal(
    reports.flatMap(({ errors }) => errors),
    [],
  )
  assert.equal(
    reports.flatMap(({ unsaid }) => unsaid),
    [],
  )
}
