import { isMap } from '../../krm/map.ts'
import { readYaml } from '../../krm/read-yaml.ts'
import { readText } from './read-text.ts'
import { UserError } from './user-error.ts'

/** The largest list of prices, in bytes. */
const LIMIT = 1 << 20

/** Reads prices of nodes for an hour by their type: `m5.large: 0.115`. Throws `UserError` for anything else. */
export function readPricesFile(file: string): ReadonlyMap<string, number> {
  const value = readYaml(readText(file, LIMIT), file)
  if (!isMap(value))
    throw new UserError(`${file} is no list of prices: write a line such as m5.large: 0.115 for each type`)
  return new Map(
    Object.entries(value).map(([type, price]) => {
      if (typeof price === 'number' && Number.isFinite(price) && price >= 0) return [type, price]
      throw new UserError(
        `${file}: the price of ${type} is not a number from 0: write the price of an hour, such as 0.115`,
      )
    }),
  )
}
