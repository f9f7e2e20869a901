import * as assert from 'uvu/assert'
import { readArguments } from '../../../src/host/cli/command.ts'
import { UserError } from '../../../src/host/files/user-error.ts'
import { suite } from '../../support/suite.ts'

const OPTIONS = {
  set: { type: 'string', multiple: true },
  cluster: { type: 'string' },
  exact: { type: 'boolean' },
} as const
const HELP = '; nodefit a --help lists its options'

const REFUSED: Array<[args: string[], sentence: string]> = [
  [['--sett', 'a'], `nodefit a has no option --sett, did you mean --set?${HELP}`],
  [['--clutser=b'], `nodefit a has no option --clutser, did you mean --cluster?${HELP}`],
  [['--constructor'], `nodefit a has no option --constructor${HELP}`],
  [['--no-such-thing-at-all'], `nodefit a has no option --no-such-thing-at-all${HELP}`],
  [['-x'], `nodefit a has no option -x${HELP}`],
  [['--set'], `--set needs a value${HELP}`],
  [['--cluster='], `--cluster needs a value${HELP}`],
  [['--cluster', ''], `--cluster needs a value${HELP}`],
  [['--cluster', '--exact'], `--cluster needs a value: if the value is --exact, write --cluster=--exact${HELP}`],
  [['--exact=1'], `--exact takes no value, but "1" is given${HELP}`],
  [['--cluster', 'b', '--cluster', 'c'], `--cluster is given twice${HELP}`],
  [['--exact', '--exact'], `--exact is given twice${HELP}`],
]

suite('arguments', (test) => {
  for (const [args, sentence] of REFUSED) {
    test(`${args.join(' ')} is refused`, () =>
      assert.throws(
        () => readArguments('nodefit a', args, OPTIONS),
        (error: unknown) => {
          assert.is((error as Error).message, sentence)
          return error instanceof UserError
        },
      ))
  }
  test('values, files and what begins with a dash', () => {
    const args = ['x', '--set', 'a=b', '--set=c=d', '--cluster', '-', '--exact', '-', '--', '--y']
    const { values, positionals } = readArguments('nodefit a', args, OPTIONS)
    assert.equal({ ...values }, { set: ['a=b', 'c=d'], cluster: '-', exact: true })
    assert.equal(positionals, ['x', '-', '--y'])
    assert.equal({ ...readArguments('nodefit a', ['--cluster=-b'], OPTIONS).values }, { cluster: '-b' })
  })
})
