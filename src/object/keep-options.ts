type TextMap = Record<string, string>

interface KeepOption {
  readonly key: string
  /** The value, or one of the values in a list. */
  readonly value: string
  /** Whether the object is not deleted when it is gone from Git. */
  readonly stays?: boolean
}

const ARGO = 'argocd.argoproj.io/'
const FLUX = 'kustomize.toolkit.fluxcd.io/'

/**
 * By what a GitOps tool is told not to delete an object, not to apply it, or not to compare it (gitops-engine's sync
 * options, Flux' `AnyInMetadata` exclusions, cli-utils' lifecycle annotations). `Prune=confirm` is not among them: it asks.
 */
const OPTIONS: readonly KeepOption[] = [
  { key: `${ARGO}sync-options`, value: 'Prune=false', stays: true },
  { key: `${ARGO}compare-options`, value: 'IgnoreExtraneous' },
  { key: `${FLUX}prune`, value: 'disabled', stays: true },
  { key: `${FLUX}reconcile`, value: 'disabled', stays: true },
  { key: `${FLUX}ssa`, value: 'Ignore', stays: true },
  { key: `${FLUX}ssa`, value: 'IfNotPresent' },
  { key: 'client.lifecycle.config.k8s.io/deletion', value: 'detach', stays: true },
  { key: 'cli-utils.sigs.k8s.io/on-remove', value: 'keep', stays: true },
]

/**
 * Annotations or labels without what keeps a tool from pruning, applying or comparing: right for an object outside Git, but
 * a group's DaemonSet inside it would stay for ever when its group is gone, or never come, or never get its new size.
 */
export function withoutKeepOptions(map: TextMap): TextMap {
  const result = { ...map }
  for (const option of OPTIONS) {
    const text: unknown = result[option.key]
    if (typeof text !== 'string') continue
    const rest = text.split(',').filter((one) => !isSame(one, option))
    if (rest.length > 0) result[option.key] = rest.join(',')
    else delete result[option.key]
  }
  return result
}

/**
 * The first option, as `key: value`, by which a tool leaves the object where it is when it is gone from Git. Flux reads
 * labels as it reads annotations.
 */
export function keepOptionOf({
  annotations,
  labels,
}: {
  annotations?: TextMap | null
  labels?: TextMap | null
}): string | undefined {
  const isIn = (option: KeepOption, map: TextMap | null | undefined) => {
    const text: unknown = map?.[option.key]
    return typeof text === 'string' && text.split(',').some((one) => isSame(one, option))
  }
  const option = OPTIONS.find(
    (option) => option.stays && (isIn(option, annotations) || (option.key.startsWith(FLUX) && isIn(option, labels))),
  )
  return option && `${option.key}: ${option.value}`
}

/** Flux does not mind the case of letters, the others do. */
function isSame(text: string, { key, value }: KeepOption): boolean {
  const one = text.trim()
  return key.startsWith(FLUX) ? one.toLowerCase() === value.toLowerCase() : one === value
}
