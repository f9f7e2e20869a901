import * as assert from 'uvu/assert'
import { dueAt, type Past, type Windows } from '../../src/sync/loop.ts'
import { suite } from '../support/suite.ts'

const WINDOWS: Windows = { quietWindow: 15, maxWindow: 45, minPushInterval: 30, reconcileInterval: 300 }

const CASES: Array<[name: string, past: Past, due: number]> = [
  ['nothing was evaluated yet: at once', {}, 0],
  ['nothing was evaluated yet, and a change waits for nothing', { waiting: { first: 1000, newest: 1000 } }, 0],
  ['nothing was evaluated yet, and the first try failed', { notBefore: 7 }, 7],
  ['nothing changes: the longest interval', { evaluatedAt: 1000 }, 1300],
  ['a change waits for the quiet window', { evaluatedAt: 1000, waiting: { first: 1010, newest: 1010 } }, 1025],
  ['another one begins it anew', { evaluatedAt: 1000, waiting: { first: 1010, newest: 1020 } }, 1035],
  ['no longer than the longest window', { evaluatedAt: 1000, waiting: { first: 1010, newest: 1050 } }, 1055],
  [
    'a change just before the longest interval ends',
    { evaluatedAt: 1000, waiting: { first: 1299, newest: 1299 } },
    1300,
  ],
  ['an instant comes before the longest interval', { evaluatedAt: 1000, until: 1100 }, 1100],
  ['an instant beyond it', { evaluatedAt: 1000, until: 5000 }, 1300],
  ['an instant that was seen is over', { evaluatedAt: 1000, until: 1000 }, 1300],
  ['an instant waits for no window', { evaluatedAt: 1000, until: 1012, waiting: { first: 1010, newest: 1011 } }, 1012],
  ['nothing soon after a push', { evaluatedAt: 1000, pushedAt: 1000, waiting: { first: 1001, newest: 1001 } }, 1030],
  ['nor an instant', { evaluatedAt: 1000, pushedAt: 1005, until: 1006 }, 1035],
  ['nothing before what failed may be tried again', { evaluatedAt: 1000, notBefore: 1200, until: 1006 }, 1200],
  ['what failed is over', { evaluatedAt: 1000, notBefore: 1002, until: 1006 }, 1006],
]

suite('when to evaluate next', (test) => {
  for (const [name, past, due] of CASES) test(name, () => assert.is(dueAt(past, WINDOWS), due))
})
