import { isTime } from '../../kube/index.ts'

/** The trailers of a commit message, by which the commit can be rendered again. */
export interface Trailers {
  readonly cluster: string
  readonly effect: string
  readonly version: string
  readonly folder: string
  readonly packages: readonly string[]
  readonly output?: string
  /** The code of a guard that held, and that the commit accepts. */
  readonly allow?: string
  readonly inputDigest: string
  /** Undefined where nothing was rendered. */
  readonly outputDigest?: string
}

const PREFIX = 'Nodefit-'
const FIRST = `${PREFIX}Cluster: `
const TRAILER = /^Nodefit-([A-Za-z-]+): (.+)$/

/** The last paragraph of a commit message. */
export function trailersText(trailers: Trailers): string {
  const { cluster, effect, version, folder, packages, output, allow, inputDigest, outputDigest } = trailers
  const lines: Array<[name: string, value: string | undefined]> = [
    ['Cluster', cluster],
    ['Effect', effect],
    ['Version', version],
    ['Folder', folder],
    ...packages.map((path): [string, string] => ['Package', path]),
    ['Output', output],
    ['Allow', allow],
    ['Input-Digest', inputDigest],
    ['Output-Digest', outputDigest],
  ]
  return lines.flatMap(([name, value]) => (value === undefined ? [] : [`${PREFIX}${name}: ${value}\n`])).join('')
}

const ACK = /^Nodefit-Ack: (\S+) (\S+)$/gm

/** The trailer of a commit that accepts what guards of a cluster hold, until a time. */
export function ackText(cluster: string, until: string): string {
  return `${PREFIX}Ack: ${cluster} ${until}\n`
}

/** Until when a commit accepts what guards hold, in milliseconds since 1970; undefined where it does not. */
export function ackedUntil(message: string, cluster: string): number | undefined {
  const times = [...message.matchAll(ACK)].flatMap(([, name, time = '']) =>
    name === cluster && isTime(time) ? [Date.parse(time)] : [],
  )
  return times.length === 0 ? undefined : Math.max(...times)
}

/**
 * Parses the trailers of a message; undefined where nodefit sync did not write it. The last ones count, since a message
 * may quote others.
 */
export function readTrailers(message: string): Trailers | undefined {
  const values = new Map<string, string[]>()
  const lines = message.split('\n')
  const start = lines.findLastIndex((line) => line.startsWith(FIRST))
  for (const line of lines.slice(Math.max(start, 0))) {
    const [, name = '', value = ''] = TRAILER.exec(line) ?? []
    if (name === '') break
    values.set(name, [...(values.get(name) ?? []), value.trim()])
  }
  const last = (name: string) => values.get(name)?.at(-1)
  const [cluster, version, folder, inputDigest] = [
    last('Cluster'),
    last('Version'),
    last('Folder'),
    last('Input-Digest'),
  ]
  if (cluster === undefined || version === undefined || folder === undefined || inputDigest === undefined)
    return undefined
  return {
    cluster,
    effect: last('Effect') ?? '',
    version,
    folder,
    packages: values.get('Package') ?? [],
    output: last('Output'),
    ...(last('Allow') === undefined ? {} : { allow: last('Allow') }),
    inputDigest,
    outputDigest: last('Output-Digest'),
  }
}
