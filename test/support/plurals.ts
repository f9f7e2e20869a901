import type { Finding } from '../../src/krm/finding.ts'

const NOUNS =
  'nodes|pods|groups|claims|pools|machines|tickets|events|workloads|components|rows|terms|types|kinds|values|objects|replicas|bytes|days|files'
const ONE_OF_MANY = new RegExp(`(?<!-> )(?<![\\w.,:/-])1 (?:[a-z]+ )?(?:${NOUNS})\\b`, 'i')

/** Says where a finding counts one in the plural: `1 pods`. */
export function pluralFaults({ code, message }: Finding): string[] {
  const [found] = ONE_OF_MANY.exec(message) ?? []
  return found === undefined ? [] : [`${code}: "${found}" in ${message}`]
}
