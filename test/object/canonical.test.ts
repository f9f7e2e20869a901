import * as assert from 'uvu/assert'
import { canonical } from '../../src/object/index.ts'
import { suite } from '../support/suite.ts'

suite('canonical form', (test) => {
  test('a member that is called like what every object inherits stays a member', () => {
    const value = JSON.parse('{"spec":{"__proto__":{"b":1,"a":2},"constructor":"x"}}')
    assert.is(JSON.stringify(canonical(value)), '{"spec":{"__proto__":{"a":2,"b":1},"constructor":"x"}}')
  })
})
