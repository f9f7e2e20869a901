type TextMap = Record<string, string>

interface KeepOption {
  readonly key: string
  /** The value, or one of the values in a comma-separated list. */
  readonly value: string
  /** Whether the tool keeps the object in the cluster when it is removed from Git. */
  readonly stays?: boolean
}

const ARGO = 'argocd.argoproj.io/'
const FLUX = 'kustomize.toolkit.fluxcd.io/'

/**
 * Options that tell a GitOps tool not to delete, apply or compare an object (gitops-engine's sync options, Flux'
 * `AnyInMetadata` exclusions, cli-utils' lifecycle annotations). `Prune=confirm` is not one of them, since it still
 * deletes after a confirmation.
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
 * Removes the options that stop a tool from pruning, applying or comparing. They suit an object outside Git; a group's
 * DaemonSet in Git would stay when its group is gone, or never be created, or never be resized.
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
 * Returns the first option, as `key: value`, that makes a tool keep the object in the cluster when it is removed from
 * Git. Flux reads labels like annotations.
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

/** Flux compares values case-insensitively, the others do not. */
function isSame(text: string, { key, value }: KeepOption): boolean {
  const trimmed = text.trim()
  return key.startsWith(FLUX) ? trimmed.toLowerCase() === value.toLowerCase() : trimmed === value
}
