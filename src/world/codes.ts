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
      'The function receives no resources: kustomize runs it as a generator, or as a transformer of a kustomization without resources.',
    mend: 'List the policy under transformers in kustomization.yaml, and list it under resources too, with inventory and template: docs/deliver/kustomize.md.',
  },
  UnknownKind: {
    severity: 'error',
    meaning:
      'A resource of API group nodefit.dev, or of a misspelling of it, has a kind or version that this nodefit does not support; or the apiVersion of an Order is a misspelling of korder’s.',
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
      'Two policies or Orders of a package have the same name and namespace, or a policy lists another’s name in spec.formerNames. Each would claim the other’s output.',
    mend: 'Give each a distinct name.',
  },
  SelectorsInUse: {
    severity: 'error',
    allowable: true,
    meaning:
      'The Kptfile passes only a selection of the package to the function, so nodefit cannot see its earlier output and would duplicate it.',
    mend: 'Remove selectors and exclude from the function in the Kptfile.',
  },
  PolicyMissing: {
    severity: 'error',
    meaning:
      'The package has fewer policies than spec.expect of a RenderConfig, or the caller of the run, says, or one of the names is missing. What was rendered for a missing policy would be pruned, and its static DaemonSet applied again.',
    mend: 'Restore the policy: look for a file that is commented out, empty, hidden, or renamed so that it does not end in .yaml, .yml or .json. If you removed the policy on purpose, correct spec.expect, or the parameter policies of the Argo CD plugin.',
  },
  PolicyNotExpected: {
    severity: 'error',
    meaning:
      'The package has more policies than spec.expect of a RenderConfig, or the caller of the run, says, or one under another name. If it were accepted, a policy that is lost later would not be noticed.',
    mend: 'If the policy belongs to the package, add it to spec.expect, or to the parameter policies of the Argo CD plugin; otherwise remove it.',
  },
  NoPolicy: {
    roles: ['shown'],
    severity: 'info',
    meaning:
      'The input has no SizingPolicy and no Order in DaemonSet mode, so nothing is rendered. Other Orders pass through unchanged.',
    mend: 'Add a SizingPolicy to the package.',
  },
  NoTime: {
    severity: 'error',
    meaning: 'A schedule or a rollout depends on the time, and nothing in the input gives it: a render has no clock.',
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
