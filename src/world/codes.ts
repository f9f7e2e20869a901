import { codesAbout, findingOf } from '../finding/index.ts'
import { INVENTORY_CODES } from '../inventory/codes.ts'
import { POLICY_CODES } from '../policy/codes.ts'
import { NODEFIT, OWN_KINDS } from '../policy/index.ts'

/** Codes about the input and its packages. */
export const WORLD_CODES = codesAbout('Input and package', {
  UnknownFunctionConfig: {
    severity: 'error',
    meaning: 'The functionConfig is of a kind that nodefit does not support.',
    mend: 'Pass a SizingPolicy, a RenderConfig, or a ConfigMap with the flat keys of a SizingPolicy.',
  },
  UseTransformers: {
    severity: 'error',
    meaning:
      'The function receives no resources: kustomize runs it as a generator, or the kustomization has no resources.',
    mend: 'List the policy under transformers and resources in kustomization.yaml, and inventory and template under resources: docs/deliver/kustomize.md.',
  },
  UnknownKind: {
    severity: 'error',
    meaning:
      'A resource of API group nodefit.dev, or of a misspelling of it, has a kind or version that this nodefit does not support; or an Order’s apiVersion is a misspelling of korder’s.',
    mend: `Use a kind of ${NODEFIT}: ${OWN_KINDS.join(', ')}.`,
  },
  TwoRenderConfigs: {
    severity: 'error',
    meaning: 'A package holds more than one RenderConfig.',
    mend: 'Remove all but one.',
  },
  DuplicatePolicy: {
    severity: 'error',
    meaning:
      'Two policies or Orders of a package have one name and namespace, or a policy lists another’s name in spec.formerNames: each would claim the other’s output.',
    mend: 'Give each a distinct name.',
  },
  SelectorsInUse: {
    severity: 'error',
    allowable: true,
    meaning:
      'The Kptfile passes only a selection of the package to the function, which hides the earlier output: it would be rendered again.',
    mend: 'Remove selectors and exclude from the function in the Kptfile.',
  },
  PolicyMissing: {
    severity: 'error',
    meaning:
      'The package has fewer policies than spec.expect of a RenderConfig or the caller expects, or lacks a name in it. What was rendered for a missing policy would be pruned, and its static DaemonSet applied again.',
    mend: 'Restore the policy: look for a file that is commented out, empty, hidden, or does not end in .yaml, .yml or .json. If it was removed on purpose, correct spec.expect, or the parameter policies of the Argo CD plugin.',
  },
  PolicyNotExpected: {
    severity: 'error',
    meaning:
      'The package has more policies than spec.expect of a RenderConfig or the caller expects, or one under another name. Its later loss would not be noticed.',
    mend: 'Add it to spec.expect, or to the parameter policies of the Argo CD plugin; or remove the policy.',
  },
  NoPolicy: {
    roles: ['shown'],
    severity: 'info',
    meaning:
      'No SizingPolicy, no Order in DaemonSet mode, no ActionPolicy and no PoolPolicy: nothing is rendered. Other Orders pass through unchanged.',
    mend: 'Add a SizingPolicy to the package.',
  },
  NoTime: {
    severity: 'error',
    meaning: 'A schedule or a rollout depends on the time, and the input gives none.',
    mend: 'Set observedAt of the NodeInventory, or spec.now of a RenderConfig.',
  },
  NeedsEarlierOutput: {
    severity: 'error',
    allowable: true,
    meaning: 'A field depends on the earlier output, which is not in the input.',
    mend: 'Render in place with kpt, pass --earlier DIR to nodefit build, or remove the field.',
  },
})

export const finding = findingOf(POLICY_CODES, INVENTORY_CODES, WORLD_CODES)
