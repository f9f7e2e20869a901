import * as fc from 'fast-check'
import * as assert from 'uvu/assert'
import { KubeError, Quantity, readAmount, readQuantity } from '../../src/kube/index.ts'
import { suite } from '../support/suite.ts'

const CANONICAL: Array<[input: string | number, printed: string, format: string]> = [
  ['0', '0', 'DecimalSI'],
  ['-0', '0', 'DecimalSI'],
  ['0Ki', '0', 'BinarySI'],
  [0, '0', 'DecimalSI'],
  [1.5, '1500m', 'DecimalSI'],
  ['1', '1', 'DecimalSI'],
  ['+1', '1', 'DecimalSI'],
  ['-1', '-1', 'DecimalSI'],
  ['001', '1', 'DecimalSI'],
  ['1.', '1', 'DecimalSI'],
  ['.5', '500m', 'DecimalSI'],
  ['1000m', '1', 'DecimalSI'],
  ['2000m', '2', 'DecimalSI'],
  ['1500m', '1500m', 'DecimalSI'],
  ['0.1', '100m', 'DecimalSI'],
  ['1.10', '1100m', 'DecimalSI'],
  ['1k', '1k', 'DecimalSI'],
  ['1000', '1k', 'DecimalSI'],
  ['1000000', '1M', 'DecimalSI'],
  ['1500000', '1500k', 'DecimalSI'],
  ['1E', '1E', 'DecimalSI'],
  ['1E3', '1e3', 'DecimalExponent'],
  ['1e3', '1e3', 'DecimalExponent'],
  ['12e4', '120e3', 'DecimalExponent'],
  ['1e-3', '1e-3', 'DecimalExponent'],
  ['1e0', '1', 'DecimalExponent'],
  ['1Ki', '1Ki', 'BinarySI'],
  ['1024Ki', '1Mi', 'BinarySI'],
  ['1536Mi', '1536Mi', 'BinarySI'],
  ['1024Mi', '1Gi', 'BinarySI'],
  ['0.5Gi', '512Mi', 'BinarySI'],
  ['0.5Ki', '512', 'BinarySI'],
  ['0.0001Ki', '102400u', 'DecimalSI'],
  ['1.5Ki', '1536', 'BinarySI'],
  ['0.7Mi', '734003200m', 'BinarySI'],
  ['9Ei', '9223372036854775807', 'BinarySI'],
  ['7Ei', '7Ei', 'BinarySI'],
  ['100E', '100E', 'DecimalSI'],
  ['1n', '1n', 'DecimalSI'],
  ['0.1n', '1n', 'DecimalSI'],
  ['1.5n', '2n', 'DecimalSI'],
  ['0.0000000001', '1n', 'DecimalSI'],
  ['-0.1n', '-1n', 'DecimalSI'],
]

const MALFORMED: Array<[input: string, code: string]> = [
  ['', 'QuantityFormat'],
  ['1.1.M', 'QuantityFormat'],
  ['1+1.0M', 'QuantityFormat'],
  ['0.1mi', 'QuantitySuffix'],
  ['0.1am', 'QuantityFormat'],
  ['aoeu', 'QuantityFormat'],
  ['.5i', 'QuantitySuffix'],
  ['1i', 'QuantitySuffix'],
  ['-3.01i', 'QuantitySuffix'],
  ['-3.01e-', 'QuantitySuffix'],
  [' 1', 'QuantityFormat'],
  ['1 ', 'QuantityFormat'],
  ['1K', 'QuantitySuffix'],
  ['1KI', 'QuantityFormat'],
  ['0x10', 'QuantityFormat'],
  ['1e1e1', 'QuantityFormat'],
  ['1e1000000000', 'QuantityRange'],
  ['Infinity', 'QuantityFormat'],
  ['NaN', 'QuantityFormat'],
  ['1_000', 'QuantityFormat'],
  ['１', 'QuantityFormat'],
  ['9'.repeat(2000), 'QuantityFormat'],
]

const INTEGERS: Array<[input: string, value: bigint, milli: bigint]> = [
  ['1', 1n, 1000n],
  ['1m', 1n, 1n],
  ['1u', 1n, 1n],
  ['-1m', -1n, -1n],
  ['-1500m', -2n, -1500n],
  ['1500m', 2n, 1500n],
  ['1Ki', 1024n, 1024000n],
  ['0.5', 1n, 500n],
  ['1.0001', 2n, 1001n],
  ['9Ei', 9223372036854775807n, 9223372036854775807000n],
  ['16773119Ki', 17175673856n, 17175673856000n],
]

/** What stands where an amount should: how it reads as any quantity, and as one that is not negative. */
const WRITTEN: Array<[value: unknown, quantity: string | undefined, amount: string | undefined]> = [
  ['1000m', '1', '1'],
  [2, '2', '2'],
  [0, '0', '0'],
  ['-1', '-1', undefined],
  ['1K', undefined, undefined],
  ['', undefined, undefined],
  [Number.NaN, undefined, undefined],
  [undefined, undefined, undefined],
  [null, undefined, undefined],
  [true, undefined, undefined],
  [{}, undefined, undefined],
  [['1'], undefined, undefined],
]

suite('Quantity', (test) => {
  for (const [value, quantity, amount] of WRITTEN) {
    test(`${JSON.stringify(value)}, of ${typeof value}, reads as ${quantity}, and as an amount of ${amount}`, () => {
      assert.is(readQuantity(value)?.toString(), quantity)
      assert.is(readAmount(value)?.toString(), amount)
    })
  }
  for (const [input, printed, format] of CANONICAL) {
    test(`${JSON.stringify(input)} is printed as ${printed}`, () => {
      const quantity = Quantity.parse(input)
      assert.is(quantity.toString(), printed)
      assert.is(quantity.format, format)
    })
  }
  for (const [input, code] of MALFORMED) {
    test(`${JSON.stringify(input.slice(0, 20))} is ${code}`, () => {
      assert.throws(
        () => Quantity.parse(input),
        (error: unknown) => error instanceof KubeError && error.code === code,
      )
    })
  }
  for (const [input, value, milli] of INTEGERS) {
    test(`${input} has value ${value} and ${milli} thousandths`, () => {
      assert.is(Quantity.parse(input).value(), value)
      assert.is(Quantity.parse(input).milliValue(), milli)
    })
  }
  test('compares amounts, not spellings', () => {
    assert.is(Quantity.parse('1Gi').compare(Quantity.parse('1073741824')), 0)
    assert.is(Quantity.parse('1G').compare(Quantity.parse('1Gi')), -1)
    assert.is(Quantity.parse('-1').compare(Quantity.parse('-2')), 1)
  })
  test('a sum has the format of its first summand that is not zero', () => {
    assert.is(Quantity.parse('0').plus(Quantity.parse('1Gi')).toString(), '1Gi')
    assert.is(Quantity.parse('1Gi').plus(Quantity.parse('1G')).format, 'BinarySI')
  })
  test('what is printed reads back as the same amount, printed the same', () => {
    const suffix = fc.constantFrom('', 'n', 'u', 'm', 'k', 'M', 'G', 'T', 'Ki', 'Mi', 'Gi', 'Ti', 'e3', 'e-3', 'E2')
    fc.assert(
      fc.property(fc.bigInt(-(10n ** 12n), 10n ** 12n), fc.nat(999), suffix, (whole, fraction, unit) => {
        const quantity = Quantity.parse(`${whole}.${fraction}${unit}`)
        const again = Quantity.parse(quantity.toString())
        assert.is(again.compare(quantity), 0)
        assert.is(again.toString(), quantity.toString())
      }),
    )
  })
})
