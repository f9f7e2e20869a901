/** The trailers of a commit message, by which the commit can be rendered again. */
export interface Trailers {
  readonly cluster: string
  /** The uid of the cluster; undefined where it was not known. */
  readonly clusterUid?: string
  /** The time of the controller's clock at which it was rendered, RFC 3339; undefined before trailers had it. */
  readonly time?: string
  readonly effect: string
  readonly version: string
  readonly folder: string
  readonly packages: readonly string[]
  readonly output?: string
  /** The codes of guards that held, and that the commit accepts. */
  readonly allow?: readonly string[]
  readonly inputDigest: string
  /** Undefined where nothing was rendered. */
  readonly outputDigest?: string
}

const PREFIX = 'Nodefit-'
const FIRST = `${PREFIX}Cluster: `
const TRAILER = /^Nodefit-([A-Za-z-]+): (.+)$/

/** The last paragraph of a commit message. */
export function trailersText(trailers: Trailers): string {
  const { cluster, clusterUid, time, effect, version, folder, packages, output, allow = [], inputDigest } = trailers
  const lines: Array<[name: string, value: string | undefined]> = [
    ['Cluster', cluster],
    ['Cluster-Uid', clusterUid],
    ['Time', time],
    ['Effect', effect],
    ['Version', version],
    ['Folder', folder],
    ...packages.map((path): [string, string] => ['Package', path]),
    ['Output', output],
    ...allow.map((code): [string, string] => ['Allow', code]),
    ['Input-Digest', inputDigest],
    ['Output-Digest', trailers.outputDigest],
  ]
  return lines.flatMap(([name, value]) => (value === undefined ? [] : [`${PREFIX}${name}: ${value}\n`])).join('')
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
  const clusterUid = last('Cluster-Uid')
  const time = last('Time')
  return {
    cluster,
    ...(clusterUid === undefined ? {} : { clusterUid }),
    ...(time === undefined ? {} : { time }),
    effect: last('Effect') ?? '',
    version,
    folder,
    packages: values.get('Package') ?? [],
    output: last('Output'),
    ...(values.has('Allow') ? { allow: values.get('Allow') } : {}),
    inputDigest,
    outputDigest: last('Output-Digest'),
  }
}
