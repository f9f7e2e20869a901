type TextMap = Record<string, string>

interface KeepOption {
  readonly annotation: string
  /** The values, or one of the values in a list, compared without regard to case. */
  readonly value: string
  /** Whether the object is not deleted when it is gone from Git. */
  readonly stays?: boolean
  /** Whether the user means it for what he commits as well: then copies carry it. */
  readonly isCopied?: boolean
}

const ARGO = 'argocd.argoproj.io'
const FLUX = 'kustomize.toolkit.fluxcd.io'

/**
 * By what a GitOps tool is told not to delete an object, not to apply it, or not to compare it (gitops-engine's sync
 * options, Flux' `AnyInMetadata` exclusions, cli-utils' lifecycle annotations).
 */
const OPTIONS: readonly KeepOption[] = [
  { annotation: `${ARGO}/sync-options`, value: 'Prune=false', stays: true },
  { annotation: `${ARGO}/sync-options`, value: 'Prune=confirm', stays: true, isCopied: true },
  { annotation: `${ARGO}/compare-options`, value: 'IgnoreExtraneous' },
  { annotation: `${FLUX}/prune`, value: 'disabled', stays: true },
  { annotation: `${FLUX}/reconcile`, value: 'disabled', stays: true },
  { annotation: `${FLUX}/ssa`, value: 'Ignore', stays: true },
  { annotation: `${FLUX}/ssa`, value: 'IfNotPresent' },
  { annotation: 'client.lifecycle.config.k8s.io/deletion', value: 'detach', stays: true },
  { annotation: 'cli-utils.sigs.k8s.io/on-remove', value: 'keep', stays: true },
]

/**
 * The annotations without what keeps a tool from pruning, applying or comparing: right for an object outside Git, but a
 * group's DaemonSet inside it would stay for ever when its group is gone, or never come, or never get its new size.
 */
export function withoutKeepOptions(annotations: TextMap): TextMap {
  const result = { ...annotations }
  for (const { annotation, value, isCopied } of OPTIONS) {
    const text = result[annotation]
    if (text === undefined || isCopied) continue
    const rest = text.split(',').filter((one) => !isSame(one, value))
    if (rest.length > 0) result[annotation] = rest.join(',')
    else delete result[annotation]
  }
  return result
}

/** The first annotation, as `key: value`, by which a tool leaves the object where it is when it is gone from Git. */
export function keepOptionOf(annotations: TextMap | null | undefined): string | undefined {
  const option = OPTIONS.find(
    ({ annotation, value, stays }) => stays && annotations?.[annotation]?.split(',').some((one) => isSame(one, value)),
  )
  return option && `${option.annotation}: ${option.value}`
}

function isSame(text: string, value: string): boolean {
  return text.trim().toLowerCase() === value.toLowerCase()
}
