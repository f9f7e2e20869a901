import * as assert from 'uvu/assert'
import { canonical, canonicalizer } from '../../../src/core/object/index.ts'
import { suite } from '../../support/suite.ts'

suite('canonical form', (test) => {
  test('a member that is called like what every object inherits stays a member', () => {
    const value = JSON.parse('{"spec":{"__proto__":{"b":1,"a":2},"constructor":"x"}}')
    assert.is(JSON.stringify(canonical(value)), '{"spec":{"__proto__":{"a":2,"b":1},"constructor":"x"}}')
  })
  test('of several values one and the same part stays one, as what its field makes of it', () => {
    const part = { requests: { memory: '1024Mi', cpu: '1000m' } }
    const write = canonicalizer()
    const [one, other] = [write({ resources: part, note: part }), write({ resources: part })]
    assert.equal(one, {
      note: { requests: { cpu: '1000m', memory: '1024Mi' } },
      resources: { requests: { cpu: '1', memory: '1Gi' } },
    })
    assert.is(other.resources, one.resources)
    assert.is.not(canonical({ resources: part }).resources, one.resources)
  })
})
