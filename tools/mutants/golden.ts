/** The golden packages as tests that need no host: what each gives is what it gives without a fault. */
import { createHash } from 'node:crypto'
import * as assert from 'uvu/assert'
import { render } from '../../src/face/render.ts'
import { goldenLists } from '../../test/support/lists.ts'
import { suite } from '../../test/support/suite.ts'

/** Filled by the run without faults. */
const answers: Record<string, string> = (globalThis as { __answers?: Record<string, string> }).__answers ?? {}

suite('golden packages', (test) => {
  for (const { name, items } of goldenLists())
    test(name, () => {
      const { items: after, results } = render({
        apiVersion: 'config.kubernetes.io/v1',
        items: [...items],
        results: [],
      })
      const text = JSON.stringify([after.map(({ object }) => object), results], (_, value) =>
        typeof value === 'bigint' ? String(value) : value,
      )
      const answer = createHash('sha256').update(text).digest('hex')
      answers[name] ??= answer
      assert.is(answer, answers[name])
    })
})
