/** The message that ends a program, by the kind of its error. */
import * as assert from 'uvu/assert'
import { errorText, UserError } from '../../../src/host/files/user-error.ts'
import { KrmError } from '../../../src/krm/error.ts'
import { KubeError } from '../../../src/kube/index.ts'
import { suite } from '../../support/suite.ts'

const system = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })
const defect = Object.assign(new Error('broken'), { stack: 'Error: broken\n    at one\n    at two' })
const coded = Object.assign(new TypeError('bad'), {
  code: 'ERR_INVALID_ARG_TYPE',
  stack: 'TypeError: bad\n    at three',
})

const TEXTS: Array<[name: string, error: unknown, frames: number | undefined, text: string]> = [
  ['a mistake of the user: its sentence alone', new UserError('give one DIR'), undefined, 'give one DIR'],
  ['YAML that cannot be read: with its code', new KrmError('NotText', 'a is not UTF-8'), 1, 'NotText: a is not UTF-8'],
  [
    'an error of the rules of Kubernetes: with its code',
    new KubeError('QuantityFormat', 'x', 'x is no quantity'),
    1,
    'QuantityFormat: x is no quantity',
  ],
  ['an error of the system: its message', system, 1, 'ENOSPC: no space left on device, write'],
  [
    'a defect: asks for a report, with the stack',
    defect,
    undefined,
    `internal error, please report it: ${defect.stack}`,
  ],
  ['a defect, cut to a frame', defect, 1, 'internal error, please report it: Error: broken\n    at one'],
]

suite('the message that ends a program', (test) => {
  for (const [name, error, frames, text] of TEXTS) test(name, () => assert.is(errorText(error, frames), text))
  test('a wrong call of a function of Node is a defect', () =>
    assert.is(errorText(coded), `internal error, please report it: ${coded.stack}`))
})
